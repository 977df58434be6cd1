#!/usr/bin/env python3
"""telar bench --quick --json: one JSON object on standard output and nothing else, with every bench in it.

    test_bench.py TELAR
"""
import json
import subprocess
import sys

done = subprocess.run([sys.argv[1], "bench", "--quick", "--json"], capture_output=True, text=True)
if done.returncode != 0:
    sys.exit(f"exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
report = json.loads(done.stdout)
help_text = subprocess.run([sys.argv[1], "bench", "--help"], capture_output=True, text=True, check=True).stdout
for name in ("steppers", "frame", "stress", "robustness", "implicit-denim", "self-contact", "folds"):
    if not report.get(name):
        sys.exit(f"no {name} in {sorted(report)}")
for name in report:
    if name not in help_text:
        sys.exit(f"'telar bench --help' does not mention {name}")
for row in report["steppers"]:
    if not row["vectors"] > 0 or not row["scalar"] > 0:
        sys.exit(f"no speed in {row}")
for row in report["robustness"]:
    if row["finite"] != row["frames"] or row["rejected_frames"] or not row["frames"] > 0:
        sys.exit(f"robustness: {row}")
for row in report["implicit-denim"]:
    if row["rejected_frames"] or row["penetrating"] or not row["frames"] > 0 or not row["ms"] > 0:
        sys.exit(f"implicit-denim: {row}")
print(f"{len(report)} benches, {len(report['steppers'])} rows of steppers")
