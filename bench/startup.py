"""How long does `knee --version` take, beside `true`? Interleaved, median of 50.

Usage: .venv/bin/python bench/startup.py
"""

import shutil
import subprocess
import time

import numpy as np

from knee import _binary


def main() -> None:
    """Measure and print."""
    programs = {"knee --version": [str(_binary.find()), "--version"], "true": [str(shutil.which("true"))]}
    times: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(50):
        for name, words in programs.items():
            begin = time.perf_counter()
            subprocess.run(words, stdout=subprocess.DEVNULL, check=True)
            times[name].append(1e3 * (time.perf_counter() - begin))
    for name, taken in times.items():
        print(f"{name}: median {np.median(taken):.2f} ms, slowest {max(taken):.2f} ms")


if __name__ == "__main__":
    main()
