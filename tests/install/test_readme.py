#!/usr/bin/env python3
"""Builds and runs the program of README.md's "Embed it" as it is printed there, and with a finer sheet: no step fails,
and the sheet lies on the ball.

    test_readme.py SOURCE LIBRARY COMPILER REAL [FLAGS...]
"""
import pathlib
import re
import subprocess
import sys
import tempfile

SIZES = (71, 128)  # particles along a side: as printed, and one that a reader may well try
FRAMES = 90  # of the 600 printed: until the sheet has draped

PROGRAM = """
#include <stdio.h>
{includes}
int main(void)
{{
{body}
    for (int k = 0; k < tl_cloth_vertex_count(cloth); ++k) {{
        float dx = (float)x[k].x, dy = (float)x[k].y - 0.5f, dz = (float)x[k].z;
        if (!(dx * dx + dy * dy + dz * dz > 0.49f * 0.49f))
            return fprintf(stderr, "vertex %d is in the ball\\n", k), 1;
    }}
    tl_world_destroy(world);
    return 0;
}}
"""


def main():
    source, library, compiler, real = sys.argv[1:5]
    flags = sys.argv[5:]
    text = (pathlib.Path(source) / "README.md").read_text(encoding="utf-8")
    block = re.search(r"## Embed it\n+```c\n(.*?)```", text, re.DOTALL).group(1)
    lines = block.splitlines()
    includes = "\n".join(line for line in lines if line.startswith("#include"))
    body = "\n".join("    " + line for line in lines if not line.startswith("#include"))
    printed = f"tl_cloth_def_grid({SIZES[0]}, {SIZES[0]},"
    loop = "frame < 600;"
    for part in (printed, loop):
        if body.count(part) != 1:
            sys.exit(f"README.md has no {part}")
    body = body.replace(loop, f"frame < {FRAMES};")
    defines = ["-DTL_REAL_DOUBLE"] if real == "double" else []
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            program = pathlib.Path(folder) / f"readme{size}"
            program.with_suffix(".c").write_text(PROGRAM.format(
                includes=includes, body=body.replace(printed, f"tl_cloth_def_grid({size}, {size},")))
            subprocess.run([compiler, "-std=c17", "-Wall", "-Wextra", "-Werror", *flags, *defines, "-I", f"{source}/include",
                            program.with_suffix(".c"), "-o", program, library, "-lm", "-pthread"], check=True)
            done = subprocess.run([program], capture_output=True, text=True)
            if done.returncode != 0 or done.stderr:
                sys.exit(f"README.md with {size} × {size} particles: exit code {done.returncode}\n{done.stderr[:2000]}")


if __name__ == "__main__":
    main()
