#!/usr/bin/env python3
"""Builds a project that contains Telar, by add_subdirectory and by FetchContent, where pkg-config finds nothing. The first
is built and run, the second only configured: they differ in nothing else.

    test_embedded.py SOURCE COMPILER
"""
import os
import pathlib
import subprocess
import sys
import tempfile


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def main():
    source, compiler = pathlib.Path(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        alone = dict(os.environ, PKG_CONFIG_PATH="", PKG_CONFIG_LIBDIR=str(folder / "none"), CXX="/nonexistent")
        for name, fetch in (("fetched", "ON"), ("contained", "OFF")):
            run("cmake", "-G", "Ninja", "-S", source / "tests" / "install" / "embedded", "-B", folder / name, f"-DTELAR={source}",
                f"-DFETCH={fetch}", f"-DCMAKE_C_COMPILER={compiler}", "-DCMAKE_BUILD_TYPE=Release",
                *(["-DCMAKE_C_COMPILER_LAUNCHER=ccache"] if any((pathlib.Path(p) / "ccache").exists()
                                                                for p in os.environ["PATH"].split(os.pathsep)) else []), env=alone)
        run("cmake", "--build", folder / "contained", "--target", "hello", env=alone)
        said = run(folder / "contained" / "hello")
        if "corner at" not in said:
            sys.exit(said)


if __name__ == "__main__":
    main()
