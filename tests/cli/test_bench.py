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

# the default stepper beside others, one of them another telar
done = subprocess.run([sys.argv[1], "bench", "steppers", "hung", "--quick", "--json", "--beside", sys.argv[1]],
                      capture_output=True, text=True)
if done.returncode != 0:
    sys.exit(f"steppers hung: exit code {done.returncode}\n{done.stderr[-2000:]}")
rows = json.loads(done.stdout)["steppers"]
if [row["method"] for row in rows][:4] != ["automatic", "automatic, sweep", "beside", "xpbd"]:
    sys.exit(f"steppers hung: {rows}")
for row in rows:
    if not 0 < row["median_ms"] <= row["p99_ms"] <= row["worst_ms"] or abs(row["sag_mm"]) > 100:
        sys.exit(f"steppers hung: {row}")
for row in rows[:3]:
    if not row["iterations"] > 0:
        sys.exit(f"steppers hung: {row}")
if abs(rows[2]["sag_mm"] - rows[0]["sag_mm"]) > 0.1 or not "equal error" in rows[-1]["note"]:
    sys.exit(f"steppers hung: {rows}")
missing = subprocess.run([sys.argv[1], "bench", "steppers", "hung", "--quick", "--beside", "no-such-telar"],
                         capture_output=True, text=True)
if missing.returncode != 1 or "'no-such-telar' did not run the sheet" not in missing.stderr:
    sys.exit(f"--beside no-such-telar: {missing.returncode} {missing.stderr}")
print(f"{len(report)} benches, {len(report['steppers'])} rows of steppers")
