#!/usr/bin/env python3
"""`telar garment` from the outside: what it prints and writes, and its exit codes.

    test_garment.py TELAR DATA     TELAR is the program, DATA the folder tests/data
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

TELAR = pathlib.Path("telar")
DATA = pathlib.Path("data")
DRAFTS = ("tank-top", "t-shirt", "trousers", "skirt", "dress", "poncho", "cape", "jacket")


def garment(*arguments):
    done = subprocess.run([str(TELAR), "garment", *map(str, arguments)], capture_output=True, timeout=100, check=False)
    done.out = done.stdout.decode("utf-8")
    done.err = done.stderr.decode("utf-8")
    return done


class Garment(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="telar-garment-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.kinds = DATA / "patterns" / "kinds.json"

    def test_info_lists_panels_seams_and_anchors(self):
        done = garment("info", self.kinds)
        self.assertEqual(done.returncode, 0, done.err)
        self.assertIn("front: 12 edges", done.out)
        self.assertIn("of denim", done.out)
        self.assertRegex(done.out, r"seam 5: front edge 0 \(10\.0 cm\) – tab edge 2 \(10\.0 cm\), mismatch 0\.0 %, elastic")
        self.assertIn("3 panels", done.out)
        seams = json.loads(garment("info", self.kinds, "--json").out)["seams"]
        self.assertEqual(len(seams), 6)

    def test_check_names_a_seam_in_a_wrong_direction(self):
        self.assertIn("no faults", garment("check", self.kinds).out)
        turned = json.loads(self.kinds.read_text())
        turned["pattern"]["stitches"][0].append("right_wrong")
        file = self.folder / "turned.json"
        file.write_text(json.dumps(turned))
        done = garment("check", file)
        self.assertEqual(done.returncode, 2)
        self.assertIn("stitch 0 (panel 'front' edge 1, panel 'back' edge 10)", done.out)

    def test_mesh_writes_placed_panels_with_the_pattern_as_texture(self):
        out = self.folder / "shirt.obj"
        done = garment("mesh", "t-shirt", "--edge", "20mm", "--out", out)
        self.assertEqual(done.returncode, 0, done.err)
        vertices = int(re.match(r"(\d+) vertices", done.out)[1])
        lines = out.read_text().splitlines()
        self.assertEqual(sum(line.startswith("v ") for line in lines), vertices)
        self.assertEqual(sum(line.startswith("vt ") for line in lines), vertices)
        self.assertIn("g left_sleeve_f", lines)
        for wrong in ("0mm", "10furlong", "5m"):
            self.assertEqual(garment("mesh", "t-shirt", "--edge", wrong).returncode, 2)
        self.assertEqual(garment("mesh", "t-shirt", "--edge", "20mm", "--lattice", "hexagons").returncode, 2)
        self.assertEqual(garment("mesh", "t-shirt", "--edge", "20mm", "--lattice", "squares").returncode, 0)

    def test_draw_is_svg_with_every_panel(self):
        out = self.folder / "kinds.svg"
        self.assertEqual(garment("draw", self.kinds, "--out", out).returncode, 0)
        root = xml.etree.ElementTree.parse(out).getroot()
        texts = {element.text for element in root.iter("{http://www.w3.org/2000/svg}text")}
        self.assertLessEqual({"front", "back", "tab", "0: 40.0", "5: 10.0"}, texts)
        self.assertEqual(garment("draw", self.kinds).returncode, 2)

    def assert_same(self, given, stored, where):
        """Numbers agree but for the last digits: patterns/ is written in single precision."""
        if isinstance(stored, dict):
            self.assertEqual(sorted(given), sorted(stored), where)
            for key, value in stored.items():
                self.assert_same(given[key], value, f"{where}.{key}")
        elif isinstance(stored, list):
            self.assertEqual(len(given), len(stored), where)
            for k, value in enumerate(stored):
                self.assert_same(given[k], value, f"{where}[{k}]")
        elif isinstance(stored, (int, float)) and not isinstance(stored, bool):
            self.assertAlmostEqual(given, stored, delta=1e-3 + 1e-5 * abs(stored), msg=where)
        else:
            self.assertEqual(given, stored, where)

    def test_stored_patterns_are_what_drafts_give(self):
        for name in DRAFTS:
            out = self.folder / f"{name}.json"
            done = garment("draft", name, "--out", out)
            self.assertEqual(done.returncode, 0, done.err)
            stored = json.loads((DATA.parent.parent / "patterns" / f"{name}.json").read_text())
            self.assert_same(json.loads(out.read_text()), stored, name)

    def test_drafts_follow_measures(self):
        measures = self.folder / "ana.json"
        measures.write_text('{"height": 1.6, "bust": 0.88}')
        small, large = self.folder / "small.json", self.folder / "large.json"
        self.assertEqual(garment("draft", "t-shirt", "--measures", measures, "--out", small).returncode, 0)
        self.assertEqual(garment("draft", "t-shirt", "--set", "bust=1.2", "--set", "height=1.9", "--out", large).returncode, 0)

        def area(file):
            return json.loads(garment("info", file, "--json").out)["area"]
        self.assertGreater(area(large), 1.3 * area(small))
        measures.write_text('{"heigt": 1.6}')
        done = garment("draft", "t-shirt", "--measures", measures, "--out", small)
        self.assertEqual(done.returncode, 2)
        self.assertIn("'height'", done.err)

    def test_drawings_are_imported(self):
        for name, panels in (("bag.svg", 3), ("pieces.dxf", 2)):
            out = self.folder / f"{name}.json"
            done = garment("import", DATA / "patterns" / name, "--out", out)
            self.assertEqual(done.returncode, 0, done.err)
            self.assertEqual(len(json.loads(out.read_text())["pattern"]["panels"]), panels)
            self.assertEqual(garment("check", out).returncode, 0)
        self.assertEqual(garment("import", DATA / "patterns" / "bag.svg").returncode, 2)

    def test_a_worn_mesh_is_flattened(self):
        worn, flat = self.folder / "worn.obj", self.folder / "flat.json"
        self.assertEqual(garment("mesh", "skirt", "--edge", "20mm", "--out", worn).returncode, 0)
        done = garment("flatten", worn, "--out", flat)
        self.assertEqual(done.returncode, 0, done.err)
        area = [json.loads(garment("info", name, "--json").out)["area"] for name in ("skirt", flat)]
        self.assertAlmostEqual(area[0], area[1], delta=0.01 * area[0])

    def test_mistakes_are_named(self):
        for arguments, words in ((["drow", "skirt"], "'draw'"), (["info"], "which PATTERN"), ([], "do what"),
                                 (["draft", "tshirt"], "'t-shirt'"), (["info", "skirt", "--edgee", "1"], "--edge"),
                                 (["info", self.folder / "none.json"], "none.json"), (["info", DATA / "full.json"], "not a sewing pattern")):
            done = garment(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(words, done.err)


if __name__ == "__main__":
    TELAR, DATA = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
