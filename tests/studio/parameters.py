"""The generated panels: sliders, typed values, names, switches, defaults, and their effect on the running world."""
import os
import shutil
import subprocess

from driver import Studio, check, main

SCENE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scene.json")
PHYSICS, OBJECTS, LEFT = ("right", 600), ("right", 150), ("left", 450)


def parameter(state, path, side=0):
    return state["sides"][side]["parameters"][path]


def colour_of_the_viewport(s):
    """Mean red, green and blue of a screenshot; None where ImageMagick is missing."""
    if not shutil.which("convert"):
        return None
    last = s.state()["last_file"]
    s.key("s")
    name = s.wait(lambda t: t["last_file"] != last, "a screenshot")["last_file"]
    text = subprocess.run(["convert", name, "-format", "%[fx:mean.r] %[fx:mean.g] %[fx:mean.b]", "info:"],
                          check=True, capture_output=True, text=True).stdout
    return [float(word) for word in text.split()]


def slider_changes_the_running_world():
    s = Studio(SCENE)
    x, y, width, height = s.reach("cloth[0].substeps", PHYSICS)
    s.drag((x + width / 2, y + height / 2), (x + width * 0.8, y + height / 2))
    state = s.wait(lambda t: int(parameter(t, "cloth[0].substeps")) > 60, "more substeps in the panel")
    wanted = int(parameter(state, "cloth[0].substeps"))
    s.wait(lambda t: t["sides"][0]["substeps"] == wanted, "more substeps in the world")
    check(s.side()["generation"] == 1, "the world was built again for a live parameter")
    s.shot("slider")
    s.click("cloth[0].substeps:reset", PHYSICS)
    s.wait(lambda t: parameter(t, "cloth[0].substeps") == "0" and t["sides"][0]["substeps"] == 40, "the default rate")
    s.close()


def value_can_be_typed():
    s = Studio(SCENE)
    s.enter("cloth[0].substeps", "33", PHYSICS)
    s.wait(lambda t: parameter(t, "cloth[0].substeps") == "33" and t["sides"][0]["substeps"] == 33, "33 substeps")
    s.click("cloth[0].damping", PHYSICS, button=3)
    s.shot("menu")
    s.click("cloth[0].damping:typed")
    s.type("1.25")
    s.key("Return")
    s.wait(lambda t: parameter(t, "cloth[0].damping") == "1.25", "the damping from its menu")
    s.close()


def method_changes_without_a_jump():
    s = Studio(SCENE)
    s.wait(lambda t: t["sides"][0]["frame"] > 30, "some frames")
    frame = s.side()["frame"]
    s.choose("cloth[0].stepper", "rk4", PHYSICS)
    state = s.wait(lambda t: parameter(t, "cloth[0].stepper") == "rk4", "the stepper")
    check(state["sides"][0]["generation"] == 1 and state["sides"][0]["frame"] >= frame, "the scene started again")
    s.wait(lambda t: t["sides"][0]["frame"] > frame + 20 and t["sides"][0]["speed"] < 50, "a stable run")
    links = s.side()["links"]
    s.choose("cloth[0].material", "springs20", PHYSICS)
    s.wait(lambda t: parameter(t, "cloth[0].material") == "springs20" and t["sides"][0]["links"] != links, "other links")
    s.choose("cloth[0].contact", "none", PHYSICS)
    s.wait(lambda t: parameter(t, "cloth[0].contact") == "none", "no contact")
    s.close()


def fabric_changes_weight_and_colour_at_once():
    s = Studio(SCENE, "--paused", "--set", "look.cloth_color=[0.5, 0.1, 0.1]") # an explicit colour overrides the fabric's
    before = colour_of_the_viewport(s)
    s.choose("cloth[0].fabric", "interlock", PHYSICS)
    state = s.wait(lambda t: parameter(t, "cloth[0].fabric") == "interlock", "the fabric")
    check(parameter(state, "cloth[0].density") == "0.187", "its weight is not that of interlock")
    check(state["sides"][0]["generation"] == 1, "the world was built again for a live parameter")
    after = colour_of_the_viewport(s)
    if before and after:
        check(max(abs(a - b) for a, b in zip(before, after)) > 0.01, f"the picture kept its colour {before}, {after}")
    s.key("p")
    frame = s.side()["frame"]
    s.wait(lambda t: t["sides"][0]["frame"] > frame + 10 and t["sides"][0]["speed"] < 50, "it to run")
    s.shot("fabric")
    s.close()


def resolution_builds_the_world_again():
    s = Studio(SCENE)
    s.wait(lambda t: t["sides"][0]["frame"] > 5, "some frames")
    s.enter("cloth[0].columns", "31", OBJECTS)
    state = s.wait(lambda t: t["sides"][0]["particles"] == 31 * 21, "the new mesh")
    check(state["sides"][0]["generation"] >= 2, "the world is the old one")
    s.wait(lambda t: t["sides"][0]["playing"] and t["sides"][0]["frame"] > 3, "playing on")
    s.close()


def wind_blows_at_once():
    s = Studio(SCENE)
    s.wait(lambda t: t["sides"][0]["frame"] > 60, "a sheet at rest", 40)
    before = s.side()["points"][-1]["position"][2]
    s.choose("wind.kind", "uniform", PHYSICS)
    s.enter("wind.velocity", "6", PHYSICS, along=5 / 6)
    s.wait(lambda t: parameter(t, "wind.velocity").replace(" ", "") == "[0,0,6]", "wind along z")
    s.wait(lambda t: t["sides"][0]["points"][-1]["position"][2] > before + 0.05, "the sheet to give way")
    s.close()


def impossible_values_are_refused_with_a_reason():
    s = Studio(SCENE)
    s.enter("cloth[0].substeps", "-4", PHYSICS)
    state = s.wait(lambda t: "substeps" in t["note"], "a reason")
    check(parameter(state, "cloth[0].substeps") == "40", "the value was taken")
    check(state["sides"][0]["playing"], "the simulation stopped")
    s.close()


def looks_can_be_chosen():
    s = Studio(SCENE)
    s.wait(lambda t: t["sides"][0]["frame"] > 30, "a fallen sheet")
    for look in ("curves", "plain", "wireframe", "fabric"):
        s.choose("look.cloth", look, LEFT)
        s.wait(lambda t, name=look: parameter(t, "look.cloth") == name, look)
        s.settle(4)
        s.shot("look-" + look)
    for overlay in ("strain", "force", "speed", "contact"):
        s.choose("look.overlay", overlay, LEFT)
        s.wait(lambda t, name=overlay: parameter(t, "look.overlay") == name, overlay)
        s.settle(4)
        s.shot("overlay-" + overlay)
    s.close()


def objects_can_be_added_and_removed():
    s = Studio(SCENE)
    s.click("add.body", OBJECTS)
    s.wait(lambda t: len(t["sides"][0]["bodies"]) == 3 and t["sides"][0]["generation"] == 2, "a third body")
    s.shot("objects")
    s.click("add.cloth", OBJECTS)
    state = s.wait(lambda t: t["sides"][0]["generation"] == 3, "a second cloth")
    check(parameter(state, "cloth[1].center") == "[0, 1, 0]", "it does not start above the floor")
    s.close()


main(slider_changes_the_running_world, value_can_be_typed, method_changes_without_a_jump,
     fabric_changes_weight_and_colour_at_once, resolution_builds_the_world_again, wind_blows_at_once,
     impossible_values_are_refused_with_a_reason, looks_can_be_chosen, objects_can_be_added_and_removed)
