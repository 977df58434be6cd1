"""Two methods side by side, and slow or unstable methods."""
import os
import time

from driver import Studio, check, main

SCENE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scene.json")
PHYSICS, OBJECTS = ("right", 600), ("right", 150)


def two_methods_run_side_by_side():
    s = Studio(SCENE)
    s.key("c")
    s.wait(lambda t: t["comparing"] and len(t["sides"]) == 2 and t["sides"][1]["points"], "the second side")
    s.choose("cloth[0].stepper", "rk4", PHYSICS)
    state = s.wait(lambda t: t["sides"][1]["parameters"]["cloth[0].stepper"] == "rk4", "another stepper on the right")
    check(state["sides"][0]["parameters"]["cloth[0].stepper"] == "verlet", "the left side changed too")
    s.wait(lambda t: min(side["frame"] for side in t["sides"]) > 30, "both to run", 40)
    state = s.state()
    check(abs(state["sides"][0]["frame"] - state["sides"][1]["frame"]) <= 4, "one side ran away from the other")
    s.shot("compare")
    s.click("physics.side=A", PHYSICS)
    s.enter("cloth[0].substeps", "55", PHYSICS)
    state = s.wait(lambda t: t["sides"][0]["substeps"] == 55, "more substeps on the left")
    check(state["sides"][1]["substeps"] == 40, "the right side changed too")
    s.key("p")
    s.wait(lambda t: not any(side["playing"] for side in t["sides"]), "both to pause")
    s.key("r")
    s.wait(lambda t: all(side["frame"] == 0 for side in t["sides"]), "both to start again")
    s.key("s")
    state = s.wait(lambda t: t["last_file"].endswith(".png"), "a screenshot of both")
    with open(state["last_file"], "rb") as file:
        width = int.from_bytes(file.read(24)[16:20], "big")
    check(abs(width - state["widgets"]["viewport"][2]) <= 1, "the screenshot shows one side only")
    s.click("control.compare")
    s.wait(lambda t: not t["comparing"] and len(t["sides"]) == 1, "the end of the comparison")
    s.close()


def bodies_and_wind_are_changed_on_both_sides():
    s = Studio(SCENE)
    s.key("c")
    s.wait(lambda t: t["comparing"] and t["sides"][1]["points"], "the second side")
    s.choose("wind.kind", "gusts", PHYSICS)
    s.wait(lambda t: all(side["parameters"]["wind.kind"] == "gusts" for side in t["sides"]), "wind on both")
    s.enter("cloth[0].columns", "25", OBJECTS)
    s.wait(lambda t: all(side["particles"] == 25 * 21 for side in t["sides"]), "the same mesh on both")
    s.close()


def unstable_method_stops_and_names_the_cure():
    s = Studio(SCENE)
    s.wait(lambda t: t["sides"][0]["frame"] > 20, "some frames")
    s.choose("cloth[0].stepper", "explicit-euler", PHYSICS)
    s.enter("cloth[0].substeps", "3", PHYSICS)
    state = s.wait(lambda t: t["alarm"], "the alarm", 40)
    check("substeps" in state["alarm"] and "explicit-euler" in state["alarm"], state["alarm"])
    check(not state["sides"][0]["playing"] and state["sides"][0]["unstable"], "it plays on")
    s.shot("unstable")
    drawn = state["drawn"]
    s.settle()
    s.move(700, 300)
    s.wait(lambda t: t["drawn"] > drawn + 2, "a window that lives")
    s.choose("cloth[0].stepper", "verlet", PHYSICS)
    s.enter("cloth[0].substeps", "20", PHYSICS)
    s.click("alarm.cure")
    state = s.wait(lambda t: not t["alarm"] and t["sides"][0]["playing"] and t["sides"][0]["frame"] > 10, "the cure")
    check(state["sides"][0]["substeps"] == 40, "it is not twice the substeps")
    s.close()


def slow_method_does_not_freeze_the_window():
    s = Studio(SCENE, "--set", "cloth[0].columns=120", "--set", "cloth[0].rows=120", "--set", "cloth[0].substeps=4000")
    drawn, frame = s.state()["drawn"], s.side()["frame"]
    began = time.monotonic()
    for k in range(20):
        s.move(600 + 5 * k, 300)
    s.wait(lambda t: t["drawn"] >= drawn + 10, "pictures during a step")
    passed = time.monotonic() - began
    check(s.side()["frame"] - frame <= 1 + passed / 0.3, "the scene is not slow enough for this test")
    camera = s.state()["camera"]
    x, y, width, height = s.widget("viewport")
    s.drag((x + 30, y + 60), (x + 90, y + 60))
    s.wait(lambda t: t["camera"] != camera, "an orbit during a step")
    s.close()


main(two_methods_run_side_by_side, bodies_and_wind_are_changed_on_both_sides, unstable_method_stops_and_names_the_cure,
     slow_method_does_not_freeze_the_window)
