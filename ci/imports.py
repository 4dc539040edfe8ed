"""Checks which crates and Python rooms import each other, by cargo's metadata and Python's syntax trees."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent

CRATES = {
    "knee-machine": set(),
    "knee-meter": {"knee-machine"},
    "knee-region": set(),
    "knee-workload": {"knee-machine"},
    "knee-runtime": {"knee-machine"},
    "knee-kernels": {"knee-machine", "knee-runtime", "knee-workload"},
    "knee-mining": {"knee-machine", "knee-parts", "knee-runtime", "knee-workload"},
    "knee-parts": {"knee-workload"},
    "knee-probes": {"knee-machine", "knee-workload"},
    "knee-query": {"knee-machine", "knee-parts", "knee-runtime", "knee-workload"},
    "knee": {
        "knee-machine",
        "knee-meter",
        "knee-region",
        "knee-workload",
        "knee-kernels",
        "knee-mining",
        "knee-parts",
        "knee-probes",
        "knee-query",
    },
}
"""Each crate and the crates of this workspace that it may depend on."""

ROOMS = {
    "store": set(),
    "_binary": {"store"},
    "mine": {"_binary", "store"},
    "cluster": {"_binary", "store"},
    "terminal": {"store"},
    "study": {"_binary", "store", "terminal"},
    "stats": set(),
    "explain": {"stats", "store"},
    "plots": {"stats", "store"},
    "opened": {"explain", "plots", "store"},
    "report": {"explain", "plots", "stats", "store", "opened", "terminal"},
    "verbs": {"_binary", "explain", "opened", "report", "stats", "store", "study", "terminal"},
    "libraries": set(),
    "cli": {"_binary", "libraries", "store", "verbs"},
    "__main__": {"cli"},
    "regions": set(),
    "__init__": {"mine", "opened", "regions"},
}
"""Each room of the Python package and the rooms that it may import; third-party libraries are not restricted."""

LIBRARIES = {
    "cluster": {"cloudpickle", "distributed", "pandas", "py4j", "pyarrow", "pyspark"},
    "mine": {"numpy"},
    "regions": set(),
    "stats": {"numpy", "scipy"},
    "store": set(),
    "study": {"click", "rich", "tomli_w"},
}
"""Rooms that may import only these libraries besides the standard library."""

STARTERS = {
    "_binary.py",
    "cluster/parts.py",
    "cluster/worker.py",
    "study/run/compiler.py",
    "study/run/execute.py",
    "study/run/runner.py",
}
"""The only modules that may start processes."""


def crates() -> list[str]:
    """Return forbidden dependencies between crates."""
    words = ["cargo", "metadata", "--format-version", "1", "--no-deps", "--locked"]
    packages = json.loads(subprocess.run(words, cwd=ROOT, check=True, capture_output=True).stdout)["packages"]
    wrong = []
    for package in packages:
        ours = {d["name"] for d in package["dependencies"] if d["name"].startswith("knee") and d["kind"] != "dev"}
        allowed = CRATES.get(package["name"])
        if allowed is None:
            wrong.append(f"crate {package['name']} is missing in ci/imports.py")
        elif not ours <= allowed:
            wrong.append(f"crate {package['name']} may not depend on {', '.join(sorted(ours - allowed))}")
    return wrong


def imported(tree: ast.AST) -> set[str]:
    """Return every module that a syntax tree imports, `from knee import x` as `knee.x`."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            ours = node.module == "knee"
            found |= {f"knee.{alias.name}" for alias in node.names} if ours else {node.module}
    return found


def rooms() -> list[str]:
    """Return forbidden imports between Python rooms."""
    package, wrong = ROOT / "python/knee", []
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package)
        room = name.parts[0].removesuffix(".py")
        modules = imported(ast.parse(path.read_text()))
        ours = {module.split(".")[1] for module in modules if module.startswith("knee.")} - {room, "__version__"}
        if room not in ROOMS:
            wrong.append(f"{name}: room {room} is missing in ci/imports.py")
            continue
        wrong += [f"{name} may not import knee.{other}" for other in sorted(ours - ROOMS[room])]
        if room in LIBRARIES:
            foreign = {m.split(".")[0] for m in modules} - set(sys.stdlib_module_names) - {"knee", "__future__"}
            wrong += [f"{name} may not import {other}" for other in sorted(foreign - LIBRARIES[room])]
        if {"subprocess", "multiprocessing"} & modules and str(name) not in STARTERS:
            wrong.append(f"{name} may not start processes")
    return wrong


def main() -> int:
    """Print every violation; return 1 if there is one."""
    wrong = crates() + rooms()
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
