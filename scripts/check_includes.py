#!/usr/bin/env python3
"""Includes point in one direction: core <- mesh <- element, collide <- contact <- step <- pattern <- actor <- world <- garment <- io <- apps.

Fails when a file includes from a module to the right of its own, when an app reaches past <telar/...> into src/, or when
the public headers include anything private, and when a folder of src/ has no place in the order, or the order names a
folder that does not exist."""
import pathlib
import re
import sys

ORDER = ["core", "mesh", "element", "collide", "contact", "step", "pattern", "actor", "world", "garment", "io"]
# neighbours of equal rank may not see each other
FORBIDDEN = {("collide", "element"), ("contact", "element"),
             *(("pattern", name) for name in ("element", "collide", "contact", "step"))}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def module_of(path):
    parts = pathlib.PurePosixPath(path).parts
    return parts[0] if len(parts) > 1 else None


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    folders = sorted(path.name for path in (root / "src").iterdir() if path.is_dir())
    wrong = [f"src/{name}: not both a folder and in the order" for name in sorted({*folders} ^ {*ORDER})]
    for path in sorted([*root.glob("src/**/*.[ch]"), *root.glob("src/**/*.inl"), *root.glob("include/**/*.h"),
                        *root.glob("apps/**/*.[ch]"), *root.glob("apps/**/*.cpp")]):
        relative = path.relative_to(root)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            target = module_of(match.group(1)) if match else None
            if target is None or target == "telar":
                continue
            if relative.parts[0] == "include":
                wrong.append(f"{relative}:{number}: a public header includes {match.group(1)}")
            elif relative.parts[0] == "apps" and target in ORDER:
                wrong.append(f"{relative}:{number}: an app includes {match.group(1)}; use <telar/...>")
            elif relative.parts[0] == "src":
                own = relative.parts[1]
                if target in ORDER and (ORDER.index(target) > ORDER.index(own) or (own, target) in FORBIDDEN):
                    wrong.append(f"{relative}:{number}: {own} may not include {target}")
    print("\n".join(wrong) if wrong else "includes point in one direction")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
