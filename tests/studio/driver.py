"""Drives the real studio with real mouse and key events (xdotool) and reads its reported state (--state).

Run under a display of its own:  xvfb-run -a -s "-screen 0 1280x720x24" python3 tests/studio/NAME.py TELAR
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

# slow machines and sanitizers: factor on all timeouts
PATIENCE = float(os.environ.get("TELAR_TEST_PATIENCE", "1"))


STARTED = []


class Failure(Exception):
    pass


def run(*words):
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


class Studio:
    def __init__(self, *arguments, telar=None, remember=False):
        self.folder = tempfile.mkdtemp(prefix="telar-studio-")
        self.state_file = os.path.join(self.folder, "state.json")
        self.out = os.path.join(self.folder, "out")
        environment = dict(os.environ, XDG_CONFIG_HOME=self.folder + "/config", XDG_CACHE_HOME=self.folder + "/cache")
        command = [telar or sys.argv[1], "studio", *arguments, "--debug", "--state", self.state_file, "--out", self.out]
        if not remember:
            command.append("--no-remember")
        if "TELAR_TEST_PRELOAD" in os.environ:
            environment["LD_PRELOAD"] = os.environ["TELAR_TEST_PRELOAD"].strip()
        self.process = subprocess.Popen(command, env=environment)
        STARTED.append(self.process)
        self.wait(lambda s: s["drawn"] > 2 and s["sides"][0]["generation"] > 0 and s["sides"][0]["points"], "to start", 120)

    # ---- reported state -------------------------------------------------------------------------------------------

    def state(self):
        """The newest report; fails when the studio has exited."""
        if self.process.poll() is not None:
            raise Failure(f"the studio ended with {self.process.returncode}")
        try:
            with open(self.state_file, encoding="utf-8") as file:
                return json.load(file)
        except FileNotFoundError:
            return None

    def wait(self, condition, what, seconds=20.0):
        """Waits until the state fulfils the condition and returns it."""
        end = time.monotonic() + seconds * PATIENCE
        while time.monotonic() < end:
            state = self.state()
            if state is not None and condition(state):
                return state
            time.sleep(0.03)
        state = self.state() or {}
        side = {k: v for k, v in state.get("sides", [{}])[0].items() if k not in ("points", "bodies")}
        rest = {k: v for k, v in state.items() if k not in ("sides", "widgets")}
        raise Failure(f"waited in vain for {what}\n  {rest}\n  {side}")

    def side(self, index=0):
        return self.state()["sides"][index]

    def settle(self, frames=3):
        """Waits until the window has drawn a few frames or is idle."""
        state = self.state()
        drawn, end = state["drawn"], time.monotonic() + 1.0 * PATIENCE
        while time.monotonic() < end and state["drawn"] < drawn + frames and not state["idle"]:
            time.sleep(0.01)
            state = self.state()

    # ---- mouse and keys ------------------------------------------------------------------------------------------

    def act(self, *words, frames=3):
        """Something done with xdotool; waits until the window has processed and drawn it."""
        events = self.state()["events"]
        run("xdotool", *words)
        end = time.monotonic() + 0.3 * PATIENCE # some actions cause no event: a pointer that is already there
        while time.monotonic() < end and self.state()["events"] == events:
            time.sleep(0.01)
        self.settle(frames)

    def move(self, x, y):
        self.act("mousemove", str(int(x)), str(int(y)), frames=1)

    def press(self, button=1):
        self.act("mousedown", str(button))

    def release(self, button=1):
        self.act("mouseup", str(button))

    def click_at(self, x, y, button=1):
        self.move(x, y)
        self.settle()
        self.press(button)
        self.release(button)

    def drag(self, start, end, button=1, steps=8):
        self.move(*start)
        self.settle()
        self.press(button)
        for k in range(1, steps + 1):
            self.move(start[0] + (end[0] - start[0]) * k / steps, start[1] + (end[1] - start[1]) * k / steps)
        self.settle()
        self.release(button)

    def key(self, *names):
        for name in names:
            self.act("key", name)

    def type(self, text):
        run("xdotool", "type", "--delay", "30", "--", text)
        self.settle()

    def select_all(self):
        """In the text field that has the keyboard. Letters that come in the same frame as Ctrl would be lost."""
        self.key("ctrl+a")

    # ---- widgets -------------------------------------------------------------------------------------------------

    def widget(self, name):
        return self.state()["widgets"].get(name)

    def reach(self, name, panel):
        """Scrolls the panel that holds the widget `panel` until the widget `name` is visible; returns its rectangle."""
        column = {"right": 1100, "left": 130}[panel[0]]
        row = panel[1]
        self.move(column, row)
        for turns in ([], *[["4"] * 6] * 8, *[["5"] * 3] * 60):
            if turns:
                self.act("click", "--repeat", str(len(turns)), "--delay", "8", turns[0])
            place = self.widget(name)
            if place:
                return place
        raise Failure(f"there is no widget {name}; there are {sorted(self.state()['widgets'])}")

    def middle(self, name, panel=None):
        place = self.widget(name) if panel is None else self.reach(name, panel)
        if place is None:
            place = self.wait(lambda s: name in s["widgets"], f"the widget {name}")["widgets"][name]
        x, y, width, height = place
        return x + width / 2, y + height / 2

    def click(self, name, panel=None, button=1):
        self.click_at(*self.middle(name, panel), button)

    def choose(self, name, value, panel):
        """Picks a name from a combo box."""
        self.click(name, panel)
        self.click(f"{name}={value}")

    def enter(self, name, text, panel, along=0.5):
        """Types a value into a slider after a control-click that far along it."""
        x, y, width, height = self.reach(name, panel)
        self.move(x + width * along, y + height / 2)
        self.settle()
        self.act("keydown", "ctrl")
        self.press()
        self.release()
        self.act("keyup", "ctrl")
        self.select_all()
        self.type(text)
        self.key("Return")

    def point_on_top(self, free=True):
        """A vertex of the cloth that the pointer can pick."""
        state = self.wait(lambda s: any(p["top"] for p in s["sides"][0]["points"]), "a vertex in sight")
        points = [p for p in state["sides"][0]["points"] if p["top"]]
        return points[len(points) // 2]

    def shot(self, name):
        folder = os.environ.get("TELAR_TEST_SHOTS")
        if folder:
            os.makedirs(folder, exist_ok=True)
            run("import", "-window", "root", os.path.join(folder, name + ".png"))

    # ---- the end -------------------------------------------------------------------------------------------------

    def close(self):
        """Closes the window with Escape and checks that it exited cleanly."""
        errors = self.state()["gl_errors"]
        for _ in range(5):
            if self.process.poll() is not None:
                break
            self.escape()
            try:
                self.process.wait(0.4)
            except subprocess.TimeoutExpired:
                pass
        self.end(errors)

    def escape(self):
        """Escape when the studio may have exited afterwards."""
        run("xdotool", "key", "Escape")

    def wait_for_end(self):
        try:
            return self.process.wait(60 * PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Failure("the studio does not close") from None

    def end(self, errors=0):
        code = self.wait_for_end()
        shutil.rmtree(self.folder, ignore_errors=True)
        if errors:
            raise Failure(f"{errors} OpenGL errors")
        if code != 0:
            raise Failure(f"the studio ended with {code}")


def check(truth, what):
    if not truth:
        raise Failure(what)


def main(*tests):
    """Runs the tests one after the other; each is named after the behaviour it tests."""
    failed = 0
    for test in tests:
        try:
            began = time.monotonic()
            test()
            print(f"ok    {test.__name__} ({time.monotonic() - began:.1f} s)", flush=True)
        except (Failure, subprocess.CalledProcessError) as reason:
            failed += 1
            print(f"FAIL  {test.__name__}: {reason}", flush=True)
    for process in STARTED: # left over by a failed test
        if process.poll() is None:
            process.kill()
    sys.exit(1 if failed else 0)
