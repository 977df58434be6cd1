"""Closing in the middle of anything is safe."""
import os
import signal
import time

from driver import Studio, check, main, run

SCENE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scene.json")


def interrupt(s):
    errors = s.state()["gl_errors"]
    s.process.send_signal(signal.SIGINT)
    s.end(errors)


def while_playing():
    interrupt(Studio(SCENE))


def while_dragging_cloth():
    s = Studio(SCENE)
    s.wait(lambda t: t["sides"][0]["frame"] > 30, "some frames")
    point = s.point_on_top()
    s.move(point["x"], point["y"])
    s.settle()
    s.press()
    s.move(point["x"] + 40, point["y"])
    s.settle()
    interrupt(s)
    run("xdotool", "mouseup", "1")


def while_recording():
    s = Studio(SCENE)
    s.key("v")
    s.wait(lambda t: t["recording"], "recording")
    time.sleep(0.5)
    interrupt(s)


def while_comparing():
    s = Studio(SCENE)
    s.key("c")
    s.wait(lambda t: t["comparing"], "the comparison")
    interrupt(s)


def while_the_browser_draws():
    s = Studio(SCENE)
    s.key("o")
    s.wait(lambda t: t["dialog"] == "open", "the browser")
    interrupt(s)


def while_a_large_world_is_built():
    s = Studio(SCENE, "--paused")
    s.enter("cloth[0].columns", "1200", ("right", 150))
    interrupt(s)


def in_a_long_step():
    s = Studio(SCENE, "--set", "cloth[0].columns=120", "--set", "cloth[0].rows=120", "--set", "cloth[0].substeps=3000")
    interrupt(s)


def after_a_number_of_frames():
    s = Studio(SCENE, "--frames", "40")
    check(s.process.wait(60 * 5) == 0, "it did not end well")
    s.end()


main(while_playing, while_dragging_cloth, while_recording, while_comparing, while_the_browser_draws,
     while_a_large_world_is_built, in_a_long_step, after_a_number_of_frames)
