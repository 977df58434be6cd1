"""Scenes, clips and tables on disk: save and reload, the browser with its pictures, recording, CSV."""
import json
import os
import shutil

from driver import Studio, check, main

SCENE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scene.json")
PHYSICS = ("right", 600)


def changes_are_saved_and_loaded_again():
    s = Studio(SCENE)
    s.enter("cloth[0].substeps", "37", PHYSICS)
    s.wait(lambda t: t["sides"][0]["substeps"] == 37 and t["changed"], "the change")
    name = os.path.join(s.folder, "saved.json")
    s.key("ctrl+s")
    s.wait(lambda t: t["dialog"] == "save" and "save.name" in t["widgets"], "the dialog")
    s.shot("save")
    s.select_all()
    s.type(name)
    s.click("save.save")
    s.wait(lambda t: t["dialog"] == "none" and t["last_file"] == name and not t["changed"], "the file")
    with open(name, encoding="utf-8") as file:
        scene = json.load(file)
    check(scene["cloth"][0]["substeps"] == 37, "the file has not the change")
    check(len(scene["cloth"][0]["pin"]) == 2, "the file has lost pins")

    s.enter("cloth[0].substeps", "90", PHYSICS)
    s.wait(lambda t: t["sides"][0]["substeps"] == 90, "another change")
    s.key("o")
    s.wait(lambda t: t["dialog"] == "open" and "open.file" in t["widgets"], "the browser")
    s.type(name)
    s.key("Return")
    state = s.wait(lambda t: t["dialog"] == "none" and t["opened"] == 2 and t["sides"][0]["substeps"] == 37, "the saved scene")
    check(state["name"] == name and state["sides"][0]["pinned"] == 2, "it is another scene")
    s.close()


def missing_and_broken_files_are_told():
    s = Studio(SCENE)
    broken = os.path.join(s.folder, "broken.json")
    with open(broken, "w", encoding="utf-8") as file:
        file.write('{"cloth": [{"columns": -3}]}')
    for name in ("/nowhere/at-all.json", broken):
        s.key("o")
        s.wait(lambda t: t["dialog"] == "open" and "open.file" in t["widgets"], "the browser")
        s.select_all()
        s.type(name)
        s.key("Return")
        s.wait(lambda t, part=os.path.basename(name): part in t["alarm"], "the reason")
        s.key("Escape")
        s.wait(lambda t: t["dialog"] == "none", "the end of the dialog")
    check(s.side()["playing"] and s.state()["opened"] == 1, "the scene that was open is closed")
    s.close()


def own_scenes_are_framed_and_asked_for_their_unit():
    s = Studio(SCENE)
    own = os.path.join(s.folder, "own.json")
    with open(os.path.join(s.folder, "own.obj"), "w", encoding="utf-8") as file:
        file.write("v 5000 0 0\nv 6800 0 0\nv 5000 900 0\nv 6800 900 0\nf 1 2 3\nf 2 4 3\n")
    with open(own, "w", encoding="utf-8") as file:
        json.dump({"cloth": [{"mesh": {"file": "own.obj"}, "stepper": "kinematic"}]}, file)
    s.key("o")
    s.wait(lambda t: t["dialog"] == "open" and "open.file" in t["widgets"], "the browser")
    s.select_all()
    s.type(own)
    s.key("Return")
    s.wait(lambda t: "is its mesh in millimetres? set cloth[0].mesh.scale to 0.001" in t["note"], "the question for the unit")
    s.wait(lambda t: abs(t["camera"]["target"][0] - 5900) < 200 and t["camera"]["position"][2] > 500, "the view of all of it")
    s.close()


def browser_shows_every_scene_with_a_picture():
    scenes = None
    s = Studio(SCENE)
    s.key("o")
    state = s.wait(lambda t: t["scenes"] > 0, "the list", 60)
    scenes = state["scenes"]
    few = min(scenes, 4)
    s.wait(lambda t: t["pictures"] >= few, "the first pictures", 60)
    s.shot("browser")
    cards = [name for name in s.state()["widgets"] if name.startswith("open.") and name != "open.file"]
    check(cards, "there are no cards")
    s.click(cards[-1])
    s.wait(lambda t: t["opened"] == 2 and t["dialog"] == "none" and t["name"] == cards[-1][5:], "the scene of the card")
    s.wait(lambda t: t["sides"][0]["generation"] == 2, "its world")
    check(len(os.listdir(os.path.join(s.folder, "cache", "telar"))) >= few, "the pictures were not kept")
    s.close()


def clip_is_recorded():
    s = Studio(SCENE)
    s.wait(lambda t: t["sides"][0]["frame"] > 3, "some frames")
    s.click("control.record")
    state = s.wait(lambda t: t["recording"], "recording")
    first = state["sides"][0]["frame"]
    s.wait(lambda t: t["sides"][0]["frame"] > first + 10, "recorded frames", 60)
    s.key("v")
    state = s.wait(lambda t: not t["recording"] and t["last_file"], "the file", 60)
    name = state["last_file"]
    if shutil.which("ffmpeg"):
        check(name.endswith(".mp4") and os.path.getsize(name) > 1000, f"{name} is no clip")
        check("Recorded" in state["note"], state["note"])
    else:
        check(len(os.listdir(name)) > 5, "there are no pictures")
    s.close()


def measurements_are_exported():
    s = Studio(SCENE)
    s.wait(lambda t: t["sides"][0]["frame"] > 30, "some frames")
    s.key("p")
    s.wait(lambda t: not t["sides"][0]["playing"], "the pause")
    s.settle(4)
    s.click("information.csv")
    state = s.wait(lambda t: t["last_file"].endswith(".csv"), "the file")
    with open(state["last_file"], encoding="utf-8") as file:
        rows = file.read().splitlines()
    check(rows[0].startswith("frame,time_s,substeps"), "the table has no heading")
    frame = state["sides"][0]["frame"]
    check(len(rows) == frame + 1, f"{len(rows) - 1} rows for {frame} frames")
    check([int(row.split(",")[0]) for row in rows[1:]] == list(range(1, frame + 1)), "frames are missing")
    s.close()


main(changes_are_saved_and_loaded_again, missing_and_broken_files_are_told, own_scenes_are_framed_and_asked_for_their_unit,
     browser_shows_every_scene_with_a_picture, clip_is_recorded, measurements_are_exported)
