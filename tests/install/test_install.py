#!/usr/bin/env python3
"""Installs the build into a folder of its own and builds examples/hello.c against it, once through find_package and once
through pkg-config.

    test_install.py SOURCE BUILD COMPILER REAL [FLAGS...]
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


def check(condition, message):
    if not condition:
        sys.exit(message)


def main():
    source, build, compiler, real = sys.argv[1:5]
    flags = sys.argv[5:]
    source = pathlib.Path(source)
    here = source / "tests" / "install"
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        prefix = folder / "prefix"
        run("cmake", "--install", build, "--prefix", prefix)

        # what is there
        for header in (source / "include" / "telar").glob("*.h"):
            check((prefix / "include" / "telar" / header.name).is_file(), f"{header.name} is not installed")
        check((prefix / "share" / "telar" / "scenes" / "default.json").is_file(), "the scenes are not installed")
        programs = list((prefix / "bin").glob("telar"))
        for path in prefix.rglob("*"):
            if path.suffix in (".pc", ".cmake"):
                text = path.read_text()
                check(str(source) not in text and str(build) not in text, f"{path.name} names the folder of the build")

        environment = dict(os.environ, TELAR_SCENES=str(prefix / "share" / "telar" / "scenes"))
        size = "8" if real == "double" else "4"

        # find_package
        consumer = folder / "consumer"
        run("cmake", "-S", here, "-B", consumer, f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_C_COMPILER={compiler}",
            f"-DHELLO={source / 'examples' / 'hello.c'}", f"-DCMAKE_C_FLAGS={' '.join(flags)}", "-DCMAKE_BUILD_TYPE=Release")
        run("cmake", "--build", consumer)
        by_cmake = run(consumer / "hello", env=environment)
        check("corner at" in by_cmake, by_cmake)
        io = run(consumer / "uses_io", env=environment).split()
        check(io[:2] == [size, "0.01"], f"uses_io: {io}")
        check(io[2].startswith(str(prefix)), f"the scene came from {io[2]}")

        # pkg-config
        found = dict(environment)
        libraries = next(prefix.rglob("telar.pc")).parent
        found["PKG_CONFIG_PATH"] = os.pathsep.join(filter(None, [str(libraries), os.environ.get("PKG_CONFIG_PATH", "")]))
        for program, text, package in (("hello", source / "examples" / "hello.c", "telar"),
                                       ("uses_io", here / "uses_io.c", "telar-io")):
            needed = run("pkg-config", "--cflags", "--libs", package, env=found).split()
            check(("-DTL_REAL_DOUBLE" in needed) == (real == "double"), f"flags for {real}: {needed}")
            run(compiler, "-std=c17", *flags, text, "-o", folder / program, *needed)
            run("pkg-config", "--static", "--cflags", "--libs", package, env=found)
        by_pkg_config = run(folder / "hello", env=environment)
        check(by_pkg_config == by_cmake, f"{by_cmake} through find_package, {by_pkg_config} through pkg-config")
        check(run(folder / "uses_io", env=environment).split() == io, "uses_io differs through pkg-config")

        # the program
        for program in programs:
            check("default" in run(program, "list", "scenes", env=environment), "the installed program lists no scenes")
        print(by_cmake, end="")


if __name__ == "__main__":
    main()
