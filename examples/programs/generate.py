"""Writes what the programs here work on: the same bytes every time, on every machine.

Usage: python3 generate.py rows COUNT FILE        a table with the columns key, team, amount
       python3 generate.py project UNITS FOLDER   a C project with so many units and a Makefile
"""

import random
import sys
from collections.abc import Iterator
from pathlib import Path

TEAMS = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "haven")


def rows(count: int) -> Iterator[str]:
    """Yield lines in no order; `random` alone is promised to give the same numbers in every version of Python."""
    draw = random.Random(1).random
    for _ in range(count):
        key, team, amount = int(draw() * 1e9), TEAMS[int(draw() * len(TEAMS))], int(draw() * 1e6)
        yield f"{key:09d},{team},{amount}\n"


def unit(number: int) -> str:
    """Return a C file with functions enough to keep a compiler busy for some hundredths of a second."""
    return "".join(
        f"""
double unit_{number}_{part}(const double *in, double *out, int n) {{
    double sum = {part};
    for (int i = 1; i < n - 1; i++) {{
        out[i] = in[i - 1] * {number + 1}.0 + in[i] * {part + 2}.0 - in[i + 1] / {number + part + 3}.0;
        if (out[i] > sum)
            sum += out[i] * out[i];
        else
            out[i] = sum - in[i];
    }}
    return sum;
}}
"""
        for part in range(3)
    )


def main_unit(units: int) -> str:
    """Return a C file that calls a function of every unit."""
    names = [f"unit_{number}_0" for number in range(units)]
    declared = "".join(f"double {name}(const double *, double *, int);\n" for name in names)
    called = "".join(f"    sum += {name}(in, out, 64);\n" for name in names)
    return (
        f"#include <stdio.h>\n{declared}\nint main(void) {{\n    double in[64] = {{1}}, out[64] = {{0}}, sum = 0;\n"
        f'{called}    printf("%g\\n", sum);\n    return 0;\n}}\n'
    )


def makefile(units: int) -> str:
    """Return a Makefile of independent units, which are linked by one command at the end."""
    objects = " ".join(["main.o", *(f"unit{number}.o" for number in range(units))])
    return f"CFLAGS = -O2 -Wall\n\nprogram: {objects}\n\t$(CC) -o $@ $^\n"


def project(units: int, folder: Path) -> None:
    """Write the C project."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(units):
        (folder / f"unit{number}.c").write_text(unit(number))
    (folder / "main.c").write_text(main_unit(units))
    (folder / "Makefile").write_text(makefile(units))


def main() -> None:
    """Read the arguments and write."""
    kind, count, target = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    if kind == "project":
        project(count, target)
    elif kind == "rows":
        with target.open("w") as file:
            file.writelines(rows(count))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
