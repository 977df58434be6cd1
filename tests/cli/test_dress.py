#!/usr/bin/env python3
"""`telar dress` from the outside: report, files and exit codes.

    test_dress.py TELAR     TELAR is the program
"""
import json
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TELAR = pathlib.Path("telar")


def dress(*arguments):
    done = subprocess.run([str(TELAR), "dress", *map(str, arguments)], capture_output=True, timeout=280, check=False)
    done.out = done.stdout.decode("utf-8")
    done.err = done.stderr.decode("utf-8")
    return done


def write_ball(path, radius, height, rings=14, around=28):
    """A closed ball of triangles around (0, height, 0)."""
    lines = [f"v 0 {height - radius} 0"]
    for i in range(1, rings):
        y, r = -radius * math.cos(math.pi * i / rings), radius * math.sin(math.pi * i / rings)
        for j in range(around):
            lines.append(f"v {r * math.sin(2 * math.pi * j / around):.6f} {height + y:.6f} {r * math.cos(2 * math.pi * j / around):.6f}")
    lines.append(f"v 0 {height + radius} 0")
    last = 2 + (rings - 1) * around

    def at(i, j):
        return 2 + i * around + j % around
    for j in range(around):
        lines.append(f"f 1 {at(0, j + 1)} {at(0, j)}")
        for i in range(rings - 2):
            lines.append(f"f {at(i, j)} {at(i, j + 1)} {at(i + 1, j + 1)}")
            lines.append(f"f {at(i, j)} {at(i + 1, j + 1)} {at(i + 1, j)}")
        lines.append(f"f {at(rings - 2, j)} {at(rings - 2, j + 1)} {last}")
    path.write_text("\n".join(lines) + "\n")


def write_tube(path, z):
    """Two panels of 80 × 40 cm, sewn at their sides."""
    edges = [{"endpoints": [k, (k + 1) % 4]} for k in range(4)]
    front = {"vertices": [[-40, 0], [40, 0], [40, 40], [-40, 40]], "edges": edges, "translation": [0, 105, z], "rotation": [0, 0, 0]}
    back = dict(front, vertices=[[-40, 0], [-40, 40], [40, 40], [40, 0]], translation=[0, 105, -z])
    stitches = [[{"panel": "front", "edge": 1}, {"panel": "back", "edge": 2}],
                [{"panel": "front", "edge": 3}, {"panel": "back", "edge": 0}]]
    path.write_text(json.dumps({"pattern": {"panels": {"front": front, "back": back}, "stitches": stitches},
                                "properties": {"units_in_meter": 100, "curvature_coords": "relative"}}))


class Dress(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="telar-dress-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_a_tube_on_a_ball_is_worn_and_reported(self):
        ball, tube, worn = self.folder / "ball.obj", self.folder / "tube.json", self.folder / "worn.obj"
        write_ball(ball, 0.3, 1)
        write_tube(tube, 40)
        strip = self.folder / "strip.png"
        done = dress(tube, "--on", ball, "--edge", "70mm", "--out", worn, "--strip", strip, "--json", "--quiet")
        self.assertEqual(done.returncode, 0, done.err)
        # placed, half closed, sewn and settled: four pictures side by side, since a ball has no flesh to grow
        picture = strip.read_bytes()
        self.assertEqual(picture[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual((int.from_bytes(picture[16:20], "big"), int.from_bytes(picture[20:24], "big")), (4 * 480, 720))
        report = json.loads(done.out)[0]
        self.assertTrue(report["worn"] and report["merged"])
        for name in ("crossings", "inside", "body_crossings"):
            self.assertEqual(report[name], 0, name)
        self.assertLessEqual(report["stretch_p99"], 0.05)
        self.assertLessEqual(report["stretch_max"], 0.12)
        self.assertLess(report["rms_speed"], 0.008)
        self.assertGreaterEqual(report["seconds"], sum(phase["seconds"] for phase in report["phases"].values()) - 0.05)
        self.assertEqual(list(report["phases"]), ["place", "sew", "merge", "grow", "settle"])
        self.assertGreater(report["seam_gap_mm"], 0)
        self.assertIn("vt ", worn.read_text())

    @unittest.skipUnless(shutil.which("ffmpeg"), "clips need ffmpeg")
    def test_phases_become_a_clip(self):
        ball, tube, clip = self.folder / "ball.obj", self.folder / "tube.json", self.folder / "clip.mp4"
        write_ball(ball, 0.3, 1)
        write_tube(tube, 40)
        done = dress(tube, "--on", ball, "--edge", "90mm", "--video", clip, "--json", "--quiet")
        report = json.loads(done.out)[0]
        probe = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames,width", "-of",
                                "csv=p=0", str(clip)], capture_output=True, check=True)
        width, frames = map(int, probe.stdout.split(b","))
        self.assertEqual(width, 480)
        self.assertEqual(frames, report["frames"] + 60)  # the placed panels, every frame but the last, and a second of the end
        self.assertEqual(dress(tube, "--on", ball, "--video", self.folder / "clip.doc").returncode, 1)

    def test_mistakes_are_named(self):
        tube, open_mesh = self.folder / "tube.json", self.folder / "open.obj"
        write_tube(tube, 40)
        open_mesh.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        for arguments, words in (([], "which PATTERN"), ([tube, "--on", "humen"], "'human'"), (["tshirt"], "tshirt"),
                                 ([tube, "--on", open_mesh], "not closed"), ([tube, "--edge", "-1mm"], "--edge"),
                                 ([tube, "--set", "heigt=1"], "'height'"), ([tube, "--bodyy", "x"], "--body"),
                                 ([self.folder / "none.json"], "none.json"),
                                 ([tube, "--set", "leg_circ=1.5"], "thigh")):
            done = dress(*arguments)
            self.assertEqual(done.returncode, 2, (arguments, done.err))
            self.assertIn(words, done.err)


if __name__ == "__main__":
    TELAR = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=1)
