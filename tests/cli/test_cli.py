#!/usr/bin/env python3
"""The telar program from the outside: exit codes, messages, files. Exit code 0 is success, 1 failure, 2 wrong usage or
input.

    test_cli.py TELAR DATA [NAME...]     TELAR is the program, DATA the folder tests/data; NAME selects single tests
"""
import json
import os
import pathlib
import re
import shutil
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import time
import unittest

TELAR = pathlib.Path("telar")
DATA = pathlib.Path("data")
DOCS = pathlib.Path("docs")

SMALL = {"scene": {"title": "Small", "description": "A small sheet.", "frames": 6, "fps": 60},
         "cloth": [{"columns": 7, "rows": 5, "width": 1, "height": 0.7, "center": [0, 1, 0], "substeps": 4, "stepper": "xpbd"}],
         "body": [{"shape": "sphere", "position": [0, 0.4, 0]}]}


COMMANDS = ("run", "render", "studio", "list", "info", "scene", "validate", "experiment", "bench")


def telar(*arguments, folder=None, **options):
    done = subprocess.run([str(TELAR), *map(str, arguments)], capture_output=True, cwd=folder, timeout=250, **options)
    done.out = done.stdout.decode("utf-8")
    done.err = done.stderr.decode("utf-8")
    return done


def pc2_header(path):
    """vertices, frames"""
    magic, version, vertices, start, rate, frames = struct.unpack("<12siiffi", path.read_bytes()[:32])
    assert magic == b"POINTCACHE2\0" and version == 1, (magic, version)
    return vertices, frames


def mdd_header(path):
    frames, vertices = struct.unpack(">ii", path.read_bytes()[:8])
    return vertices, frames


class Cli(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.scene = self.folder / "small.json"
        self.scene.write_text(json.dumps(SMALL))

    def tearDown(self):
        self.temporary.cleanup()

    def expect(self, code, done, *parts):
        """Checks the exit code, and that standard error has these parts in order."""
        self.assertEqual(done.returncode, code, done.out[-2000:] + done.err[-2000:])
        self.assertNotIn("Sanitizer", done.err)
        at = 0
        for part in parts:
            found = done.err.find(str(part), at)
            self.assertGreaterEqual(found, 0, f"no '{part}' in: {done.err}")
            at = found + len(str(part))

    # ---- usage ---------------------------------------------------------------------------------------------------

    def test_version_is_one_line(self):
        done = telar("--version")
        self.expect(0, done)
        self.assertRegex(done.out, r"^telar \d+\.\d+\.\d+ \((single|double) precision\)\n$")

    def test_help_names_every_command(self):
        for flag in ("--help", "-h"):
            done = telar(flag)
            self.expect(0, done)
            for command in COMMANDS:
                self.assertIn(f"telar {command} ", done.out)
        self.assertEqual(telar("help").out, done.out)

    def test_every_command_has_help(self):
        for command in COMMANDS:
            for arguments in ([command, "--help"], [command, "nonsense", "--help"], ["help", command]):
                done = telar(*arguments)
                self.expect(0, done)
                self.assertTrue(done.out.startswith(f"telar {command} "), done.out)
                self.assertGreater(len(done.out.splitlines()), 2)

    def test_nothing_at_all_shows_usage(self):
        self.expect(2, telar(), "telar run")

    def test_unknown_command(self):
        self.expect(2, telar("dance"), "telar: there is no command 'dance'", "telar run")

    def test_mistyped_words_get_the_nearest_one(self):
        for arguments, nearest in ((["rnu"], "'run'"), (["help", "bnech"], "'bench'"), (["hlep"], "'help'"),
                                   (["run", "--frmaes", "3"], "--frames"), (["studio", "--no-rember"], "--no-remember"),
                                   (["list", "stepers"], "'steppers'"), (["bench", "instnaces"], "'instances'"),
                                   (["validate", "motoin"], "'motion'"), (["validate", "motion.flal"], "'motion.fall'"),
                                   (["experiment", "s0/bned"], "'s0/bend'"), (["scene", "upgarde", "x"], "'upgrade'"),
                                   (["run", "s2/shpere"], "'s2/sphere'"),
                                   (["run", self.scene, "--set", "cloth[0].densty=1"], "'density'")):
            with self.subTest(arguments=arguments):
                self.expect(2, telar(*arguments), f"did you mean {nearest}?")
        self.assertNotIn("did you mean", telar("dance").err)

    def test_help_takes_one_command(self):
        self.expect(2, telar("help", "run", "list"), "one word too many: 'list'")

    def test_unknown_option(self):
        for command in ("run", "render", "validate", "experiment", "bench", "studio"):
            self.expect(2, telar(command, "--colour"), "telar: ", "--colour")

    def test_one_word_too_many(self):
        self.expect(2, telar("run", "a", "b"), "one word too many: 'b'", "usage: telar run")
        self.expect(2, telar("info", "a", "b"), "one word too many: 'b'")
        self.expect(2, telar("list", "scenes", "b"), "one word too many: 'b'")

    def test_option_without_its_value(self):
        for option in ("--frames", "--set", "--out", "--format", "--stats", "--trace"):
            self.expect(2, telar("run", option), f"{option} needs a value")

    def test_values_may_follow_an_equals_sign(self):
        done = telar("run", self.scene, "--frames=2", f"--out={self.folder / 'out'}", "--format=pc2",
                     "--set=cloth[0].columns=4")
        self.expect(0, done, "2 of 2 frames")
        self.assertEqual(pc2_header(self.folder / "out" / "cloth0.pc2"), (20, 3))

    def test_wrong_frames(self):
        for value in ("-1", "many", "1.5", "10000000", ""):
            self.expect(2, telar("run", self.scene, "--frames", value), "--frames", "is not a whole number from 0 to")

    def test_wrong_format(self):
        self.expect(2, telar("run", self.scene, "--format", "obj,stl"), "'stl' is none of obj, pc2, mdd")

    # ---- list and info -------------------------------------------------------------------------------------------

    def test_list_scenes(self):
        done = telar("list", "scenes")
        self.expect(0, done)
        lines = done.out.splitlines()
        self.assertGreater(len(lines), 25)
        for name in ("default ", "s2/sphere ", "s3/flag ", "s0/sheet-box "):
            self.assertTrue(any(line.startswith(name) for line in lines), name)

    def test_list_names(self):
        for what, name in (("steppers", "verlet"), ("elements", "link.structural"), ("materials", "springs20"),
                           ("contacts", "bodies-only"), ("shapes", "capsule"), ("experiments", "s0/stretch"), ("laws", "motion.fall"), ("benches", "folds")):
            done = telar("list", what)
            self.expect(0, done)
            self.assertRegex(done.out, rf"(?m)^{re.escape(name)} +[A-Z].+\.$")

    def test_list_parameters_is_a_table(self):
        done = telar("list", "parameters")
        self.expect(0, done)
        self.assertIn("| density | kg/m² | 0.2 |", done.out)
        self.assertTrue(all(line.count("|") >= 7 for line in done.out.splitlines() if line.startswith("| ")))

    def test_list_schema_is_json(self):
        done = telar("list", "schema")
        self.expect(0, done)
        self.assertIn("properties", json.loads(done.out))

    def test_list_of_nothing(self):
        done = telar("list")
        self.expect(0, done)
        for line in done.out.splitlines():
            self.assertRegex(line, r"^[a-z]+ +[A-Z].+\.$")
            self.expect(0, telar("list", line.split()[0]))
        self.expect(2, telar("list", "colours"), "there is no list of 'colours'", "scenes")

    def test_info_on_scene_mesh_and_cache(self):
        done = telar("info", self.scene)
        self.expect(0, done)
        self.assertIn("Small\nA small sheet.\n6 frames at 60 per second\n", done.out)
        self.assertIn("35 particles", done.out)
        self.assertIn("sphere", done.out)
        done = telar("info", DATA / "meshes" / "seam.obj")
        self.expect(0, done)
        self.assertRegex(done.out, r"mesh of \d+ vertices \(\d+ particles after welding\), \d+ triangles")
        self.expect(0, telar("run", self.scene, "--out", self.folder, "--format", "pc2,mdd"))
        for ending in ("pc2", "mdd"):
            done = telar("info", self.folder / f"cloth0.{ending}")
            self.expect(0, done)
            rate = ", 60 frames per second" if ending == "mdd" else ""  # PC2 does not store it
            self.assertEqual(done.out, f"cache of 35 vertices, 7 frames{rate}\n")

    def test_info_on_every_scene_that_comes_with_telar(self):
        for line in telar("list", "scenes").out.splitlines():
            done = telar("info", line.split()[0])
            self.expect(0, done)
            self.assertIn("particles", done.out)

    def test_info_on_nothing(self):
        self.expect(2, telar("info"), "info on what? FILE")
        for name in ("nowhere.obj", "nowhere.pc2", "nowhere.json", "nowhere"):
            self.expect(2, telar("info", name), f"telar: {name}: ")

    def test_info_on_broken_caches(self):
        broken = self.folder / "broken.pc2"
        for content in (b"", b"POINTCACHE2\0", b"POINTCACHE3\0" + bytes(20), bytes(100),
                        struct.pack("<12siiffi", b"POINTCACHE2\0", 1, -5, 0, 1, 3),
                        struct.pack("<12siiffi", b"POINTCACHE2\0", 1, 2**31 - 1, 0, 1, 2**31 - 1)):
            broken.write_bytes(content)
            self.expect(2, telar("info", broken), "broken.pc2: ")

    # ---- run -----------------------------------------------------------------------------------------------------

    def test_run_writes_the_requested_files(self):
        out = self.folder / "deep" / "out"
        stats = self.folder / "stats.csv"
        done = telar("run", self.scene, "--out", out, "--format", "obj,pc2,mdd", "--stats", stats)
        self.expect(0, done, "Small: 6 of 6 frames", "frame00000.obj … frame00006.obj", "cloth0.pc2", "cloth0.mdd", "stats.csv")
        self.assertEqual(done.out, "")
        self.assertEqual(len(list(out.glob("*.obj"))), 7)
        text = (out / "frame00006.obj").read_text()
        self.assertEqual(len(re.findall(r"(?m)^v ", text)), 35)
        self.assertEqual(len(re.findall(r"(?m)^f ", text)), 2 * 6 * 4)
        self.assertEqual(pc2_header(out / "cloth0.pc2"), (35, 7))
        self.assertEqual((out / "cloth0.pc2").stat().st_size, 32 + 7 * 35 * 12)
        self.assertEqual(mdd_header(out / "cloth0.mdd"), (35, 7))
        self.assertEqual((out / "cloth0.mdd").stat().st_size, 8 + 4 * 7 + 7 * 35 * 12)
        rows = stats.read_text().splitlines()
        self.assertEqual(len(rows), 1 + 7)
        self.assertTrue(all(row.count(",") == rows[0].count(",") for row in rows))
        self.assertEqual(rows[7].split(",")[:2], ["6", "0.1"])

    def test_run_takes_frames_and_parameters(self):
        stats = self.folder / "s.csv"
        done = telar("run", self.scene, "--frames", 3, "--set", "cloth[0].substeps=9", "--set", "world.gravity=0,0,0",
                     "--set", "scene.fps=30", "--stats", stats)
        self.expect(0, done, "3 of 3 frames, 0.10 s")
        self.assertEqual(stats.read_text().splitlines()[-1].split(",")[3], "9")
        self.expect(0, telar("run", self.scene, "--frames", 0, "--quiet", "--out", self.folder, "--format", "pc2"))
        self.assertEqual(pc2_header(self.folder / "cloth0.pc2"), (35, 1))

    def test_run_says_when_a_method_is_far_from_the_material(self):
        strip = self.folder / "strip.json"
        stats = self.folder / "strip.csv"
        strip.write_text(json.dumps({
            "scene": {"title": "Strip", "frames": 40, "fps": 60},
            "cloth": [{"label": "strip", "columns": 3, "rows": 41, "width": 0.05, "height": 1, "fabric": "denim", "plane": "vertical",
                       "center": [0, 1, 0], "damping": 4, "pin": [{"where": "edge", "name": "top"}]}]}))
        far = telar("run", strip, "--set", "cloth[0].stepper=xpbd", "--set", "cloth[0].substeps=12", "--stats", stats)
        self.expect(0, far)
        self.assertRegex(far.err.splitlines()[-1], r"^strip: the method xpbd leaves the material's forces \d{3,} % out of balance: "
                         r"denim stretches and drapes otherwise; take stepper automatic or more substeps$")
        rows = [row.split(",") for row in stats.read_text().splitlines()]
        self.assertEqual(rows[0][-1], "material_error")
        self.assertGreater(float(rows[-1][-1]), 1)
        near = telar("run", strip, "--stats", stats)
        self.expect(0, near)
        self.assertNotIn("balance", near.err)
        self.assertLess(float(stats.read_text().splitlines()[-1].split(",")[-1]), 0.05)
        quiet = telar("run", strip, "--set", "cloth[0].stepper=xpbd", "--quiet")
        self.assertEqual(quiet.err, "")

    def test_hash_is_that_of_the_last_state(self):
        done = telar("run", self.scene, "--hash", "--quiet")
        self.expect(0, done)
        self.assertRegex(done.out, r"^[0-9a-f]{16}\n$")
        self.assertEqual(telar("run", self.scene, "--hash", "--set", "world.simd=scalar").out, done.out)
        self.assertNotEqual(telar("run", self.scene, "--hash", "--frames", 5).out, done.out)

    # the phases of penetration-free contact, in their order (src/contact/contact_method.c)
    PHASES = ["begin", "body candidates", "cloth candidates", "stack levels", "layer solve", "solve", "revert", "barrier",
              "damp resting", "end", "truncate"]

    def trace(self, frame, *arguments):
        """Rows of --trace, as (substep, cloth, name, count), and its sums, as {name: (times, share)}."""
        done = telar("run", self.scene, "--quiet", "--set", "cloth[0].contact=penetration-free", "--set", "cloth[0].label=sheet",
                     "--trace", frame, *arguments)
        self.expect(0, done)
        entries, sums = done.out.split("\nname ")
        rows = re.findall(r"(?m)^ +(-|\d+)  (\S+) +(\S+(?: \S+)*) +\d+\.\d{3}(?:  (\d+ [a-z ]+))?$", entries)
        sums = re.findall(r"(?m)^(\S+(?: \S+)*) +(\d*) +\d+\.\d{3} +(\d+\.\d) %$", sums)
        self.assertRegex(done.out, rf"^frame {frame.split(':')[0]}: \d+\.\d\d\d ms\n")
        return rows, {name: (int(times or 0), float(share)) for name, times, share in sums}

    def test_trace_has_every_phase_once_per_substep_in_order(self):
        rows, sums = self.trace("3:all")
        self.assertEqual([row[:3] for row in (rows[0], rows[-1])], [("-", "world", "pose"), ("-", "world", "finish")])
        self.assertEqual(rows[0][3], "1 bodies")
        for substep in range(4):
            names = [(cloth, name) for at, cloth, name, _ in rows if at == str(substep)]
            stages = len(names) - len(self.PHASES)
            self.assertEqual([name for _, name in names[stages:]], self.PHASES)
            self.assertEqual({cloth for cloth, _ in names[stages:]}, {"world"})
            self.assertEqual({cloth for cloth, _ in names[:stages]}, {"sheet"})
            self.assertEqual([name for _, name in names[:stages]].count("integrate"), 1)
        self.assertEqual([int(at) for at, *_ in rows[1:-1]], sorted(int(at) for at, *_ in rows[1:-1]))
        self.assertEqual(len(rows), 2 + 4 * (stages + len(self.PHASES)))
        for name in ("integrate", *self.PHASES):
            self.assertEqual(sums[name][0], 4)
        self.assertEqual((sums["pose"][0], sums["finish"][0]), (1, 1))
        self.assertAlmostEqual(sum(share for _, share in sums.values()), 100, delta=0.1 * len(sums))

    def test_trace_lists_the_first_substep_and_sums_all(self):
        rows, sums = self.trace("3")
        self.assertEqual({row[0] for row in rows}, {"-", "0"})
        self.assertEqual([name for at, cloth, name, _ in rows if cloth == "world"], ["pose", *self.PHASES, "finish"])
        self.assertEqual(sums["solve"][0], 4)

    def test_trace_runs_as_far_as_it_must_and_changes_nothing(self):
        done = telar("run", self.scene, "--frames", 1, "--trace", 8)
        self.expect(0, done, "8 of 8 frames")
        self.assertTrue(done.out.startswith("frame 8: "))
        plain = telar("run", self.scene, "--quiet", "--hash").out
        self.assertTrue(telar("run", self.scene, "--quiet", "--hash", "--trace", 2).out.endswith("\n" + plain))

    def test_wrong_trace(self):
        for value in ("0", "many", "1.5", "", ":all"):
            self.expect(2, telar("run", self.scene, "--trace", value), "--trace", "is not a whole number from 1 to")
        for value in ("2:some", "2:", "2:all:all"):
            self.expect(2, telar("run", self.scene, "--trace", value), f"--trace: '{value}' is not FRAME or FRAME:all")

    def test_quiet_says_nothing(self):
        done = telar("run", self.scene, "--quiet")
        self.expect(0, done)
        self.assertEqual(done.err + done.out, "")

    def test_the_same_run_writes_the_same_bytes(self):
        for name in ("a", "b"):
            self.expect(0, telar("run", self.scene, "--out", self.folder / name, "--format", "pc2,obj", "--quiet"))
        for name in ("cloth0.pc2", "frame00006.obj"):
            self.assertEqual((self.folder / "a" / name).read_bytes(), (self.folder / "b" / name).read_bytes())

    def test_unknown_scene(self):
        self.expect(2, telar("run", "s2/spher"), "s2/spher: there is no such file", "did you mean 's2/sphere'?")
        self.expect(2, telar("render", "nowhere", "--out", "x.png"), "nowhere: there is no such file")

    def test_wrong_parameters(self):
        for assignment, parts in (
                ("cloth[0].density", ["is not PATH=VALUE"]),
                ("cloth[0].density=-1", ["cloth[0].density: -1 is below", "kg/m²"]),
                ("cloth[0].density=heavy", ["cloth[0].density: ", "number from 1e-06 to 1000 kg/m²"]),
                ("cloth[0].substeps=20000", ["cloth[0].substeps: 20000 is above 10000"]),
                ("cloth[0].stepper=magic", ["cloth[0].stepper: 'magic' is not one of", "verlet"]),
                ("cloth[0].colour=red", ["cloth[0].colour", "no such parameter"]),
                ("cloth[7].density=1", ["cloth[7]"]),
                ("sun.size=1", ["sun"]),
                ("world.gravity=1,2", ["world.gravity: ", "three numbers"]),
                ("light.shadows=perhaps", ["light.shadows: ", "true or false"]),
                ("=1", [])):
            self.expect(2, telar("run", self.scene, "--set", assignment), "--set", *parts)

    def test_a_method_that_cannot_be_built(self):
        self.expect(2, telar("run", self.scene, "--set", "cloth[0].schedule=model contact"), "schedule: without 'integrate'")

    def test_folder_that_cannot_be_written(self):
        blocker = self.folder / "file"
        blocker.write_text("not a folder")
        self.expect(1, telar("run", self.scene, "--out", blocker, "--format", "obj"), "file: ")
        done = telar("run", self.scene, "--out", blocker / "below", "--format", "pc2")
        self.expect(1, done, "file")
        self.assertNotIn("cloth0.pc2", done.err)  # nothing was written, nothing is reported
        self.expect(1, telar("run", self.scene, "--stats", self.folder / "no" / "stats.csv"), "stats.csv: No such file")
        if os.geteuid() != 0:
            locked = self.folder / "locked"
            locked.mkdir(mode=stat.S_IRUSR | stat.S_IXUSR)
            self.expect(1, telar("run", self.scene, "--out", locked, "--format", "pc2"), "locked")

    def test_full_disk(self):
        if not pathlib.Path("/dev/full").exists():
            self.skipTest("no /dev/full")
        out = self.folder / "out"
        out.mkdir()
        (out / "cloth0.pc2").symlink_to("/dev/full")
        self.expect(1, telar("run", self.scene, "--out", out, "--format", "pc2"), "cloth0.pc2")
        self.expect(1, telar("run", self.scene, "--stats", "/dev/full"), "/dev/full")

    def test_unstable_frames_fail_and_say_so(self):
        done = telar("run", self.scene, "--frames", 20, "--set", "cloth[0].stepper=explicit-euler", "--set", "cloth[0].ripple=0.05",
                     "--set", "cloth[0].link.structural.stiffness=1e6", "--set", "cloth[0].substeps=1")
        self.expect(1, done, "became unstable", "take more substeps", "20 of 20 frames", "frames were unstable and rolled back")

    def interrupt(self, number, *arguments):
        for old in self.folder.glob("cloth0.*"):
            old.unlink()
        process = subprocess.Popen([str(TELAR), "run", str(self.scene), "--frames", "1000000", "--out", str(self.folder), *arguments],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        cache = self.folder / "cloth0.pc2"
        end = time.monotonic() + 60
        while time.monotonic() < end and not (cache.exists() and cache.stat().st_size > 32 + 5 * 35 * 12):
            time.sleep(0.02)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
        return process.returncode, err.decode("utf-8")

    def test_an_interrupted_run_leaves_readable_files(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            code, err = self.interrupt(number, "--format", "pc2,mdd", "--stats", str(self.folder / "s.csv"))
            self.assertEqual(code, 1, err)
            found = re.search(r"interrupted after frame (\d+); all files written so far are readable", err)
            self.assertTrue(found, err)
            frames = int(found.group(1)) + 1
            self.assertIn(f"{frames - 1} of 1000000 frames", err)
            for ending in ("pc2", "mdd"):
                done = telar("info", self.folder / f"cloth0.{ending}")
                self.expect(0, done)
                self.assertIn(f"cache of 35 vertices, {frames} frames", done.out)
            self.assertEqual(len((self.folder / "s.csv").read_text().splitlines()), 1 + frames)

    def test_a_killed_run_leaves_readable_caches(self):
        code, _ = self.interrupt(signal.SIGKILL, "--format", "pc2,mdd")
        self.assertEqual(code, -signal.SIGKILL)
        for ending in ("pc2", "mdd"):
            done = telar("info", self.folder / f"cloth0.{ending}")
            self.expect(0, done)
            self.assertGreaterEqual(int(re.search(r"(\d+) frames", done.out).group(1)), 5)

    def test_lines_instead_of_a_bar_where_there_is_no_terminal(self):
        done = telar("run", self.scene)
        self.expect(0, done, "simulating 6/6")
        self.assertNotIn("\r", done.err)

    # ---- broken files --------------------------------------------------------------------------------------------

    def test_broken_scenes_name_file_place_and_reason(self):
        scenes = sorted((DATA / "broken").glob("*.json"))
        self.assertGreater(len(scenes), 20)
        for scene in scenes:
            for command in (["info", scene], ["run", scene, "--frames", 1]):
                with self.subTest(scene=scene.name, command=command[0]):
                    done = telar(*command)
                    self.expect(2, done, "telar: ", scene.name)
                    # file, then a line or a path, then a reason
                    self.assertRegex(done.err, re.escape(scene.name) + r":(\d+:| ?[a-z]+(\[\d+\])?[.:]).*[a-zA-Z]{3,}")

    def test_broken_meshes_name_file_place_and_reason(self):
        meshes = [path for path in sorted((DATA / "broken").iterdir()) if path.suffix in (".obj", ".ply", ".gltf")]
        self.assertGreater(len(meshes), 15)
        for mesh in meshes:
            if mesh.name == "no_uv.obj":  # broken only as a pattern
                continue
            with self.subTest(mesh=mesh.name):
                self.expect(2, telar("info", mesh), "telar: ", mesh.name, ": ")
                scene = dict(SMALL, cloth=[{"mesh": {"file": str(mesh.resolve())}}])
                self.scene.write_text(json.dumps(scene))
                self.expect(2, telar("run", self.scene, "--frames", 1), "small.json: cloth[0].mesh.file: ", mesh.name)

    def test_a_mesh_of_unlikely_size_is_asked_for_its_unit(self):
        (self.folder / "shirt.obj").write_text("v 0 0 0\nv 1800 0 0\nv 0 900 0\nv 1800 900 0\nf 1 2 3\nf 2 4 3\n")
        self.scene.write_text(json.dumps({"cloth": [{"mesh": {"file": "shirt.obj"}}]}))
        asked = "telar: cloth is 1800 m wide: is its mesh in millimetres? set cloth[0].mesh.scale to 0.001\n"
        for command in (("run", self.scene, "--frames", 2), ("info", self.scene)):
            done = telar(*command)
            self.expect(0, done)
            self.assertEqual(done.err.count(asked), 1, done.err)
        self.assertEqual(telar("run", self.scene, "--frames", 2, "--quiet").err, "")
        scaled = telar("run", self.scene, "--frames", 2, "--set", "cloth[0].mesh.scale=0.001")
        self.expect(0, scaled)
        self.assertNotIn("wide", scaled.err)

    # ---- scenes of earlier versions ------------------------------------------------------------------------------

    def test_old_names_are_refused_and_upgraded(self):
        scene = json.loads(json.dumps(SMALL))
        scene["cloth"][0].update({"hold": {"attachments": False, "repeats": 1}, "limit": {"on": True, "warp": 0.01},
                                  "layers": {"gap": 0.02}, "contact": "fast", "pin": [{}]})
        scene["world"] = {"lanes": "plain"}
        self.scene.write_text(json.dumps(scene, indent=2))
        self.expect(2, telar("run", self.scene), "small.json:", "world.lanes: renamed to 'simd'", "telar scene upgrade")
        self.expect(2, telar("run", "--set", "cloth[0].hold.coarse=false"), "renamed to 'multilevel.on'")
        done = telar("scene", "upgrade", self.scene)
        self.expect(0, done)
        self.assertIn("cloth[0].hold.attachments → tether.on\n", done.out)
        self.assertIn('cloth[0].contact "fast" → "self-collision"\n', done.out)
        upgraded = telar("run", self.scene, "--hash", "--quiet")
        self.expect(0, upgraded)
        for old in ("hold", "limit", "layers", "contact"):
            del scene["cloth"][0][old]
        scene["cloth"][0].update({"tether": {"on": False}, "extra_sweeps": 1, "strain_limit": {"on": True, "warp": 0.01},
                                  "cloth_gap": 0.02, "contact": "self-collision"})
        scene["world"] = {"simd": "scalar"}
        self.assertEqual(json.loads(self.scene.read_text()), scene)
        other = self.folder / "other.json"
        other.write_text(json.dumps(scene))
        self.assertEqual(telar("run", other, "--hash", "--quiet").out, upgraded.out)

    def test_upgrade_of_a_current_scene_changes_nothing(self):
        before = self.scene.read_bytes(), self.scene.stat().st_mtime_ns
        done = telar("scene", "upgrade", self.scene)
        self.expect(0, done)
        self.assertIn("nothing to change", done.out)
        self.assertEqual((self.scene.read_bytes(), self.scene.stat().st_mtime_ns), before)

    def test_upgrade_leaves_what_it_cannot_upgrade(self):
        good = self.folder / "good.json"
        for text in ('{"cloth": [{"hold": {"coarse": true}', '{"body": [{"held": 3}]}'):
            self.scene.write_text(text)
            good.write_text('{"body": [{"held": true}]}')
            self.expect(2, telar("scene", "upgrade", self.scene, good), "small.json:1")
            self.assertEqual(self.scene.read_text(), text)
            self.assertEqual(good.read_text(), '{"body": [{"kinematic": true}]}')
        self.expect(2, telar("scene"), "upgrade FILE")
        self.expect(2, telar("scene", "upgrade"), "which FILE?")
        self.expect(2, telar("scene", "upgrade", "nowhere.json"), "nowhere.json")
        self.expect(2, telar("scene", "upgrade", "--all"), "no option --all")
        if os.geteuid() != 0:
            self.folder.chmod(0o500)
            self.addCleanup(self.folder.chmod, 0o700)
            good.write_text('{"body": [{"held": true}]}')
            self.expect(1, telar("scene", "upgrade", good), "cannot be written")
            self.assertEqual(good.read_text(), '{"body": [{"held": true}]}')

    def test_scenes_that_come_with_telar_are_current(self):
        scenes = sorted((DOCS.parent / "scenes").glob("**/*.json"))
        copies = []
        for k, scene in enumerate(scenes):
            copies.append(self.folder / f"{k}.json")
            copies[-1].write_bytes(scene.read_bytes())
        done = telar("scene", "upgrade", *copies)
        self.expect(0, done)
        self.assertEqual(done.out.count("nothing to change"), len(scenes), done.out)

    # ---- validate, experiment and bench: output and exit codes; their figures are tested elsewhere ---------------------

    def test_experiment_writes_table_and_curves(self):
        done = telar("experiment", "s0/stretch", "--quick", "--out", self.folder / "studies")
        self.expect(0, done)
        self.assertRegex(done.out, r"(?m)^s0/stretch: .+\.$")
        self.assertRegex(done.out, r"(?m)^ +published +ours$")
        self.assertRegex(done.out, r"(?m)^  holds: 4\.7: more iterations, less stretch")
        study = self.folder / "studies" / "s0" / "stretch"
        for name in ("table", "iterations", "resolution"):
            self.assertGreater(len((study / f"{name}.csv").read_text().splitlines()), 3)
        self.assertTrue((study / "table.csv").read_text().startswith("what,published,ours,unit\n"))
        page = (study / "report.md").read_text()
        self.assertTrue(page.startswith("## s0/stretch\n"))
        self.assertRegex(page, r"(?m)^\| 4\.7: .+ \| too much \| [0-9.]+ % \|$")
        self.assertRegex(page, r"(?m)^- holds: 4\.7: more iterations, less stretch")
        if shutil.which("gnuplot"):
            self.assertIn("](iterations.png)", page)

    def test_page_of_experiments_has_every_study(self):
        """Figures are those of the last `make experiments`; studies, their sentences and their pictures must be there."""
        page = (DOCS / "experiments.md").read_text()
        studies = [line.split(None, 1) for line in telar("list", "experiments").out.splitlines()]
        self.assertEqual(re.findall(r"(?m)^## (.+)$", page), [name for name, _ in studies])
        for name, sentence in studies:
            self.assertIn(f"## {name}\n\n{sentence}\n", page)
        self.expect_pictures(page)

    def test_page_of_laws_has_every_law(self):
        page = (DOCS / "validation.md").read_text()
        laws = [line.split(None, 1) for line in telar("validate", "--list").out.splitlines()]
        self.assertEqual(re.findall(r"(?m)^### (.+)$", page), [name for name, _ in laws])
        for name, sentence in laws:
            self.assertIn(f"### {name}\n\n{sentence}\n", page)
        steppers = [line.split()[0] for line in telar("list", "steppers").out.splitlines()]
        for stepper in re.search(r"(?m)^\| law \|(.+)\|$", page).group(1).split("|"):
            self.assertIn(stepper.strip(), steppers)
        self.expect_pictures(page)

    def expect_pictures(self, page):
        pictures = re.findall(r"\]\((images/[^)]+)\)", page)
        self.assertGreater(len(pictures), 5)
        for picture in pictures:
            self.assertTrue((DOCS / picture).is_file(), picture)

    def test_experiment_unknown(self):
        self.expect(2, telar("experiment", "s0/luck"), "there is no experiment 's0/luck'", "s0/stretch")
        self.expect(2, telar("experiment", "s0/str"), "there is no experiment 's0/str'")

    def test_experiment_needs_a_folder(self):
        (self.folder / "file").write_text("")
        self.expect(1, telar("experiment", "s0/stretch", "--quick", "--out", self.folder / "file"), "file")


    def test_validate_one_law(self):
        done = telar("validate", "motion.fall", "--quick", "--json", "--out", self.folder)
        self.expect(0, done)
        report = json.loads(done.out)
        self.assertEqual(report["failed"], 0)
        self.assertGreater(len(report["rows"]), 3)
        self.assertTrue(all(row["law"] == "fall" for row in report["rows"]))
        page = (self.folder / "report.md").read_text()
        self.assertRegex(page, r"(?m)^\| motion\.fall \| pass \|")
        self.assertRegex(page, r"(?m)^\| verlet \| .+ \| pass \|$")
        done = telar("validate", "--list")
        self.expect(0, done)
        self.assertIn("motion.fall", done.out)

    def test_validate_unknown_law(self):
        self.expect(2, telar("validate", "luck"), "there is no law 'luck'", "motion.fall")

    def test_bench_frame(self):
        done = telar("bench", "frame", self.scene, "--quick", "--json")
        self.expect(0, done)
        report = json.loads(done.out)
        self.assertEqual(report["frame"]["scene"], "Small")
        self.assertGreater(report["frame"]["integration"], 0)

    def test_old_benches_name_the_new_ones(self):
        for old, new in (("self", "self-contact"), ("self tray", "folds"), ("survive", "robustness"), ("many", "instances"),
                         ("hang", "hanging-sheet"), ("drape", "draped-sheet"), ("denim", "implicit-denim")):
            self.expect(2, telar("bench", *old.split()), f"bench '{old}': renamed to '{new}'")
            self.assertRegex(telar("list", "benches").out, rf"(?m)^{new} ")

    def test_bench_unknown(self):
        done = telar("bench", "luck", "--json")
        self.expect(2, done, "there is no bench 'luck'", "steppers")
        self.expect(2, telar("bench", "frame", "nowhere"), "nowhere: there is no such file")

    def test_titles_with_quotes_stay_json(self):
        scene = json.loads(json.dumps(SMALL))
        scene["scene"]["title"] = 'A "small" \\ sheet'
        self.scene.write_text(json.dumps(scene))
        done = telar("bench", "frame", self.scene, "--quick", "--json")
        self.expect(0, done)
        self.assertEqual(json.loads(done.out)["frame"]["scene"], scene["scene"]["title"])


if __name__ == "__main__":
    TELAR, DATA = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    DOCS = DATA.parent.parent / "docs"
    names = [name if name.startswith("test_") else f"test_{name}" for name in sys.argv[3:]]
    unittest.main(argv=[sys.argv[0], *(f"Cli.{name}" for name in names)], verbosity=1)
