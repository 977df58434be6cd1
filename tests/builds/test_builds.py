#!/usr/bin/env python3
"""The same bits from other builds: the library and its golden hashes with clang, and without optimisation.

    test_builds.py SOURCE FOLDER COMPILER     FOLDER keeps the builds, COMPILER is the C compiler of this build
"""
import pathlib
import shutil
import subprocess
import sys

TARGET = "test_world_determinism"


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


def main():
    source, folder, compiler = sys.argv[1:4]
    for name, c, cpp, kind in (("clang", "clang", "clang++", "Release"), ("debug", compiler, None, "Debug")):
        if not shutil.which(c):
            print(f"{name}: there is no {c} here")
            continue
        build = pathlib.Path(folder) / name
        options = [f"-DCMAKE_C_COMPILER={c}", f"-DCMAKE_BUILD_TYPE={kind}", "-DTL_APPS=OFF"]
        if cpp and shutil.which(cpp):
            options.append(f"-DCMAKE_CXX_COMPILER={cpp}")
        run("cmake", "-S", source, "-B", build, "-G", "Ninja", *options)
        run("cmake", "--build", build, "--target", TARGET)
        run(build / "tests" / TARGET, "golden*")
        print(f"{name}: the same bits")


main()
