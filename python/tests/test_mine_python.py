"""`knee.mine` on the graphs of other libraries: the same counts, and the user's own vertices."""

import contextlib
import importlib
import itertools
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from conftest import ROOT, skipped

import knee
from knee.store import StudyError

Pairs = list[tuple[int, int]]

PATTERNS = {
    "wedge": [(0, 1), (1, 2)],
    "triangle": [(0, 1), (1, 2), (0, 2)],
    "claw": [(0, 1), (0, 2), (0, 3)],
    "path-4": [(0, 1), (1, 2), (2, 3)],
    "square": [(0, 1), (1, 2), (2, 3), (3, 0)],
    "paw": [(0, 1), (1, 2), (0, 2), (2, 3)],
    "diamond": [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)],
    "4-clique": [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3)],
}


def library(name: str):
    """Return a library that knee does not need, or skip the test."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return skipped(f"knee.mine on graphs of {name}", f"{name} is not installed")


def drawn(rng: random.Random) -> Pairs:
    """Return edges of a small random graph in both directions, some twice, some loops."""
    vertices, share = rng.randint(1, 8), rng.random()
    every = [(a, b) for a in range(vertices) for b in range(vertices)]
    return [pair for pair in every if rng.random() < share / (3 if pair[0] == pair[1] else 1)]


def counted(edges: Pairs, pattern: Pairs, induced: str) -> int:
    """Count by trying every choice of vertices."""
    joined = {frozenset(pair) for pair in edges if len(set(pair)) == 2}
    wanted = {frozenset(pair) for pair in pattern}
    size = len({end for pair in pattern for end in pair})
    slots = list(itertools.combinations(range(size), 2))
    needed = [
        (a, b, frozenset((a, b)) in wanted) for a, b in slots if induced == "vertex" or frozenset((a, b)) in wanted
    ]

    def copies(vertices, joined) -> int:
        fits = (
            all((frozenset((chosen[a], chosen[b])) in joined) == is_edge for a, b, is_edge in needed)
            for chosen in itertools.permutations(vertices, size)
        )
        return sum(fits)

    return copies({end for pair in edges for end in pair}, joined) // copies(range(size), wanted)


def named(edges: Pairs) -> list[tuple[str, str]]:
    return [(f"v{a}", f"v{b}") for a, b in edges]


def matrix_of(edges: Pairs, kind: Callable):
    rows, columns = np.array(edges, int).reshape(-1, 2).T
    return kind((np.ones(len(edges)), (rows, columns)), shape=(9, 9))


def digraph_of(edges: Pairs):
    return library("networkx").MultiDiGraph(edges)


def ring_of(edges: Pairs):
    return library("igraph").Graph(n=9, edges=edges)


def table_of(edges: Pairs):
    weights = list(range(len(edges)))
    sources, targets = zip(*named(edges), strict=True) if edges else ((), ())
    arrow = library("pyarrow")
    text = arrow.string()
    return arrow.table({"weight": weights, "target": arrow.array(targets, text), "source": arrow.array(sources, text)})


def numbers_of(edges: Pairs):
    arrow = library("pyarrow")
    return arrow.table([arrow.array([pair[at] for pair in edges], arrow.int32()) for at in (0, 1)], names=["a", "b"])


def frame_of(edges: Pairs):
    return library("pandas").DataFrame(edges, columns=["from", "to"], dtype="int64")


KINDS: dict[str, Callable] = {
    "numpy": lambda edges: np.array(edges, np.int64).reshape(-1, 2),
    "numpy by columns": lambda edges: np.asfortranarray(np.array(edges, np.uint8).reshape(-1, 2)),
    "numpy, big-endian, a slice": lambda edges: np.array(edges, ">u4").reshape(-1, 2)[::-1],
    "coo": lambda edges: matrix_of(edges, scipy.sparse.coo_array),
    "csr": lambda edges: matrix_of(edges, scipy.sparse.csr_matrix),
    "networkx": lambda edges: library("networkx").Graph(named(edges)),
    "networkx, directed, many edges": digraph_of,
    "networkx edges": lambda edges: library("networkx").Graph(edges).edges,
    "networkx edges of a multigraph": lambda edges: library("networkx").MultiGraph(edges).edges,
    "igraph": ring_of,
    "pyarrow text": table_of,
    "pyarrow numbers": numbers_of,
    "pandas": frame_of,
    "pandas text": lambda edges: library("pandas").DataFrame(named(edges), columns=["target", "source"], dtype=str),
    "pairs": lambda edges: [(("at", a), ("at", b)) for a, b in edges],
    "a generator": lambda edges: iter(named(edges)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_graphs_of_every_kind_have_the_counts_of_brute_force(kind):
    rng = random.Random(f"counts {kind}")
    for _ in range(50):
        edges = drawn(rng)
        name, induced = rng.choice(list(PATTERNS)), rng.choice(["edge", "vertex"])
        expected = counted(edges, PATTERNS[name], induced)
        assert knee.mine.count(KINDS[kind](edges), name, induced=induced, threads=1) == expected, (edges, name, induced)


@pytest.mark.parametrize("seeds", [range(100), pytest.param(range(100, 1000), marks=pytest.mark.nightly)], ids=str)
def test_counts_are_those_of_networkx(seeds):
    networkx = library("networkx")
    from networkx.algorithms.isomorphism import GraphMatcher

    for seed in seeds:
        graph = networkx.gnp_random_graph(14, 0.1 + seed % 5 / 8, seed=seed)
        assert knee.mine.count(graph, "triangle", threads=1) == sum(networkx.triangles(graph).values()) // 3
        pattern = networkx.Graph(PATTERNS[list(PATTERNS)[seed % len(PATTERNS)]])
        symmetries = sum(1 for _ in GraphMatcher(pattern, pattern).isomorphisms_iter())
        exactly = sum(1 for _ in GraphMatcher(graph, pattern).subgraph_isomorphisms_iter())
        assert knee.mine.count(graph, pattern, induced="vertex", threads=1) == exactly // symmetries
        assert knee.mine.exists(graph, pattern, induced="vertex", threads=1) is (exactly > 0)


def test_motifs_are_counted_by_name():
    edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4)]
    for induced in ("edge", "vertex"):
        counts = knee.mine.motifs(edges, 4, induced=induced)
        assert len(counts) == 6
        for name in set(counts) & set(PATTERNS):
            assert counts[name] == counted(edges, PATTERNS[name], induced), name
    assert knee.mine.motifs(edges, 3) == {"triangle": 1, "wedge": 3}
    assert sum(knee.mine.motifs([], 5).values()) == 0


@pytest.mark.parametrize("kind", KINDS)
def test_copies_are_of_the_users_own_vertices_in_the_patterns_order(kind):
    edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (5, 2)]
    graph = KINDS[kind](edges)
    own = {"text": "v{}".format, "generator": "v{}".format, "networkx": "v{}".format, "pairs": lambda at: ("at", at)}
    of = own.get(kind.rsplit(" ", 1)[-1], int)
    copies = knee.mine.match(graph, "hub-left,left-right,right-hub,hub-out")
    assert {(copy[0], copy[3]) for copy in copies} == {(of(2), of(3)), (of(2), of(5))}
    assert {frozenset(copy[1:3]) for copy in copies} == {frozenset([of(0), of(1)])}
    assert all(type(vertex) is type(of(0)) for copy in copies for vertex in copy)


def test_the_number_of_copies_is_limited():
    star = [("hub", leaf) for leaf in range(100)]
    assert len(knee.mine.match(star, "wedge")) == 10
    assert len(knee.mine.match(star, "wedge", limit=np.int64(99 * 50))) == 99 * 50
    assert knee.mine.match(star, "triangle") == []


def test_patterns_are_text_graphs_or_pairs_and_their_order_is_that_of_their_edges():
    graph = [("a", "b"), ("b", "c"), ("c", "d"), ("c", "e")]
    wheel = [("rim", "hub"), ("hub", 3), ("rim", "hub"), ("hub", "out")]
    expected = {("b", "c", frozenset("de")), ("d", "c", frozenset("be")), ("e", "c", frozenset("bd"))}
    networkx, igraph = library("networkx"), library("igraph")
    for pattern in (
        wheel,
        iter(wheel),
        networkx.MultiGraph(wheel),
        igraph.Graph(edges=[(0, 1), (1, 2), (1, 3)]),
        networkx.Graph(wheel).edges,
    ):
        copies = knee.mine.match(graph, pattern)
        assert {frozenset((copy[0], *copy[2:])) for copy in copies} == {frozenset("bde")}
        assert {copy[1] for copy in copies} == {"c"}
        assert (copies[0][0], copies[0][1], frozenset(copies[0][2:])) in expected
    assert knee.mine.count(graph, np.array([[5, 9]])) == knee.mine.count(graph, "graph6:A_") == 4


def test_files_and_descriptions_are_taken_as_on_the_command_line(tmp_path, monkeypatch, binary):
    (tmp_path / "-edges.txt").write_text("7 8\n8 9\n9 7\n")
    monkeypatch.chdir(tmp_path)
    for graph in ("-edges.txt", Path("-edges.txt"), tmp_path / "-edges.txt"):
        assert sorted(knee.mine.match(graph, "triangle")[0]) == [7, 8, 9]
    words = [binary, "mine", "count", "--pattern", "house", "rmat:8"]
    told = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert knee.mine.count("rmat:8", "house", plan="explore", threads=2) == int(told)
    (tmp_path / "headed.txt").write_text("3 2\n0 1\n1 2\n")
    with pytest.warns(
        UserWarning, match=r"first line of headed.txt is taken for a header.*3 vertices, 2 edges"
    ) as seen:
        assert knee.mine.count("headed.txt", "wedge") == 1
    assert seen[0].filename == __file__


def test_a_table_may_have_as_many_rows_as_columns():
    frame = library("pandas").DataFrame([[0, 1, 5], [1, 2, 6], [2, 0, 7]])
    assert knee.mine.count(frame, "triangle") == 1


def test_files_of_numpy_are_graphs_on_the_command_line(tmp_path, binary):
    edges = np.array([(1, 2), (2, 3), (3, 1), (3, 1 << 40)])
    for dtype, order in itertools.product(["<i8", ">i8", "<u8", ">u8"], "CF"):
        path = tmp_path / "edges.whatever"
        with path.open("wb") as file:
            np.save(file, np.array(edges, dtype, order=order))
        words = [binary, "mine", "match", "--pattern", "paw", str(path)]
        told = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
        assert told[1:] == ["2 1 3 1099511627776"]
    for version in ((1, 0), (2, 0), (3, 0)):
        with path.open("wb") as file:
            np.lib.format.write_array(file, edges, version)
        assert knee.mine.count(path, "wedge") == 5


def a_frame(**columns):
    return library("pandas").DataFrame(columns)


def a_matrix():
    library("pandas")
    networkx = library("networkx")
    return networkx.to_pandas_adjacency(networkx.complete_graph("abc"), dtype=int)


def a_table(**columns):
    return library("pyarrow").table(columns)


@pytest.mark.parametrize(
    ("graph", "kind", "reason"),
    [
        (lambda: 7, TypeError, "int is not a graph: give a file's path, a numpy array"),
        (lambda: b"ab", TypeError, "bytes is not a graph"),
        (lambda: ["ab", "bc"], TypeError, "edge 0 of the graph is 'ab', but an edge is a pair of hashable vertices"),
        (lambda: [(0, 1), (0, 1, 2)], TypeError, r"edge 1 of the graph is \(0, 1, 2\), but an edge is a pair"),
        (lambda: [([0], 1)], TypeError, r"edge 0 of the graph is \(\[0\], 1\), but an edge is a pair of hashable"),
        (lambda: {0: [1, 2]}, TypeError, "edge 0 of the graph is 0, but"),
        (lambda: [("a", "b"), (None, "b")], ValueError, "edge 1 of the graph has no value at one end, but edges have"),
        (lambda: [(1, float("nan"))], ValueError, "edge 0 of the graph has no value at one end"),
        (lambda: np.array([["a", "b"], ["c", None]], object), ValueError, "edge 1 of the array has no value at one"),
        (lambda: np.zeros((2, 5), int), ValueError, r"shape \(2, 5\), but edges are rows of two.*transpose, .T"),
        (lambda: np.zeros((5, 5), int), ValueError, r"shape \(5, 5\), but .*scipy.sparse.coo_array"),
        (lambda: np.zeros(4, int), ValueError, r"shape \(4,\), but edges .* shape \(m, 2\)"),
        (lambda: np.zeros((4, 2)), TypeError, r"type float64, but vertices are whole numbers: try .astype\(int\)"),
        (lambda: np.array([[0, 1], [2, -3]]), ValueError, r"row 1 of the array is \[2, -3\], but .* not below zero"),
        (lambda: np.ma.masked_array([[0, 1]]), TypeError, "the array has a mask, but every row is an edge"),
        (lambda: library("igraph").Graph([(0, 1)]).es, TypeError, "EdgeSeq of igraph is not a graph"),
        (lambda: scipy.sparse.coo_array((2, 3)), ValueError, "2 rows and 3 columns, but a graph has as many"),
        (lambda: scipy.spatial.Delaunay(np.eye(3, 2)), TypeError, "Delaunay of scipy is not a graph"),
        (lambda: library("networkx").grid_2d_graph(2, 2).nodes, TypeError, "NodeView of networkx is not a graph: give"),
        (lambda: library("networkx").path_graph(3).degree, TypeError, "DegreeView of networkx is not a graph"),
        (a_matrix, ValueError, "same names for rows and columns, as a matrix of neighbours.*coo_array"),
        (lambda: a_frame(a=[1, 2]), ValueError, "the DataFrame has 1 columns, but edges have two ends"),
        (lambda: a_frame(a=[1, 2], b=[3, None]), ValueError, "row 1 of the DataFrame has no value in 'b'"),
        (lambda: a_frame(a=["x"], b=[None]), ValueError, "row 0 of the DataFrame has no value in 'b'"),
        (lambda: a_frame(a=[1, 2], b=[3, 0.5]), TypeError, "the DataFrame has vertices of type float64"),
        (lambda: a_frame(a=[1, 2], b=[3, -5]), ValueError, "row 1 of the DataFrame has the vertex -5"),
        (lambda: a_frame(a=[1, 2])["a"], TypeError, "Series of pandas is not a graph"),
        (lambda: a_table(a=[1, 2]), ValueError, "the Table has 1 columns, but edges have two ends"),
        (lambda: a_table(a=[1, 2], b=[3, None]), ValueError, "row 1 of the Table has no value in 'b'"),
        (lambda: a_table(a=[[1], [2]], b=[3, 4]), TypeError, "edge 0 of the Table is"),
        (lambda: a_table(a=[1])["a"], TypeError, "ChunkedArray of pyarrow is not a graph"),
        (lambda: "no such file", StudyError, "cannot read graph: no such file: No such file"),
        (lambda: "rmat:99", StudyError, "bad graph: rmat:99; expected rmat:SCALE"),
    ],
)
def test_what_is_no_graph_is_said(graph, kind, reason):
    with pytest.raises(kind, match=reason):
        knee.mine.count(graph(), "triangle")


@pytest.mark.parametrize(
    ("pattern", "kind", "reason"),
    [
        (7, TypeError, "int is not a pattern: give its name or edges as text"),
        ("horse", StudyError, "bad pattern: horse: 'horse' is neither a pattern's name"),
        ([], ValueError, "the pattern has no edge"),
        ([(0, 0)], ValueError, "the pattern joins 0 to itself"),
        (["ab"], TypeError, "edge 0 of the pattern is 'ab', but an edge is a pair"),
        ([(0, 1), (2, 3)], StudyError, "it has several pieces"),
        (itertools.pairwise(itertools.count()), ValueError, "the pattern has more than 8 vertices"),
    ],
)
def test_what_is_no_pattern_is_said(pattern, kind, reason):
    with pytest.raises(kind, match=reason):
        knee.mine.exists([(0, 1)], pattern)


def test_patterns_with_directions_or_lonely_nodes_are_refused():
    networkx, igraph = library("networkx"), library("igraph")
    directed = networkx.DiGraph([(0, 1)])
    for pattern in (directed, directed.edges, igraph.Graph(edges=[(0, 1)], directed=True)):
        with pytest.raises(ValueError, match="the pattern has directions"):
            knee.mine.count([(0, 1)], pattern)
    lonely = networkx.Graph([(0, 1)])
    lonely.add_node("x")
    for pattern, name in ((lonely, "'x'"), (igraph.Graph(n=3, edges=[(0, 1)]), "vertex 2")):
        with pytest.raises(ValueError, match=f"{name} has no edge in the pattern"):
            knee.mine.count([(0, 1)], pattern)


def test_the_binarys_refusals_name_the_graph_and_what_to_try():
    with pytest.raises(StudyError, match="bad pattern: horse") as error:
        knee.mine.count([(0, 1)], "horse")
    assert error.value.hint in "".join(error.value.__notes__)
    for words in ({"threads": 0}, {"limit": 0}, {"induced": "both"}):
        with pytest.raises(StudyError, match=r"\b0\b|both"):
            knee.mine.match([(0, 1)], "triangle", **words)
    with pytest.raises(TypeError, match=r"threads is 1\.5, but it is a whole number"):
        knee.mine.count([(0, 1)], "triangle", threads=1.5)


def test_a_binary_that_is_killed_is_said(monkeypatch, tmp_path):
    killed = tmp_path / "knee"
    killed.write_text("#!/bin/sh\nkill -9 $$\n")
    killed.chmod(0o755)
    monkeypatch.setenv("KNEE_BIN", str(killed))
    with pytest.raises(StudyError, match="it was ended by signal 9") as error:
        knee.mine.count([(0, 1)], "triangle")
    assert "out of memory" in (error.value.hint or "")


def test_a_binary_that_is_not_there_is_said(monkeypatch, tmp_path):
    monkeypatch.setenv("KNEE_BIN", str(tmp_path / "none"))
    with pytest.raises(StudyError, match=r"cannot start .*/none: No such file or directory") as error:
        knee.mine.count([(0, 1)], "triangle")
    assert "KNEE_BIN" in (error.value.hint or "")


def test_what_this_process_alone_has_open_is_read(tmp_path):
    program = "import knee, sys; print(knee.mine.count(sys.argv[1], 'triangle'))"
    for path in ("/dev/stdin", "/dev/fd/0"):
        words = [sys.executable, "-c", program, path]
        done = subprocess.run(words, input="1 2\n2 3\n3 1\n", capture_output=True, text=True, timeout=60, check=True)
        assert done.stdout == "1\n"
    odd = tmp_path / os.fsdecode(b"caf\xe9.txt")
    odd.write_text("1 2\n2 3\n3 1\n")
    assert knee.mine.count(odd, "triangle") == 1
    with pytest.raises(StudyError, match="cannot read '/dev/fd/77': No such file"):
        knee.mine.count("/dev/fd/77", "triangle")


def test_a_full_disk_is_said(monkeypatch):
    monkeypatch.setattr("numpy.save", lambda *_, **__: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(StudyError, match=r"cannot write the edges: .*No space left") as error:
        knee.mine.count([(0, 1)], "triangle")
    assert "TMPDIR" in (error.value.hint or "")


def test_no_library_is_imported_but_the_graphs_own():
    program = (
        "import sys, knee; knee.mine.count([(0, 1)], 'wedge');"
        "print(sorted({'networkx', 'igraph', 'scipy', 'pandas', 'pyarrow', 'altair'} & set(sys.modules)))"
    )
    assert python(program).stdout == "[]\n"


def python(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)


def children(process: int) -> list[int]:
    listed = Path(f"/proc/{process}/task/{process}/children")
    return [int(word) for word in listed.read_text().split()]


def test_an_interrupted_call_leaves_neither_process_nor_file(tmp_path):
    program = (
        "import numpy, knee\n"
        "edges = numpy.random.default_rng(1).integers(0, 3000, (400_000, 2))\n"
        "knee.mine.count(edges, 'cycle-7', plan='explore', threads=1)\n"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    words = [sys.executable, "-c", program]
    with subprocess.Popen(words, env=environment, stderr=subprocess.PIPE, text=True) as process:
        until = time.monotonic() + 60
        while not (started := children(process.pid)) and time.monotonic() < until:
            time.sleep(0.05)
        assert len(started) == 1
        time.sleep(0.5)
        # A stream that was read already and a process that has ended would pass unnoticed.
        assert Path(f"/proc/{started[0]}").exists()
        assert list(tmp_path.iterdir()) == []
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        assert process.stderr.read().endswith("KeyboardInterrupt\n")
    # The count itself would take far longer.
    until = time.monotonic() + 10
    while Path(f"/proc/{started[0]}").exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert not Path(f"/proc/{started[0]}").exists()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGKILL])
def test_a_count_ends_with_the_program_that_asked(sign):
    program = (
        "import numpy, knee\n"
        "edges = numpy.random.default_rng(1).integers(0, 3000, (400_000, 2))\n"
        "knee.mine.count(edges, 'cycle-7', plan='explore', threads=1)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program]) as process:
        until = time.monotonic() + 60
        while not (started := children(process.pid)) and time.monotonic() < until:
            time.sleep(0.05)
        time.sleep(0.5)
        process.send_signal(sign)
    own = Path(f"/proc/{started[0]}/stat")

    def lives() -> bool:
        try:
            return own.read_text().rpartition(")")[2].split()[0] != "Z"
        except OSError:
            return False

    until = time.monotonic() + 10
    try:
        while lives():
            assert time.monotonic() < until, "it still counts"
            time.sleep(0.05)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(started[0], signal.SIGKILL)


def test_the_guides_programs_run(tmp_path):
    guide = (ROOT / "docs/guides/patterns.md").read_text()
    programs = [part.partition("```")[0] for part in guide.split("```python\n")[1:]]
    assert len(programs) == 5
    library("networkx")
    library("igraph")
    python("\n".join(programs))
