"""A scene with a garment: the window goes on while it is dressed, and shows how far that is."""
import json
import os

from driver import Studio, check, main

SCENE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scene.json")
OBJECTS = ("right", 150)


def open_scene(s, name):
    s.key("o")
    s.wait(lambda t: t["dialog"] == "open" and "open.file" in t["widgets"], "the browser")
    s.select_all()
    s.type(name)
    s.key("Return")


def garment_is_dressed_while_the_window_goes_on():
    s = Studio(SCENE)
    own = os.path.join(s.folder, "own.json")
    with open(own, "w", encoding="utf-8") as file:
        json.dump({"character": [{"label": "ana", "garment": [{"pattern": "skirt", "edge": 0.05}]}]}, file)
    open_scene(s, own)
    first = s.wait(lambda t: t["sides"][0]["dressing"], "the dressing")
    check(first["sides"][0]["building"] and first["sides"][0]["generation"] == 1, "another scene is being built")
    s.wait(lambda t: t["drawn"] > first["drawn"] + 5 and t["sides"][0]["dressing"], "frames while it is dressed")
    s.shot("dressing")
    seen = s.wait(lambda t: t["sides"][0]["phase"] == "settle", "the last phase", 60)
    check(0.4 < seen["sides"][0]["dressed"] < 1 and seen["sides"][0]["seam_gap"] > 0, "the bar does not say how far it is")
    state = s.wait(lambda t: t["sides"][0]["generation"] == 2, "the world", 120)
    check(state["sides"][0]["particles"] > 200 and not state["sides"][0]["dressing"] and not state["alarm"], "it is not dressed")
    s.wait(lambda t: t["sides"][0]["frame"] > 2, "that it runs", 30)
    s.shot("dressed")

    # out of the cache: nothing is dressed
    s.key("r")
    state = s.wait(lambda t: t["sides"][0]["generation"] == 3, "the world again", 30)
    check(state["sides"][0]["particles"] > 200, "another world")

    # another fabric is given up for the first again, which is in the cache, without a complaint
    s.click("character[0].garment[0]:object", OBJECTS)
    s.choose("character[0].garment[0].fabric", "denim", OBJECTS)
    s.wait(lambda t: t["sides"][0]["dressing"], "the other fabric")
    s.choose("character[0].garment[0].fabric", "interlock", OBJECTS)
    state = s.wait(lambda t: t["sides"][0]["generation"] == 4, "the first fabric again", 30)
    check(not state["alarm"] and not state["sides"][0]["dressing"], state["alarm"])
    s.close()


def closing_gives_dressing_up():
    s = Studio(SCENE)
    own = os.path.join(s.folder, "own.json")
    with open(own, "w", encoding="utf-8") as file:
        json.dump({"character": [{"garment": [{"pattern": "skirt", "edge": 0.03}]}]}, file)
    open_scene(s, own)
    s.wait(lambda t: t["sides"][0]["dressing"], "the dressing")
    s.close()


main(garment_is_dressed_while_the_window_goes_on, closing_gives_dressing_up)
