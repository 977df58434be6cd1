"""Time and pictures: play, pause, step, reset, speed, screenshot, panels, help."""
import os

from driver import Studio, check, main

SCENE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scene.json")


def plays_and_pauses_by_key_and_by_button():
    s = Studio(SCENE)
    s.wait(lambda t: t["sides"][0]["playing"] and t["sides"][0]["frame"] > 5, "the scene to play by itself")
    s.key("p")
    s.wait(lambda t: not t["sides"][0]["playing"], "the pause")
    s.settle()
    frame = s.side()["frame"]
    s.settle()
    check(s.side()["frame"] == frame, "it went on although paused")
    s.click("control.play")
    s.wait(lambda t: t["sides"][0]["playing"] and t["sides"][0]["frame"] > frame + 3, "playing on")
    s.key("space")
    s.wait(lambda t: not t["sides"][0]["playing"], "the pause by space")
    s.close()


def steps_one_frame_at_a_time():
    s = Studio(SCENE, "--paused")
    check(s.side()["frame"] == 0, "it did not start paused")
    s.key("Right")
    s.wait(lambda t: t["sides"][0]["frame"] == 1, "the first frame")
    s.click("control.step")
    state = s.wait(lambda t: t["sides"][0]["frame"] == 2, "the second frame")
    check(abs(state["sides"][0]["time"] - 2 / 60) < 1e-5, "a frame is not 1/60 s")
    check(not state["sides"][0]["playing"], "a step plays on")
    s.close()


def reset_returns_to_the_start():
    s = Studio(SCENE, "--paused")
    start = s.side()["points"]
    s.key("p")
    s.wait(lambda t: t["sides"][0]["frame"] > 20, "some frames")
    s.key("p")
    s.wait(lambda t: not t["sides"][0]["playing"], "the pause")
    check(s.side()["points"][-1]["position"] != start[-1]["position"], "the cloth did not move")
    s.key("r")
    s.wait(lambda t: t["sides"][0]["frame"] == 0 and t["sides"][0]["generation"] == 2, "the start")
    s.wait(lambda t: [p["position"] for p in t["sides"][0]["points"]] == [p["position"] for p in start], "the first shape")
    s.close()


def speed_slider_changes_the_pace():
    s = Studio(SCENE)
    x, y, width, height = s.widget("control.speed")
    s.drag((x + width / 2, y + height / 2), (x + 3, y + height / 2))
    state = s.wait(lambda t: t["speed"] < 0.13, "a slow speed")
    s.wait(lambda t: t["sides"][0]["real_time"] < 0.2, "the slow pace")
    s.click("control.speed:reset")
    s.wait(lambda t: t["speed"] == 1, "the normal speed")
    s.key("Up")
    s.wait(lambda t: t["speed"] == 2, "twice the speed")
    check(state["sides"][0]["playing"], "it does not play")
    s.close()


def screenshot_is_a_picture_of_the_viewport():
    s = Studio(SCENE)
    viewport = s.widget("viewport")
    s.key("s")
    state = s.wait(lambda t: t["last_file"].endswith(".png"), "a file")
    with open(state["last_file"], "rb") as file:
        head = file.read(24)
    check(head[:8] == b"\x89PNG\r\n\x1a\n", "it is no PNG")
    size = int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")
    check(size == (viewport[2], viewport[3]), f"it has {size} pixels, the viewport {viewport}")
    s.close()


def panels_and_help_come_and_go():
    s = Studio(SCENE)
    s.key("F1")
    s.wait(lambda t: t["dialog"] == "help", "help")
    s.shot("help")
    s.key("Escape")
    s.wait(lambda t: t["dialog"] == "none", "the end of help")
    s.key("m")
    state = s.wait(lambda t: not t["panels"] and t["widgets"]["viewport"][2] == 1280, "the viewport alone")
    check("control.play" not in state["widgets"], "a panel is still there")
    s.shot("no-panels")
    s.key("m")
    s.wait(lambda t: t["panels"] and "control.play" in t["widgets"], "the panels")
    s.close()


def layout_is_remembered():
    s = Studio(SCENE, remember=True)
    folder = s.folder
    x, y, width, height = s.widget("bar.right")
    s.drag((x + 2, 100), (x - 78, 100))
    moved = s.wait(lambda t: abs(t["widgets"]["bar.right"][0] - (x - 80)) <= 3, "a wider column")["widgets"]["bar.right"][0]
    check(s.state()["gl_errors"] == 0, "OpenGL errors")
    s.escape()
    s.wait_for_end()
    with open(os.path.join(folder, "config", "telar", "studio.ini"), encoding="utf-8") as file:
        text = file.read()
    right = float([line for line in text.splitlines() if line.startswith("layout.right=")][0].split("=")[1])
    check(abs(right - (1280 - moved - 5)) <= 3, f"the layout was not kept: {text}")
    s.end()


main(plays_and_pauses_by_key_and_by_button, steps_one_frame_at_a_time, reset_returns_to_the_start,
     speed_slider_changes_the_pace, screenshot_is_a_picture_of_the_viewport, panels_and_help_come_and_go,
     layout_is_remembered)
