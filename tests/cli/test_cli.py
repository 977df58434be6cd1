#!/usr/bin/env python3
"""The telar program from the outside: exit codes, messages, files. Exit code 0 is success, 1 failure, 2 wrong usage or
input.

    test_cli.py TELAR DATA [NAME...]     TELAR is the program, DATA the folder tests/data; NAME selects single tests
"""
import json
import os
import pathlib
import re
import resource
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


COMMANDS = ("run", "render", "studio", "list", "info", "scene", "validate", "experiment", "bench", "garment", "dress")


def telar(*arguments, folder=None, **options):
    done = subprocess.run([str(TELAR), *map(str, arguments)], capture_output=True, cwd=folder, timeout=250, **options)
    done.out = done.stdout.decode("utf-8")
    done.err = done.stderr.decode("utf-8")
    return done


def limit_files(bytes_of_a_file):
    """For preexec_fn: files cannot grow beyond this, as on a full disk."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_of_a_file, bytes_of_a_file))
    return limit


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

    def test_run_writes_a_glb_clip(self):
        """Its chunks, and no error or warning of Khronos' validator where that is installed (npm's gltf-validator)."""
        out = self.folder / "out"
        for scene, frames in ((self.scene, 6), ("s1/box", 20), ("mesh/wave", 5)):
            with self.subTest(scene=scene):
                self.expect(0, telar("run", scene, "--frames", frames, "--out", out, "--format", "glb"), "clip.glb")
                clip = (out / "clip.glb").read_bytes()
                magic, version, size, length, kind = struct.unpack_from("<4sIII4s", clip)
                self.assertEqual((magic, version, size, kind), (b"glTF", 2, len(clip), b"JSON"))
                tree = json.loads(clip[20:20 + length])
                self.assertEqual(tree["asset"]["version"], "2.0")
                self.assertIn("weights", [c["target"]["path"] for c in tree["animations"][0]["channels"]])
                self.assertNotIn("extensionsRequired", tree)
                modules = subprocess.run(["npm", "root", "-g"], capture_output=True, text=True).stdout.strip() \
                    if shutil.which("npm") else ""
                if (pathlib.Path(modules) / "gltf-validator").is_dir():
                    script = ("require(process.argv[1]).validateBytes(new Uint8Array(require('fs').readFileSync(process.argv[2])))"
                              ".then(r => console.log(JSON.stringify(r.issues)))")
                    done = subprocess.run(["node", "-e", script, f"{modules}/gltf-validator", out / "clip.glb"],
                                          capture_output=True, text=True)
                    issues = json.loads(done.stdout)
                    self.assertEqual((issues["numErrors"], issues["numWarnings"]), (0, 0), issues["messages"])

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
    PHASES = ["begin", "body candidates", "cloth candidates", "stack levels", "layer solve", "solve", "revert", "untangle",
              "barrier", "damp resting", "end", "truncate"]

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

    def test_schedules_without_end_are_refused(self):
        for schedule in ("integrate (((model)*1000)*1000)*1000", "integrate (((())*1000)*1000)*1000 model",
                         "integrate ((model)*iterations contact)*iterations"):
            self.expect(2, telar("run", self.scene, "--frames", 1, "--set", "cloth[0].iterations=200", "--set", f"cloth[0].schedule={schedule}"),
                        "schedule: with 200 iterations a substep has", "stages, more than the 10000 that are possible")

    def test_every_wrong_parameter_is_named(self):
        wrong = ["cloth[0].density=heavy", "cloth[0].stepper=magic", "sun.size=1", "cloth[0].density"]
        for command in (["run", self.scene], ["render", self.scene, "--out", self.folder / "p.png"], ["studio", self.scene]):
            done = telar(*command, *[word for one in wrong for word in ("--set", one)], "--set", "cloth[0].substeps=3")
            self.expect(2, done, *wrong)
            self.assertEqual(done.err.count("\n"), len(wrong), done.err)

    def test_wrong_samples(self):
        for value in ("1", "3", "8", "-1", "many", "", "22"):
            self.expect(2, telar("render", self.scene, "--out", "x.png", "--samples", value), f"--samples: '{value}' is none of 0, 2, 4")

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
        for name in ("cloth0.pc2", "cloth0.mdd", "frame00000.obj", "frame00000.png", "clip.glb"):
            (out / name).symlink_to("/dev/full")
            self.expect(1, telar("run", self.scene, "--out", out, "--format", name[-3:], "--frames", 1), f"{name}: ",
                        "No space left on device")
        self.expect(1, telar("run", self.scene, "--stats", "/dev/full"), "/dev/full: No space left on device")
        self.expect(1, telar("render", self.scene, "--frames", 1, "--out", out / "frame00000.png"), "frame00000.png: ",
                    "No space left on device")

    def test_disk_that_becomes_full(self):
        """Every writer, at the first bytes and in the middle: exit code 1, and the message names file and reason."""
        out = self.folder / "out"
        writers = [(["run", self.scene, "--frames", 3, "--out", out, "--format", ending], name)
                   for ending, name in (("obj", "frame00000.obj"), ("pc2", "cloth0.pc2"), ("mdd", "cloth0.mdd"), ("png", "frame00000.png"),
                                        ("glb", "clip.glb"))]
        writers += [(["run", self.scene, "--frames", 3, "--stats", self.folder / "s.csv"], "s.csv"),
                    (["render", self.scene, "--frames", 1, "--size", "64x64", "--out", self.folder / "p.png"], "p.png"),
                    (["validate", "motion.fall", "--quick", "--out", out], "report.md"),
                    (["experiment", "s3/mass", "--quick", "--out", out], ".csv")]
        if shutil.which("ffmpeg"):
            writers += [(["render", self.scene, "--frames", 3, "--size", "320x200", "--out", self.folder / f"c.{ending}"], f"c.{ending}")
                        for ending in ("mp4", "webm", "gif")]
        for arguments, name in writers:
            for size in (0, 300):
                with self.subTest(arguments=arguments, size=size):
                    done = telar(*arguments, preexec_fn=limit_files(size))
                    self.expect(1, done, name, "" if size == 0 and name.startswith("c.") else "File too large")
        self.assertEqual(list(self.folder.glob("**/*.new")), [])

    def test_files_of_laws_and_studies_on_a_full_disk(self):
        """Each alone, so that no other failure hides it."""
        if not pathlib.Path("/dev/full").exists():
            self.skipTest("no /dev/full")
        for command, folder, names in ((["validate", "motion.energy"], "", ("report.md", "motion-energy.csv")),
                                       (["experiment", "s2/springs"], "s2/springs", ("report.md", "table.csv", "stretch.csv"))):
            for k, name in enumerate(names):
                with self.subTest(command=command, name=name):
                    out = self.folder / f"{command[0]}{k}"
                    (out / folder).mkdir(parents=True)
                    (out / folder / name).symlink_to("/dev/full")
                    done = telar(*command, "--quick", "--out", out)
                    self.expect(1, done, f"{name}: No space left on device")
                    self.assertEqual(done.err.count("\n"), 1, done.err)

    def test_standard_output_that_cannot_be_written(self):
        if not pathlib.Path("/dev/full").exists():
            self.skipTest("no /dev/full")
        for arguments in (["list"], ["list", "schema"], ["--version"], ["--help"], ["help", "run"], ["info", self.scene],
                          ["run", self.scene, "--hash", "--quiet"], ["run", self.scene, "--trace", 1], ["scene", "check", self.scene],
                          ["validate", "--list"], ["validate", "motion.fall", "--quick", "--json", "--out", self.folder],
                          ["bench", "frame", self.scene, "--quick", "--json"]):
            with self.subTest(arguments=arguments), open("/dev/full", "w") as full:
                done = subprocess.run([str(TELAR), *map(str, arguments)], stdout=full, stderr=subprocess.PIPE, timeout=250)
                self.assertEqual(done.returncode, 1, done.stderr)
                # a stream that filled up before its end does not know the reason any more
                self.assertRegex(done.stderr, rb"telar: standard output: (No space left on device|could not be written)\n")
        with open("/dev/full", "w") as full:  # nothing is written to it
            self.assertEqual(subprocess.run([str(TELAR), "run", str(self.scene), "--quiet"], stdout=full).returncode, 0)
        closed = subprocess.run(f'"{TELAR}" list >&-', shell=True, stderr=subprocess.PIPE)
        self.assertEqual(closed.returncode, 1)
        self.assertEqual(subprocess.run(f'"{TELAR}" run "{self.scene}" --quiet >&-', shell=True).returncode, 0)

    # ---- two programs at once ------------------------------------------------------------------------------------

    def start(self, *arguments, until):
        """A telar that writes without end, once it has written something."""
        process = subprocess.Popen([str(TELAR), *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        end = time.monotonic() + 60
        while time.monotonic() < end and not (until.exists() and until.stat().st_size > 0):
            time.sleep(0.02)
        return process

    def test_two_programs_do_not_write_one_folder(self):
        out, stats = self.folder / "out", self.folder / "s.csv"
        first = self.start("run", self.scene, "--frames", 1000000, "--out", out, "--format", "pc2", "--stats", stats,
                           until=out / "cloth0.pc2")
        for arguments in (["run", self.scene, "--out", out, "--format", "pc2"], ["run", self.scene, "--out", out, "--format", "obj"],
                          ["render", self.scene, "--out", out], ["validate", "motion.fall", "--quick", "--out", out]):
            with self.subTest(arguments=arguments):
                self.expect(1, telar(*arguments), f"telar: {out}: is being written by another telar")
        self.expect(1, telar("run", self.scene, "--stats", stats), f"telar: {stats}: is being written by another telar")
        self.expect(0, telar("run", self.scene, "--out", self.folder / "other", "--format", "pc2"))
        first.send_signal(signal.SIGKILL)
        first.wait()
        frames = pc2_header(out / "cloth0.pc2")[1]
        self.assertGreaterEqual((out / "cloth0.pc2").stat().st_size, 32 + frames * 35 * 12)
        self.expect(0, telar("run", self.scene, "--out", out, "--format", "pc2", "--stats", stats))  # a dead one holds nothing
        self.assertEqual(pc2_header(out / "cloth0.pc2"), (35, 7))

    def test_two_programs_do_not_write_one_study(self):
        out = self.folder / "studies"
        self.start("experiment", "s0/stretch", "--out", out, until=out / "s0" / "stretch")
        self.expect(1, telar("experiment", "s0/stretch", "--quick", "--out", out), "s0/stretch: is being written by another telar")

    def test_two_programs_do_not_write_one_clip(self):
        if not shutil.which("ffmpeg"):
            self.skipTest("no ffmpeg")
        clip = self.folder / "clip.mp4"
        self.start("render", self.scene, "--frames", 1000000, "--size", "64x64", "--out", clip, until=clip)
        self.expect(1, telar("render", self.scene, "--size", "64x64", "--out", clip), "clip.mp4: ", "is being written by another telar")

    def test_two_programs_leave_one_whole_picture(self):
        picture = self.folder / "p.png"
        both = [subprocess.Popen([str(TELAR), "render", str(self.scene), "--quiet", "--out", str(picture)]) for _ in range(2)]
        self.assertEqual([process.wait() for process in both], [0, 0])
        self.expect(0, telar("render", self.scene, "--quiet", "--out", self.folder / "alone.png"))
        self.assertEqual(picture.read_bytes(), (self.folder / "alone.png").read_bytes())
        self.assertEqual(list(self.folder.glob("*.new")), [])

    # ---- instability and interrupts ------------------------------------------------------------------------------

    UNSTABLE = ("--set", "cloth[0].stable.on=false", "--frames", 20, "--set", "cloth[0].stepper=explicit-euler", "--set", "cloth[0].ripple=0.05",
                "--set", "cloth[0].link.structural.stiffness=1e6", "--set", "cloth[0].substeps=1")

    def test_unstable_frames_fail_and_say_so(self):
        done = telar("run", self.scene, *self.UNSTABLE)
        self.expect(1, done, "became unstable", "its stiffness and damping need", "20 of 20 frames", "frames were unstable and rolled back")

    def test_unstable_frames_of_a_picture_fail_too(self):
        rejected = re.search(r"\d+ frames were unstable.*", telar("run", self.scene, *self.UNSTABLE).err).group()
        for out in ("p.png", "frames"):
            done = telar("render", self.scene, "--size", "64x64", "--out", self.folder / out, *self.UNSTABLE)
            self.expect(1, done, "became unstable", "its stiffness and damping need", rejected)
            self.assertEqual(done.err.count("became unstable"), 1)
            self.assertTrue((self.folder / out).exists())
        self.expect(0, telar("render", self.scene, "--size", "64x64", "--out", self.folder / "p.png"))

    def test_times_of_unstable_frames_are_not_times(self):
        scene = json.loads(json.dumps(SMALL))
        scene["cloth"][0].update({"stepper": "explicit-euler", "substeps": 1, "stable": {"on": False}, "ripple": 0.05, "link": {"structural": {"stiffness": 1e6}}})
        self.scene.write_text(json.dumps(scene))
        done = telar("bench", "frame", self.scene, "--quick", "--json")
        self.expect(1, done, "became unstable", "unstable and rolled back")
        self.assertIn("frame", json.loads(done.out))

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
            self.assertEqual(mdd_header(self.folder / "cloth0.mdd"), (35, frames))
            self.assertEqual((self.folder / "cloth0.mdd").stat().st_size, 8 + frames * (4 + 35 * 12))
            self.assertEqual(len((self.folder / "s.csv").read_text().splitlines()), 1 + frames)

    def test_an_interrupted_clip_is_whole(self):
        """Ctrl-C goes to every program of the terminal, ffmpeg included."""
        if not shutil.which("ffprobe"):
            self.skipTest("no ffprobe")
        clip = self.folder / "clip.gif"
        process = subprocess.Popen([str(TELAR), "render", str(self.scene), "--frames", "1000000", "--size", "64x64", "--out", str(clip)],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        end = time.monotonic() + 60
        while time.monotonic() < end and not clip.exists():
            time.sleep(0.02)
        time.sleep(0.5)
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, err)
        frames = int(re.search(rb"interrupted after frame (\d+); the files written so far remain", err).group(1))
        self.assertNotIn(b"ffmpeg", err)
        probe = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", clip], capture_output=True)
        self.assertAlmostEqual(float(probe.stdout), frames / 60, delta=0.1)

    def test_a_killed_run_leaves_readable_caches(self):
        code, _ = self.interrupt(signal.SIGKILL, "--format", "pc2,mdd")
        self.assertEqual(code, -signal.SIGKILL)
        for ending in ("pc2", "mdd"):
            done = telar("info", self.folder / f"cloth0.{ending}")
            self.expect(0, done)
            self.assertGreaterEqual(int(re.search(r"(\d+) frames", done.out).group(1)), 5)

    def test_a_run_killed_at_any_time_leaves_an_mdd_that_others_read(self):
        """As Blender reads it: header, all times, all frames that the header counts."""
        self.expect(0, telar("run", self.scene, "--frames", 300, "--out", self.folder / "whole", "--format", "mdd"))
        whole = (self.folder / "whole" / "cloth0.mdd").read_bytes()
        vertices, most = mdd_header(self.folder / "whole" / "cloth0.mdd")
        cache = self.folder / "out" / "cloth0.mdd"
        seen = set()
        for delay in range(12):
            process = subprocess.Popen([str(TELAR), "run", str(self.scene), "--frames", "300", "--out", str(cache.parent), "--format", "mdd"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            end = time.monotonic() + 60
            while time.monotonic() < end and not (cache.exists() and cache.stat().st_size > 0):
                pass
            time.sleep(0.002 * delay)
            process.send_signal(signal.SIGKILL)
            process.wait()
            data = cache.read_bytes()
            frames, points = struct.unpack(">ii", data[:8])
            self.assertEqual(points, vertices)
            self.assertGreaterEqual(len(data), 8 + frames * (4 + 12 * points))
            self.assertEqual(data[8:8 + 4 * frames], whole[8:8 + 4 * frames])
            first, size = 8 + 4 * most, 12 * points * frames
            self.assertEqual(data[8 + 4 * frames:8 + 4 * frames + size], whole[first:first + size])
            self.expect(0, telar("info", cache))
            seen.add(frames)
            cache.unlink()
        self.assertGreater(len(seen), 2, seen)

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

    def test_every_fault_of_a_scene_is_named(self):
        self.scene.write_text("""{
  "scene": {"frames": -1, "fpss": 60},
  "wrld": {},
  "cloth": [
    {"columns": "many",
     "densty": 1,
     "link": {"structural": {"stiffness": -5}},
     "hold": {"coarse": true, "repeats": 2},
     "stepper": "magic"},
    7,
    {"pin": [{"where": "nowhere"}, {"colour": 3}]}
  ],
  "body": {"shape": "cube"},
  "look": {"cloth": "silk"}
}
""")
        faults = [(2, "scene.fpss"), (2, "scene.frames"), (3, "wrld"), (5, "cloth[0].columns"), (6, "cloth[0].densty"),
                  (7, "cloth[0].link.structural.stiffness"), (8, "cloth[0].hold.coarse"), (8, "cloth[0].hold.repeats"),
                  (9, "cloth[0].stepper"), (10, "cloth[1]"), (11, "cloth[2].pin[0].where"), (11, "cloth[2].pin[1].colour"),
                  (13, "body"), (14, "look.cloth")]
        for command in (["run"], ["render", "--out", self.folder / "p.png"], ["info"], ["studio"], ["scene", "check"]):
            with self.subTest(command=command):
                done = telar(*command, self.scene)
                self.expect(2, done)
                self.assertEqual([(int(line), path) for line, path in re.findall(r"(?m)^telar: .*small\.json:(\d+): ([^:]+): .+$", done.err)], faults)
                self.assertEqual(done.err.count("\n"), len(faults), done.err)
        self.expect(0, telar("scene", "check", "default", "s2/sphere"))
        done = telar("scene", "check", self.scene, "default")  # one bad file does not hide the others
        self.expect(2, done)
        self.assertIn("default: no faults\n", done.out)

    def test_many_faults_are_counted(self):
        self.scene.write_text(json.dumps({"cloth": [{"colour": k} for k in range(300)]}))
        done = telar("scene", "check", self.scene)
        self.expect(2, done, "cloth[0].colour", "cloth[19].colour", "telar: and 280 more\n")
        self.assertEqual(done.err.count("\n"), 21)

    def test_every_mesh_that_cannot_be_read_is_named(self):
        self.scene.write_text(json.dumps({"cloth": [{"mesh": {"file": "a.obj"}}, {}, {"mesh": {"file": "b.ply"}}],
                                          "body": [{"shape": "mesh", "mesh": {"file": "c.obj"}}]}))
        done = telar("run", self.scene)
        self.expect(2, done, "body[0].mesh.file: ", "c.obj", "cloth[0].mesh.file: ", "a.obj", "cloth[2].mesh.file: ", "b.ply")
        self.assertEqual(done.err.count("\n"), 3, done.err)

    def test_only_regular_files_are_read(self):
        for name in ("f.obj", "f.ply", "f.json", "f.pc2", "f.mdd", "f.png"):
            os.mkfifo(self.folder / name)
            (self.folder / f"folder-{name}").mkdir()
            for file, reason in ((name, "is a pipe, not a regular file"), (f"folder-{name}", "is a folder")):
                self.expect(2, telar("info", self.folder / file, stdin=subprocess.DEVNULL), f"{file}: ", reason)
                self.expect(2, telar("scene", "upgrade", self.folder / file), f"{file}: ", reason)
                scene = dict(SMALL, cloth=[{"mesh": {"file": file}}])
                self.scene.write_text(json.dumps(scene))
                self.expect(2, telar("run", self.scene, "--frames", 1), "small.json: cloth[0].mesh.file: ", f"{file}: ", reason)
        self.scene.write_text(json.dumps(dict(SMALL, look={"texture": "f.png"})))
        self.expect(1, telar("render", self.scene, "--frames", 0, "--out", self.folder / "p.png"), "f.png: ", "is not a regular file")
        done = telar("info", "/dev/stdin", input=json.dumps(SMALL).encode())
        self.expect(0, done)
        self.assertIn("35 particles", done.out)

    def test_minus_one_in_a_cache_is_minus_one(self):
        broken = self.folder / "broken.pc2"
        for field in range(3):
            numbers = [1, 35, 1]
            numbers[field] = -1
            broken.write_bytes(struct.pack("<12siiffi", b"POINTCACHE2\0", numbers[0], numbers[1], 0, 1, numbers[2]) + bytes(35 * 12))
            done = telar("info", broken)
            self.expect(2, done, "broken.pc2: header: ", "-1")
            self.assertNotIn("4294967295", done.err)
        broken = self.folder / "broken.mdd"
        for frames, vertices in ((-1, 35), (1, -1)):
            broken.write_bytes(struct.pack(">ii", frames, vertices) + bytes(4 + 35 * 12))
            done = telar("info", broken)
            self.expect(2, done, "broken.mdd: header: -1 ")
            self.assertNotIn("4294967295", done.err)

    # ---- pictures ------------------------------------------------------------------------------------------------

    def test_bodies_that_are_off_are_not_drawn(self):
        def picture(bodies):
            self.scene.write_text(json.dumps(dict(SMALL, body=bodies)))
            self.expect(0, telar("render", self.scene, "--frames", 2, "--size", "160x100", "--quiet", "--out", self.folder / "p.png"))
            return (self.folder / "p.png").read_bytes()
        floor, ball = {"shape": "plane"}, {"shape": "sphere", "position": [0.8, 0.4, 0], "size": [0.2, 0.2, 0.2]}
        nothing = picture([])
        self.assertNotEqual(picture([floor, ball]), picture([floor]))
        self.assertEqual(picture([floor, dict(ball, on=False)]), picture([floor]))  # nor does it cast a shadow
        self.assertEqual(picture([dict(floor, on=False)]), nothing)
        self.assertNotEqual(picture([floor]), nothing)

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
        self.expect(2, telar("scene"), "upgrade|check FILE")
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

    def test_outcomes_agree_with_their_figures(self):
        """A sentence gives the figure that decides it, and a figure of the table is the same there."""
        done = telar("experiment", "s2/springs", "--out", self.folder)
        self.expect(0, done)
        rows = dict(re.findall(r"(?m)^  (\S.*?)  +.* ([0-9.e-]+) %$", done.out))
        mean, largest = rows["3.2: constant 40, mean stretch"], rows["3.2: constant 40, largest stretch"]
        self.assertGreater(float(largest), 15)  # so that a sentence on the mean must say so
        told = float(re.search(r"holds: 3\.2\.3: .*: mean stretch: ([0-9.]+) %, below 15 %", done.out).group(1))
        self.assertAlmostEqual(told, float(mean), delta=0.001)
        outcomes = re.findall(r"(?m)^  (holds|FAILS): (.+)$", done.out)
        self.assertGreater(len(outcomes), 4)
        for verdict, sentence in outcomes:
            measured, negation, side, bound = re.search(r": (-?[0-9][0-9.e-]*)[^,]*, (not )?(below|above) (-?[0-9][0-9.e-]*)", sentence).groups()
            reached = float(measured) < float(bound) if side == "below" else float(measured) > float(bound)
            self.assertEqual((reached, reached), (verdict == "holds", not negation), sentence)

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

    def test_names_with_quotes_stay_json(self):
        quoted = self.folder / 'a "small" sheet.json'
        quoted.write_text(json.dumps(SMALL))
        for bench in ("stress", "robustness", "implicit-denim"):
            done = telar("bench", bench, quoted, "--quick", "--json")
            self.expect(0, done)
            rows = json.loads(done.out)[bench]
            rows = rows if isinstance(rows, list) else next(value for value in rows.values() if isinstance(value, list))
            self.assertEqual(rows[0]["scene"], str(quoted))

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
