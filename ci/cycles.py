"""Checks for import cycles: none between Python modules, none between Rust files of different folders.

Every import counts, including those inside functions and those only for type checkers. A name that a Rust file
re-exports (`pub use`) stands for the file that defines it.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parent.parent

Graph = dict[str, set[str]]
"""Maps each file to the files that it uses, as paths relative to the project's folder."""


def python_files(package: Path) -> Graph:
    """Return the imports between the modules of the package."""
    modules = {module_name(path, package): path for path in sorted(package.rglob("*.py"))}
    graph: Graph = {}
    for path in modules.values():
        uses = python_uses(ast.parse(path.read_text()), modules)
        graph[shown(path)] = {shown(modules[one]) for one in uses} - {shown(path)}
    return graph


def module_name(path: Path, package: Path) -> str:
    """Return the dotted name of a module."""
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def python_uses(tree: ast.AST, modules: dict[str, Path]) -> set[str]:
    """Return our own modules that a syntax tree imports; `from a import b` is `a.b` if that is a module."""
    uses: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            uses |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = {alias.name: f"{node.module}.{alias.name}" for alias in node.names}
            uses |= {full if full in modules else node.module for full in inner.values()}
    return {one for one in uses if one in modules}


@dataclass
class Module:
    """A file of a crate: its inner modules, the names that it re-exports, and the paths that it uses."""

    path: Path
    parent: Module | None = None
    children: dict[str, Module] = field(default_factory=dict)
    handed_on: dict[str, list[str]] = field(default_factory=dict)
    paths: list[list[str]] = field(default_factory=list)


USE = re.compile(r"^\s*(pub(?:\([^)]*\))?\s+)?use\s+([^;]+);", re.MULTILINE)
INNER = re.compile(r"^\s*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*;", re.MULTILINE)
INLINE = re.compile(r"\b((?:crate|super|self)(?:::\w+)+)")
TESTS = re.compile(r"^#\[cfg\((?:all\()?test[^\n]*\n(?:#\[[^\n]*\n)*mod \w+ \{\n.*?^\}", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"//[^\n]*")


def rust_files(crate: Path) -> Graph:
    """Return the uses between the files of a crate, without unit tests inside files."""
    entry = next(path for path in (crate / "src/lib.rs", crate / "src/main.rs") if path.exists())
    root = read_module(entry, entry.parent, None)
    graph: Graph = {}
    for module in walk(root):
        files = {target for path in module.paths if (target := resolve(path, module, root))}
        graph[shown(module.path)] = {shown(path) for path in files} - {shown(module.path)}
    return graph


def read_module(path: Path, folder: Path, parent: Module | None) -> Module:
    """Parse a file and the modules that it declares, which are in ``folder``."""
    text = COMMENT.sub("", TESTS.sub("", path.read_text()))
    module = Module(path, parent)
    for name in INNER.findall(text):
        inside = [one for one in (folder / f"{name}.rs", folder / name / "mod.rs") if one.exists()]
        if inside:
            module.children[name] = read_module(inside[0], folder / name, module)
    for public, tree in USE.findall(text):
        for name, parts in leaves(re.sub(r"\s+", " ", tree), []):
            if public:
                module.handed_on[name] = parts
            else:
                module.paths.append(parts)
    module.paths += [found.split("::") for found in INLINE.findall(USE.sub("", text))]
    # After `mod x;`, the same file uses it by its short path: `x::f()`.
    for name in module.children:
        module.paths += [["self", name]] * bool(re.search(rf"(?<![\w:]){name}::", USE.sub("", text)))
    return module


def leaves(tree: str, before: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield each name that a `use` tree imports, with its path."""
    tree = tree.strip()
    head, brace, rest = tree.partition("{")
    if brace:
        parts = before + [part for part in head.strip().split("::") if part]
        for one in split(rest.rpartition("}")[0]):
            yield from leaves(one, parts)
        return
    path, _, alias = tree.partition(" as ")
    parts = before + [part for part in path.strip().split("::") if part]
    parts = parts[:-1] if parts[-1] == "self" and len(parts) > 1 else parts
    yield alias.strip() or parts[-1], parts


def split(text: str) -> list[str]:
    """Split at commas outside of braces."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "{") - (letter == "}")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part for part in parts if part.strip()]


def resolve(path: list[str], at: Module, root: Module, depth: int = 0) -> Path | None:
    """Return the file that defines the item of a path; None for other crates and the standard library."""
    module, parts = at, list(path)
    if parts[0] == "crate":
        module = root
    elif parts[0] == "super":
        while parts[0] == "super" and len(parts) > 1:
            module, parts = module.parent or module, parts[1:]
        parts = ["super", *parts]
    elif parts[0] != "self":
        if parts[0] not in at.children:
            return None
        parts = ["self", *parts]
    for index, part in enumerate(parts[1:], 1):
        if part in module.children:
            module = module.children[part]
        elif part in module.handed_on and depth < 8:
            return resolve([*module.handed_on[part], *parts[index + 1 :]], module, root, depth + 1) or module.path
        else:
            break
    return module.path


def walk(module: Module) -> Iterator[Module]:
    """Yield a module and all modules inside it."""
    yield module
    for child in module.children.values():
        yield from walk(child)


def shown(path: Path) -> str:
    """Return a path relative to the project's folder."""
    return str(path.relative_to(ROOT))


def cycles(graph: Graph) -> list[list[str]]:
    """Return the import cycles: strongly connected components of at least two files (Tarjan, 1972)."""
    numbers: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    loops: list[list[str]] = []

    def visit(node: str) -> None:
        numbers[node] = lowest[node] = len(numbers)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in numbers:
                visit(other)
                lowest[node] = min(lowest[node], lowest[other])
            elif other in stack:
                lowest[node] = min(lowest[node], numbers[other])
        if lowest[node] == numbers[node]:
            at = stack.index(node)
            loop = stack[at:]
            del stack[at:]
            loops.extend([sorted(loop)] if len(loop) > 1 else [])

    for node in sorted(graph):
        if node not in numbers:
            visit(node)
    return loops


def words(loop: list[str], graph: Graph) -> str:
    """Return the message for a cycle, with its imports."""
    ties = [f"{one} -> {other}" for one in loop for other in sorted(graph[one]) if other in loop]
    return f"{len(loop)} files import each other: {'; '.join(ties)}"


def main() -> int:
    """Print every cycle; return 1 if there is one."""
    wrong: list[str] = []
    graph = python_files(ROOT / "python/knee")
    wrong += [words(loop, graph) for loop in cycles(graph)]
    for crate in sorted((ROOT / "crates").iterdir()):
        graph = rust_files(crate)
        across = [loop for loop in cycles(graph) if len({str(Path(file).parent) for file in loop}) > 1]
        wrong += [words(loop, graph) for loop in across]
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
