"""Mouse in the viewport: pulling cloth, pinning, moving a body, and the camera."""
import os
import time

from driver import Studio, check, main, run

SCENE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scene.json")


def distance(a, b):
    return sum((x - y) ** 2 for x, y in zip(a, b)) ** 0.5


def hanging(s):
    """The scene with the sheet at rest."""
    return s.wait(lambda t: t["sides"][0]["frame"] > 60 and t["sides"][0]["speed"] < 0.05, "a sheet at rest", 60)


def vertex(state, index, side=0):
    return [p for p in state["sides"][side]["points"] if p["vertex"] == index][0]


def cloth_follows_the_hand_and_is_let_go():
    s = Studio(SCENE)
    hanging(s)
    point = s.point_on_top()
    pinned = s.side()["pinned"]
    s.move(point["x"], point["y"])
    s.settle()
    s.press()
    state = s.wait(lambda t: t["sides"][0]["held"] == point["vertex"] and t["drag"] == "cloth", "the hold")
    check(state["sides"][0]["pinned"] == pinned + 1, "the vertex is not held")
    for k in range(10):
        s.move(point["x"] + 8 * (k + 1), point["y"] - 8 * (k + 1))
    state = s.wait(lambda t: distance(vertex(t, point["vertex"])["position"], point["position"]) > 0.2, "the pull")
    s.shot("pull")
    there = vertex(state, point["vertex"])
    state = s.wait(lambda t: abs(vertex(t, point["vertex"])["x"] - (point["x"] + 80)) <= 4
                   and abs(vertex(t, point["vertex"])["y"] - (point["y"] - 80)) <= 4, "the vertex under the pointer")
    check(there["position"][0] > point["position"][0] and there["position"][1] > point["position"][1], "the wrong way")
    s.release()
    s.wait(lambda t: t["sides"][0]["held"] == -1 and t["sides"][0]["pinned"] == pinned, "letting go")
    s.wait(lambda t: distance(vertex(t, point["vertex"])["position"], point["position"]) < 0.1, "falling back", 40)
    s.close()


def escape_lets_go_and_a_pinned_vertex_stays_pinned():
    s = Studio(SCENE)
    hanging(s)
    pinned = s.side()["pinned"]
    corner = s.side()["points"][0]
    s.move(corner["x"] + 1, corner["y"] + 1)
    s.settle()
    s.press()
    s.wait(lambda t: t["drag"] == "cloth", "the hold of a pinned vertex")
    s.move(corner["x"] + 30, corner["y"] + 30)
    s.settle()
    s.key("Escape")
    s.release()
    s.wait(lambda t: t["drag"] == "none" and t["sides"][0]["pinned"] == pinned, "still pinned")
    s.close()


def right_click_pins_and_unpins():
    s = Studio(SCENE)
    hanging(s)
    point = s.point_on_top()
    pinned = s.side()["pinned"]
    s.click_at(point["x"], point["y"], 3)
    s.wait(lambda t: t["sides"][0]["pinned"] == pinned + 1, "a pin")
    s.shot("pin")
    check(s.state()["changed"], "the scene has not learned of the pin")
    s.key("r")
    s.wait(lambda t: t["sides"][0]["generation"] == 2 and t["sides"][0]["pinned"] == pinned + 1, "the pin after a reset")
    s.key("p")
    s.wait(lambda t: not t["sides"][0]["playing"], "a pause")
    s.settle()
    place = vertex(s.state(), point["vertex"])
    s.move(place["x"], place["y"])
    s.settle()
    run("xdotool", "keydown", "ctrl")
    time.sleep(0.1)
    s.press()
    s.settle(2)
    s.release()
    run("xdotool", "keyup", "ctrl")
    s.wait(lambda t: t["sides"][0]["pinned"] == pinned, "no pin")
    s.close()


def body_is_moved_by_hand():
    s = Studio(SCENE)
    hanging(s)
    ball = s.side()["bodies"][1]
    s.move(ball["x"], ball["y"])
    s.settle()
    s.press()
    s.wait(lambda t: t["drag"] == "body", "the hold of the ball")
    for k in range(10):
        s.move(ball["x"] - 12 * (k + 1), ball["y"] - 8 * (k + 1))
    state = s.wait(lambda t: abs(t["sides"][0]["bodies"][1]["x"] - (ball["x"] - 120)) <= 14, "the ball near the pointer")
    s.shot("ball")
    s.release()
    moved = state["sides"][0]["bodies"][1]["position"]
    check(moved[0] < ball["position"][0] - 0.2 and moved[1] > ball["position"][1] + 0.1, f"it went to {moved}")
    s.key("r")
    s.wait(lambda t: t["sides"][0]["generation"] == 2
           and distance(t["sides"][0]["bodies"][1]["position"], ball["position"]) < 1e-3, "its first place")
    s.close()


def body_moved_before_the_start_is_arranged():
    s = Studio(SCENE, "--paused")
    ball = s.side()["bodies"][1]
    s.drag((ball["x"], ball["y"]), (ball["x"] + 60, ball["y"]))
    s.wait(lambda t: t["sides"][0]["generation"] == 2 and t["sides"][0]["bodies"][1]["position"][0] > ball["position"][0] + 0.1,
           "the ball at its new place")
    check(s.state()["changed"], "the scene has not changed")
    s.close()


def ball_is_dropped():
    s = Studio(SCENE, "--set", "body[1].position=0.75,1.5,0.3")
    s.click("control.drop")
    s.wait(lambda t: t["sides"][0]["bodies"][1]["position"][1] < 0.25, "the fall to the floor", 40)
    s.close()


def camera_orbits_pans_zooms_and_frames():
    s = Studio(SCENE, "--paused")
    x, y, width, height = s.widget("viewport")
    corner = (x + 30, y + 60)
    first = s.state()["camera"]
    s.drag(corner, (corner[0] + 80, corner[1] + 20))
    orbit = s.wait(lambda t: distance(t["camera"]["position"], first["position"]) > 0.3, "an orbit")["camera"]
    check(distance(orbit["target"], first["target"]) < 1e-5, "the orbit moved its middle")
    check(abs(distance(orbit["position"], orbit["target"]) - distance(first["position"], first["target"])) < 1e-3, "the distance changed")
    s.drag(corner, (corner[0] + 60, corner[1]), button=2)
    pan = s.wait(lambda t: distance(t["camera"]["target"], orbit["target"]) > 0.05, "a pan")["camera"]
    s.move(x + width / 2, y + height / 2)
    run("xdotool", "click", "4")
    zoom = s.wait(lambda t: distance(t["camera"]["position"], pan["position"]) > 0.05, "a zoom")["camera"]
    check(distance(zoom["position"], zoom["target"]) < distance(pan["position"], pan["target"]), "the wrong way")
    run("xdotool", "keydown", "shift", "keydown", "w")
    fly = s.wait(lambda t: distance(t["camera"]["target"], zoom["target"]) > 0.1, "flying")["camera"]
    run("xdotool", "keyup", "w", "keyup", "shift")
    check(distance(fly["position"], zoom["position"]) > 0.1, "only the target flew")
    check(not s.state()["last_file"], "flying made a screenshot")
    s.key("f")
    state = s.wait(lambda t: distance(t["camera"]["target"], fly["target"]) > 0.01, "the whole scene")
    for point in state["sides"][0]["points"]:
        check(x <= point["x"] <= x + width and y <= point["y"] <= y + height, "a part of the cloth is outside")
    s.close()


main(cloth_follows_the_hand_and_is_let_go, escape_lets_go_and_a_pinned_vertex_stays_pinned, right_click_pins_and_unpins,
     body_is_moved_by_hand, body_moved_before_the_start_is_arranged, ball_is_dropped, camera_orbits_pans_zooms_and_frames)
