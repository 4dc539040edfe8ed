"""Gives every reader mutated inputs, for some seconds each, and keeps the totals.

`cargo fuzz` (`fuzz/`) fuzzes the Rust readers and keeps their corpus, which begins with the examples in SEEDS. Python
readers and run specs get the next inputs of a numbered list (`python/tests/mutated.py`). Both continue where the last
call ended. The totals are in `target/fuzz/totals.json`, or in the folder that KNEE_FUZZ names. The exit status is 1 if
this call found something.

    ci/fuzz.py [--seconds 120] [READER...]
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
KEPT = Path(os.environ.get("KNEE_FUZZ", ROOT / "target/fuzz"))
TOTALS = KEPT / "totals.json"
NIGHTLY = ("cargo", "+nightly", "fuzz")
MOST_FINDINGS = 20
"""Findings of a reader that are kept."""

SHARED = Path(os.environ.get("KNEE_SHARED", ROOT.parent / "shared"))
NUL = "\0"
PATH_OF_3 = "".join(f"{chr(begin)}{NUL * 7}" for begin in (0, 1, 2, 4)) + "".join(
    f"{chr(at)}{NUL * 3}" for at in range(3)
)
"""Where the lists of its vertices begin, and their ranks."""
SEEDS: dict[str, list[str] | Path] = {
    "cpu_lists": ["0-3,8", "0-15:2/4", "ff,00000000", "0x0000ffff,0xffff0000", "3,1,2"],
    "hwloc_xml": SHARED / "topologies/xml",
    "synthetic": ["pack:2 numa:1 l3:2 core:4 pu:2", "numa:4(memory=1GB) core:8 pu:1", "group:2 die:2 l2:1 core:2 pu:4"],
    "placement": ["sockets-spread+within:node:0,2+compact", "cores-close+per-core:2+leave-one", "0,2,4-6", "bind:0-1"],
    "events": ROOT / "crates/meter/events",
    "counters": ["instructions", "cycles:u,r01c4,msr/tsc/", "cpu/event=0x3c,umask=0x1/k", "uncore_imc/cas_count_read/"],
    "edges": [
        "0 1\n1 2\n2 0\n",
        "# a comment\n5\t7\n\n7 5 0.5\n",
        "% other\n1000000 2\r\n",
        "general\n3 3 2\n1 2 0.5\n3 2 1e3\n",
        "DhC\n",
        "4 4\n2 3\n1 3\n1 2 4\n3\n",
        "14:16:42",
        "1, 2)}\1\0\2\0",
    ],
    "query_sql": [
        "select l_returnflag as f, sum(l_tax * (1 - l_discount)) as s, avg(l_quantity), count(*) from lineitem"
        " where l_shipdate <= date '1998-12-01' - interval '90' day group by f order by s desc, 1 limit 3",
        "select min(c), max(g), count(e), sum(f) from t where a<b and not (e between 1 and 2.5 or d in (1, 2)) or f>0",
        "select d, max(c + 1), sum(e * e * d - e) from t where g <> 'a' and c > cast('1996-03-01' as date) group by d",
        "select l_shipmode, min(l_receiptdate - l_commitdate) from t where l_commitdate < l_receiptdate"
        " and l_shipmode in ('MAIL', 'SHIP') and l_extendedprice * l_discount >= 12.5 group by 1 order by 2",
    ],
    "query_dump": [
        '\1{"input":"","encoding":"","rows":9,"columns":[{"name":"a","kind":{"Decimal":2},"dictionary":null,"low":-5,'
        '"high":99999,"storage":{"Digits":{"count":2,"base":-5,"step":1}}},{"name":"b","kind":"Text","dictionary":'
        '["x","y"],"low":0,"high":1,"storage":{"Codes":{"width":"U8","base":0,"step":1}}}],"checksums":[]}\0\1\0',
        # Two columns of nine rows: whole numbers from 0 to 0x4000 in two bytes, and dates from 1 to 256 in four.
        "\2\2\t\0\0" + "\0\1\0\0\0\0\0\1\0\0\0\0\0\0\x40" + "\2\3\0\0\0\0\0\1\0\0\1\0\0\0\1" + "\1\0\0\0",
    ],
    "mine_labels": ["1 C\n2 N\n3 C\n40 O\n", "# atoms\n2\thub\r\n\n40,leaf\n", "1 \u00df_1\n9 x\n2 \u00df_1"],
    "pattern": ["house", "5-clique", "a-b,b-c,a!c", "a:C-b:N,b-c", "graph6:C~", "k2,3", "star-7"],
    # The path of three vertices, by name and without.
    "mine_dump": [
        '{"input":"","vertices":3,"members":4,"loops":0,"repeated":0,"first_line":null,"named":false,'
        '"checksums":[0,0,0]}\0' + PATH_OF_3 + "\2\0\0\0" * 2 + "\0\0\0\0\1\0\0\0",
        '{"input":"","vertices":3,"members":4,"loops":0,"repeated":0,"first_line":[3,2],"named":true,'
        '"checksums":[0,0,0,0]}\0'
        + PATH_OF_3
        + "".join(f"{name}{NUL * 7}" for name in "357")
        + "\2\0\0\0" * 2
        + "\0\0\0\0\1\0\0\0",
    ],
}
"""Examples for each fuzz target: texts, or a folder of files. `query_parquet` and `mine_parts` make their own."""

Total = dict[str, Any]


def main() -> int:
    """Fuzz, print a table of totals, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=120, help="for each reader")
    parser.add_argument("readers", nargs="*", help="all by default")
    asked = parser.parse_args()
    KEPT.mkdir(parents=True, exist_ok=True)
    totals: dict[str, Total] = json.loads(TOTALS.read_text()) if TOTALS.exists() else {}
    found = 0
    for name in rust_readers():
        if not asked.readers or name in asked.readers:
            found += with_cargo(name, asked.seconds, total_of(totals, name))
            keep(totals)
    found += with_python(asked.seconds, asked.readers, totals)
    if unknown := sorted({*asked.readers} - totals.keys()):
        sys.exit(f"knee: cannot fuzz: no reader {unknown}")
    print(f"{'reader':<16}{'seconds':>9}{'executions':>13}{'findings':>10}")
    for name, total in totals.items():
        print(f"{name:<16}{total['seconds']:>9.0f}{total['executions']:>13}{total['findings']:>10}")
    return 1 if found else 0


def total_of(totals: dict[str, Total], name: str) -> Total:
    """Return the total of a reader, which is new the first time."""
    return totals.setdefault(name, {"seconds": 0.0, "executions": 0, "findings": 0, "examples": []})


def keep(totals: dict[str, Total]) -> None:
    """Write the totals, whole or not at all."""
    partial = TOTALS.with_suffix(".partial")
    partial.write_text(json.dumps(totals, indent=1) + "\n")
    partial.replace(TOTALS)


def add(total: Total, finding: str) -> None:
    """Count a finding, and keep what it says."""
    total["findings"] += 1
    total["examples"] = [*total["examples"], finding][:MOST_FINDINGS]
    print(finding, file=sys.stderr)


def rust_readers() -> list[str]:
    """Return the names of the fuzz targets; without `cargo fuzz`, print a note and return none."""
    listed = subprocess.run([*NIGHTLY, "list"], capture_output=True, text=True, check=False, cwd=ROOT)
    if listed.returncode == 0:
        return listed.stdout.split()
    note = "SKIPPED ci/fuzz.py, Rust: no cargo fuzz, or no nightly toolchain: ci/setup.sh nightly"
    print(listed.stderr, file=sys.stderr, end="")
    print(note)
    if path := os.environ.get("KNEE_SKIPS"):
        with Path(path).open("a") as file:
            file.write(note + "\n")
    return []


def with_cargo(name: str, seconds: float, total: Total) -> int:
    """Run a fuzz target on its corpus; return the number of findings, at most 1."""
    corpus = KEPT / "corpus" / name
    corpus.mkdir(parents=True, exist_ok=True)
    examples = SEEDS.get(name, [])
    folders = [str(corpus)]
    if isinstance(examples, Path):
        folders += [str(examples)] if examples.is_dir() else []
    else:
        for number, text in enumerate(examples):
            (corpus / f"example-{number}").write_text(text)
    options = [f"-max_total_time={seconds:.0f}", "-print_final_stats=1", "-rss_limit_mb=2048", "-timeout=60"]
    command = [*NIGHTLY, "run", name, *folders, "--", *options]
    begin = time.monotonic()
    env = os.environ | {"KNEE_EXAMPLES": str(corpus)}
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, cwd=ROOT, env=env)
    total["seconds"] += time.monotonic() - begin
    made = re.search(r"number_of_executed_units: (\d+)", done.stderr)
    if done.returncode != 0:
        reason = re.search(r"panicked at.*|ERROR: .*|error.*", done.stderr)
        artifact = re.search(r"Test unit written to (.*)", done.stderr)
        add(total, f"{name}: {reason[0] if reason else done.stderr[-400:]}: {artifact[1] if artifact else 'no input'}")
    total["executions"] += int(made[1]) if made else 0
    return int(done.returncode != 0)


def with_python(seconds: float, names: list[str], totals: dict[str, Total]) -> int:
    """Continue the counted lists; return the number of findings."""
    sys.path[:0] = [str(ROOT / "python/tests"), str(ROOT / "python")]
    import mutated

    found = 0
    with tempfile.TemporaryDirectory(prefix="knee-fuzz-") as place:
        for name, reader in mutated.readers(Path(place)).items():
            if names and name not in names:
                continue
            total, begin = total_of(totals, name), time.monotonic()
            while (passed := time.monotonic() - begin) < seconds:
                if finding := mutated.finding(name, reader, total["executions"]):
                    add(total, f"{name}: input {total['executions']}: {finding}")
                    found += 1
                total["executions"] += 1
            total["seconds"] += passed
            keep(totals)
    return found


if __name__ == "__main__":
    sys.exit(main())
