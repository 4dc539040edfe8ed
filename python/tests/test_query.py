"""`knee query`: known answers, the same ones in every way to compute them, and errors that say what to do.

The answers at scale 0.01 are DuckDB 1.5.6's, over rows that tpchgen-cli 4.0.0 wrote as Parquet, with averages rounded
from exact sums; those at scale 1 and 10 are TPC-H's own.
"""

import csv
import hashlib
import io
import itertools
import json
import os
import re
import shutil
from decimal import Decimal
from pathlib import Path

import pytest
from conftest import skipped
from queries import answer, query, refused

Q1 = """\
l_returnflag,l_linestatus,sum_qty,sum_base_price,sum_disc_price,sum_charge,avg_qty,avg_price,avg_disc,count_order
A,F,380456.00,532348211.65,505822441.4861,526165934.000839,25.575155,35785.709307,0.050081,14876
N,F,8971.00,12384801.37,11798257.2080,12282485.056933,25.778736,35588.509684,0.047759,348
N,O,742802.00,1041502841.45,989737518.6346,1029418531.523350,25.454988,35691.129209,0.049931,29181
R,F,381449.00,534594445.35,507996454.4067,528524219.358903,25.597168,35874.006533,0.049828,14902
"""
ANSWERS = {
    "q1": Q1,
    "q6": "revenue\n1193053.2253\n",
    "late": "l_shipmode,items,price\nAIR,976,34821310.38\nMAIL,1004,36822880.70\nSHIP,982,35087506.57\n",
    "all": "items,quantity,price,first,last\n60175,1536127.00,2152189760.47,1992-01-04,1998-12-25\n",
    "rare": "l_shipmode,l_returnflag,items,revenue\nRAIL,N,2,136945.3500\nSHIP,A,1,56580.7500\nAIR,A,1,43562.7000\n",
}
MODES = "c0b5a192b8337c97e30712c2a0c512c455780a01364dc72056bdca9f3bbea328"
"""SHA-256 of the 196 rows of `modes`."""

Q1_AT_1 = """\
A,F,37734107.00,56586554400.73,53758257134.8700,55909065222.827692,25.522006,38273.129735,0.049985,1478493
N,F,991417.00,1487504710.38,1413082168.0541,1469649223.194375,25.516472,38284.467761,0.050093,38854
N,O,74476040.00,111701729697.74,106118230307.6056,110367043872.497010,25.502227,38249.117989,0.049997,2920374
R,F,37719753.00,56568041380.90,53741292684.6040,55889619119.831932,25.505794,38250.854626,0.050009,1478870
"""
Q1_AT_10 = """\
A,F,377518399.00,566065727797.25,537759104278.0656,559276670892.116819,25.500975,38237.151009,0.050007,14804077
N,F,9851614.00,14767438399.17,14028805792.2114,14590490998.366737,25.522448,38257.810660,0.049973,385998
N,O,743124873.00,1114302286901.88,1058580922144.9638,1100937000170.591854,25.498076,38233.902923,0.050001,29144351
R,F,377732830.00,566431054976.00,538110922664.7677,559634780885.086257,25.508385,38251.219274,0.049997,14808183
"""


def test_csv_for_other_programs_is_as_it_is(binary):
    text = 'select count(*) as "a\x1bb" from lineitem'
    assert answer(binary, "--scale", "0.01", "--sql", text) == "a\x1bb\n60175\n"
    assert "a\\u{1b}b" in query(binary, "--scale", "0.01", "--sql", text).stdout


def choices(binary: str, option: str) -> list[str]:
    """The values that an option's help names."""
    told = " ".join(query(binary, "--help").stdout.split())
    found = re.search(rf"--{option} <{option.upper()}> [^\[]*: ([\w, -]+) \[default", told)
    assert found, told
    return found[1].split(", ")


@pytest.fixture(scope="module")
def isas(binary) -> list[str]:
    """Instruction sets of this machine."""
    names = [name for name in choices(binary, "isa") if name != "auto"]
    has = [name for name in names if query(binary, "q6", "--scale", "0.001", "--isa", name).returncode == 0]
    assert "portable" in has
    return has


@pytest.fixture(scope="module")
def cache(tmp_path_factory) -> Path:
    """Five morsels, made once for each encoding."""
    return tmp_path_factory.mktemp("tables")


@pytest.mark.parametrize("encoding", ["plain", "narrow", "split"])
def test_named_queries_have_duckdbs_answers_in_each_encoding_and_instruction_set(binary, isas, encoding, tmp_path):
    for isa in isas:
        words = ["--scale", "0.01", "--cache", tmp_path, "--encoding", encoding, "--isa", isa]
        found = {name: answer(binary, name, *words) for name in [*ANSWERS, "modes"]}
        modes = found.pop("modes")
        assert found == ANSWERS
        assert hashlib.sha256(modes.encode()).hexdigest() == MODES, modes


def test_nothing_else_changes_an_answer(binary, cache):
    words = ["--scale", "0.05", "--cache", cache]
    asked = ["q1", "late", "modes"]
    expected = {name: answer(binary, name, *words, "--runtime", "loop") for name in asked}
    assert expected == {name: answer(binary, name, "--scale", "0.05", "--runtime", "loop") for name in asked}
    layouts, runtimes = choices(binary, "layout"), set(choices(binary, "runtime")) - {"loop"}
    assert (len(layouts), len(runtimes)) == (5, 4)
    ways = itertools.product((1, 2, 3), layouts, sorted(runtimes))
    for name, (threads, layout, runtime) in zip(itertools.cycle(asked), ways, strict=False):
        how = ["--layout", layout, "--runtime", runtime, "-n", threads, "--repeat", 2]
        assert answer(binary, name, *words, *how) == expected[name], how


def test_parameters_of_named_queries_are_those_of_their_text(binary):
    scale = ["--scale", "0.01"]
    text = (
        "SELECT sum(l_extendedprice * l_discount) AS revenue FROM lineitem WHERE l_shipdate >= DATE '1995-01-01' "
        "AND l_shipdate < DATE '1996-01-01' AND l_discount BETWEEN 0.04 AND 0.06 AND l_quantity < 30"
    )
    given = ["--date", "1995-01-01", "--discount", "0.05", "--quantity", "30"]
    assert answer(binary, "q6", *scale, *given) == answer(binary, "sql", *scale, "--sql", text) != ANSWERS["q6"]


def test_csv_and_json_are_read_back(binary):
    text = "SELECT l_shipmode AS \"a,b\", count(*) AS n, min(l_shipdate) AS 'it''s', sum(l_tax) AS t, avg(l_tax) AS m"
    words = ["sql", "--scale", "0.01", "--sql", f"{text} FROM lineitem GROUP BY l_shipmode ORDER BY 1"]
    rows = list(csv.DictReader(io.StringIO(answer(binary, *words))))
    told = json.loads(query(binary, *words, "--format", "json").stdout)
    assert [{name: str(cell) for name, cell in row.items()} for row in told] == rows
    # Whole numbers are numbers; decimals are texts, since a double would lose digits.
    kinds = {"a,b": str, "n": int, "it's": str, "t": str, "m": str}
    assert {name: type(cell) for name, cell in told[0].items()} == kinds
    assert sum(int(row["n"]) for row in rows) == 60_175
    assert all(abs(Decimal(row["t"]) / int(row["n"]) - Decimal(row["m"])) <= Decimal("5e-7") for row in rows)
    empty = ["sql", "--scale", "0.01", "--sql", "SELECT sum(l_tax) AS t FROM lineitem WHERE l_quantity < 0"]
    assert answer(binary, *empty) == "t\n\n"
    assert json.loads(query(binary, *empty, "--format", "json").stdout) == [{"t": None}]
    report = json.loads(query(binary, *words, "--json", "-n", "1", "-p", "cores-close").stdout)
    facts = report["facts"]
    assert (report["rows"], report["threads"], facts["rows"]) == (told, 1, "60175")
    assert [phase["name"] for phase in report["phases"]] == ["load", "encode", "plan", "scan"]
    counters = report["phases"][-1]["counters"]
    assert counters["local-read-bytes"] + counters["remote-read-bytes"] == 60_175 * int(facts["bytes_per_row"])


@pytest.mark.parametrize("runtime", ["near", "serial"])
def test_the_scan_counts_the_rows_of_all_repetitions(binary, runtime):
    told = query(binary, "q6", "--scale", "0.01", "--repeat", "3", "--runtime", runtime, "--json").stdout
    assert json.loads(told)["phases"][-1]["counters"]["rows"] == 3 * 60_175


def test_of_blocks_in_which_few_rows_count_only_their_cache_lines_are_read(binary):
    report = json.loads(query(binary, "q6", "--scale", "0.01", "--encoding", "narrow", "--json").stdout)
    counters = next(phase["counters"] for phase in report["phases"] if phase["name"] == "scan")
    read = (counters["local-read-bytes"] + counters["remote-read-bytes"]) / int(report["facts"]["rows"])
    # Conditions read 4 bytes of each row: a date in 2, the discount and the quantity. The price has 4 more.
    assert int(report["facts"]["bytes_per_row"]) == 8
    assert 4 + 4 * 0.02 < read < 4 + 4 * 0.5


ELSEWHERE = "hint: DuckDB answers it"
SUM = "SELECT sum(l_tax) FROM lineitem"
TEXTS = {
    "SELECT sum(l_taxes) FROM lineitem": ["unknown column 'l_taxes'", "hint: columns are l_orderkey, "],
    f"{SUM} GROUP BY l_ship": ["unknown column 'l_ship'"],
    f"{SUM} WHERE l_shipmode < 5": ["cannot compare l_shipmode with 5: a text with a number", "hint: constants are"],
    f"{SUM} WHERE l_shipdate < 5": ["cannot compare l_shipdate with 5: a date with a number"],
    f"{SUM} WHERE l_quantity < 'abc'": ["cannot compare l_quantity with 'abc': a number with a text"],
    f"{SUM} WHERE l_shipdate < '1994-13-01'": ["'1994-13-01' is no date; dates are written YYYY-MM-DD"],
    f"{SUM} WHERE l_shipmode < l_returnflag": ["does not know the condition l_shipmode < l_returnflag", ELSEWHERE],
    "SELECT sum(l_shipmode) FROM lineitem": ["cannot compute sum(l_shipmode): it is a text", "hint: sums"],
    "SELECT avg(l_shipdate) FROM lineitem": ["cannot compute avg(l_shipdate): it is a date"],
    "SELECT sum((1 - l_tax) * l_shipmode) FROM lineitem": [
        "cannot compute (1 - l_tax) * l_shipmode: a number and a text"
    ],
    "SELECT sum(l_tax) FROM lineitem JOIN orders ON l_orderkey = o_orderkey": ["joins: JOIN orders", ELSEWHERE],
    "SELECT sum(l_tax) FROM lineitem, orders": ["joins: FROM has more than one table", ELSEWHERE],
    "SELECT sum(l_tax) OVER (PARTITION BY l_shipmode) FROM lineitem": ["OVER (PARTITION BY l_shipmode)", ELSEWHERE],
    "SELECT sum(l_tax) FROM (SELECT * FROM lineitem)": ["FROM (SELECT * FROM lineitem)", ELSEWHERE],
    f"{SUM} WHERE l_tax < (SELECT avg(l_tax) FROM lineitem)": ["(SELECT avg(l_tax) FROM lineitem)", ELSEWHERE],
    "SELECT DISTINCT l_shipmode FROM lineitem": ["does not know DISTINCT", ELSEWHERE],
    "SELECT count(DISTINCT l_shipmode) FROM lineitem": ["count(DISTINCT l_shipmode)", ELSEWHERE],
    f"{SUM} HAVING sum(l_tax) > 3": ["does not know HAVING", ELSEWHERE],
    "SELECT sum(l_tax / 2) FROM lineitem": ["does not know the operator /", ELSEWHERE],
    'SELECT count(*) FROM lineitem WHERE l_shipmode = "AIR"': ["unknown column 'AIR'", "write texts in single quotes"],
    "SELECT l_ship FROM lineitem": ["unknown column 'l_ship'"],
    "SELECT sum(orders.l_tax) FROM lineitem": ["unknown table 'orders'; the query reads lineitem", "hint: write"],
    "SELECT sum(l_tax) FROM lineitem WHERE other.l_tax > 0": ["unknown table 'other'"],
    "SELECT count(*) FROM lineitem GROUP BY l_orderkey, l_partkey": ["l_orderkey: up to ", "at most 65535 groups"],
    "SELECT l_shipmode FROM lineitem": ["l_shipmode is neither in an aggregate nor in GROUP BY"],
    "SELEC sum(l_tax) FROM lineitem": ["this is not SQL: expected an SQL statement, found SELEC at line 1, column 1"],
    "SELECT sum(l_tax FROM lineitem": ["this is not SQL: expected ), found FROM at line 1, column 18"],
    f"{SUM} WHERE": ["this is not SQL: expected an expression, found its end"],
    " ": ["the query is empty", "hint: --sql"],
    "": ["the query sql needs its text", "hint: --sql"],
}


HUGE = " * ".join(["l_extendedprice"] * 6)
"""It needs more than 128 bits in most rows."""
LARGE = " * ".join(["l_extendedprice"] * 5 + ["l_quantity"])
"""Its average does over a few rows, while its sum fits."""


@pytest.mark.parametrize("runtime", ["near", "serial", "loop"])
def test_what_needs_more_than_128_bits_is_refused_in_any_order(binary, runtime):
    for text in (
        f"SELECT count(*) FROM lineitem WHERE l_quantity > 60 AND {HUGE} > 0",
        f"SELECT count(*) FROM lineitem WHERE {HUGE} > 0 AND l_quantity > 60",
        f"SELECT sum({HUGE}) FROM lineitem",
        f"SELECT avg({LARGE}) FROM lineitem WHERE l_orderkey = 1",
    ):
        done = query(binary, "sql", "--scale", "0.001", "--runtime", runtime, "--sql", text)
        refused(done, "a number of this query needs more than 128 bits")
    fits = f"SELECT sum({LARGE}) FROM lineitem WHERE l_orderkey = 1"
    assert answer(binary, "sql", "--scale", "0.001", "--runtime", runtime, "--sql", fits)


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_wrong_with_a_query_is_said(binary, text):
    refused(query(binary, "sql", "--scale", "0.001", "--sql", text), *TEXTS[text])


ARGUMENTS = {
    "q7": ["unknown query 'q7'; expected q1, q6, modes, late, all, rare or sql"],
    "sql": ["the query sql needs its text", "hint: --sql"],
    "q6 --sql x": ["--sql is given beside the query q6", "hint: leave out one"],
    "q6 --scale x": ["scale 'x'; expected a number from 0.0001 to 1000"],
    "q6 --scale 0": ["scale '0'; expected a number from 0.0001"],
    "q6 --scale 0.00005": ["scale '0.00005'; expected a number from 0.0001"],
    "q6 --scale -1": ["scale '-1'; expected a number from 0.0001"],
    "q6 --scale nan": ["scale 'nan'; expected a number from 0.0001"],
    "q6 --scale 1e300": ["scale '1e300'; expected a number from 0.0001"],
    "q1 --delta -5": ["delta '-5'; expected a whole number"],
    "q6 --date 1994-02-30": ["date '1994-02-30'; expected a date, written YYYY-MM-DD"],
    "q6 --isa sse": ["isa 'sse'; expected auto, portable"],
    "q6 --layout wide": ["layout 'wide'; expected blocked, interleaved"],
    "q6 --encoding zip": ["encoding 'zip'; expected plain, narrow or split"],
    "q6 --runtime tbb": ["runtime 'tbb'; expected near, strict"],
    "q6 --json --format csv": ["--json with --format csv: the report has its rows as JSON", "hint: leave out one"],
    "q6 --format xml": ["format 'xml'; expected table, csv or json"],
    "q6 --repeat 0": ["repeat '0'; expected a whole number from 1"],
    "q6 no-such.parquet": ["cannot read no-such.parquet: No such file or directory", "hint: give the path"],
    "--sql x no-such.parquet": ["this is not SQL: expected an SQL statement, found x"],
    "q6 --delta 60": ["--delta with q6: it is a parameter of q1", "hint: leave it out"],
    "rare --date 1994-01-01": ["--date with rare: it is a parameter of q6"],
    "q6 x.parquet --scale 1": ["--scale with x.parquet: a scale is of the table that is generated"],
    "q6 --split 2 --json": ["--split with --json: it prints parts", "hint: give it to --merge"],
    "q6 --split 2 --format csv": ["--split with --format: it prints parts"],
    "q6 --split 2 --isa portable": [
        "--split with --isa: it only says which parts",
        "hint: leave it out; how a machine",
    ],
    "q6 --split 2 --repeat 3": ["--split with --repeat: it only says"],
    "q6 --split 2 -n 4": ["--split with --threads: it only says which parts"],
    "--part --format csv": ["--part with --format: its answer is a line of JSON", "hint: leave out --format"],
    "--part --runtime loop": ["--part with --runtime loop: a part is answered by all threads"],
}


@pytest.mark.parametrize("words", ARGUMENTS)
def test_what_is_wrong_with_an_argument_is_said(binary, words, tmp_path):
    refused(query(binary, *words.split(), cwd=tmp_path), *ARGUMENTS[words])


def test_a_file_that_is_not_parquet_is_refused(binary, tmp_path):
    (tmp_path / "text.parquet").write_text("l_tax\n0.05\n")
    (tmp_path / "empty.parquet").touch()
    (tmp_path / "cut.parquet").write_bytes(b"PAR1" + bytes(range(256)) * 9)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/.hidden.parquet").touch()
    (tmp_path / "folder/_metadata.parquet").touch()
    for name in ("text", "empty"):
        done = query(binary, "q6", f"{name}.parquet", cwd=tmp_path)
        refused(done, f"cannot read {name}.parquet: it is not a Parquet file", "hint: ")
    refused(query(binary, "q6", "cut.parquet", cwd=tmp_path), "cannot read cut.parquet: ", "hint: it is damaged or cut")
    os.mkfifo(tmp_path / "pipe")
    refused(query(binary, "q6", "pipe", cwd=tmp_path), "cannot read pipe: it is not a regular file")
    refused(query(binary, "q6", "folder", cwd=tmp_path), "folder has no file whose name ends in .parquet")


@pytest.mark.parametrize("log", ["_delta_log", "_spark_metadata", ".hoodie"])
def test_a_folder_whose_log_says_which_files_count_is_refused(binary, tmp_path, log):
    (tmp_path / log).mkdir()
    done = query(binary, "q6", tmp_path)
    refused(done, f"cannot read {tmp_path}: {tmp_path}/{log} says which of its files count", "hint: let the engine")


def test_a_column_that_is_named_twice_makes_no_more_groups(binary):
    words = ["--scale", "0.01", "--sql"]
    once = answer(binary, *words, "select l_shipdate, count(*) from lineitem group by l_shipdate order by 1")
    assert answer(binary, *words, "select l_shipdate, count(*) from lineitem group by 1, l_shipdate order by 1") == once


def test_whole_numbers_that_readers_of_json_would_round_are_texts(binary):
    power = "l_orderkey * l_orderkey * l_orderkey * l_orderkey"
    sql = f"select l_linenumber n, sum({power}) p, sum(l_orderkey) s from lineitem group by 1 order by 1"
    done = query(binary, "--scale", "0.001", "--format", "json", "--sql", sql)
    rows = json.loads(done.stdout)
    assert all(isinstance(row["p"], str) and int(row["p"]) > 0 for row in rows)
    assert any(int(row["p"]) > 2**53 for row in rows)
    assert all(isinstance(row["n"], int) and isinstance(row["s"], int) for row in rows)


def test_the_plain_loop_has_no_instruction_set(binary):
    report = json.loads(query(binary, "q6", "--scale", "0.001", "--runtime", "loop", "--json").stdout)
    assert "isa" not in report["facts"]
    refused(query(binary, "q6", "--runtime", "loop", "--isa", "avx2"), "--isa with --runtime loop")


def test_a_kept_table_that_is_damaged_is_refused(binary, tmp_path):
    words = ["q6", "--scale", "0.01", "--cache", tmp_path / "cache"]
    assert answer(binary, *words) == answer(binary, *words) == ANSWERS["q6"]
    (table,) = (tmp_path / "cache").iterdir()
    whole = table.read_bytes()

    def changed(at: int) -> bytes:
        return whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]

    for bad, said in {
        b"": "it is cut short",
        whole[:10]: "it is cut short",
        whole[:1000]: "it is cut short",
        whole[:-1]: f"it has {len(whole) - 1} bytes where {len(whole)} are expected",
        whole + b"\n": f"it has {len(whole) + 1} bytes where {len(whole)} are expected",
        b"x" * len(whole): "it is not a table that knee encoded",
        changed(0): "it is not a table that knee encoded",
        changed(8): "its version is ",
        changed(100): "its header is damaged",
    }.items():
        table.write_bytes(bad)
        refused(query(binary, *words), f"cannot use {table}: {said}", "hint: remove it, and make it again from")
    # Each flipped byte of a column that is read is seen; the others are of no account.
    seen = 0
    for at in range(len(whole) - 1, 8192, -len(whole) // 23):
        table.write_bytes(changed(at))
        done = query(binary, *words, "--format", "csv")
        if done.returncode == 0:
            assert done.stdout == ANSWERS["q6"]
        else:
            refused(done, f"cannot use {table}: rows 0 to 65536 are damaged", "hint: remove it")
            seen += 1
    assert seen >= 3
    table.unlink()
    assert answer(binary, *words) == ANSWERS["q6"]


def test_a_kept_table_is_read_by_its_name_with_its_own_encoding(binary, tmp_path):
    answer(binary, "q6", "--scale", "0.01", "--encoding", "split", "--cache", tmp_path)
    (table,) = tmp_path.iterdir()
    assert answer(binary, "q6", table, "--encoding", "split") == ANSWERS["q6"]
    said = f"the columns of {table} are stored as split, not as narrow"
    refused(query(binary, "q6", table), said, "hint: give --encoding split")


def test_a_cache_that_cannot_be_written_is_refused(binary, tmp_path):
    (tmp_path / "file").touch()
    for name in ("file", "file/x"):
        done = query(binary, "q6", "--scale", "0.001", "--cache", name, cwd=tmp_path)
        refused(done, f"cannot make the directory {name}: ", "hint: give --cache a directory that can be written")
    # A directory in which nobody makes files, root neither.
    done = query(binary, "q6", "--scale", "0.001", "--cache", "/proc")
    refused(done, "cannot write /proc/", "hint: give --cache a directory that can be written")


LAYOUTS = ["blocked", "interleaved", "contiguous", "one-node", "replicated"]


def all_ways(isas):
    """Give the options of each way in which a query can be asked."""
    ways = itertools.product(["narrow", "split", "plain"], isas, LAYOUTS, "12")
    for encoding, isa, layout, threads in ways:
        yield ["--encoding", encoding, "--isa", isa, "--layout", layout, "-n", threads]


@pytest.mark.nightly
def test_answers_at_scale_1_are_tpchs(binary, isas, tmp_path):
    for words in all_ways(isas):
        words += ["--scale", "1", "--cache", tmp_path]
        assert answer(binary, "q6", *words) == "revenue\n123141078.2283\n"
        assert answer(binary, "q1", *words).partition("\n")[2] == Q1_AT_1


@pytest.mark.nightly
def test_answers_at_scale_10_are_tpchs(binary, isas, tmp_path):
    free = int(re.search(r"MemAvailable:\s+(\d+)", Path("/proc/meminfo").read_text())[1]) >> 20
    if free < 12 or shutil.disk_usage(tmp_path).free >> 30 < 12:
        skipped("test_query", f"scale 10 needs 12 GiB of memory and of disk, and {free} of memory are free")
    for words in all_ways(isas):
        words += ["--scale", "10", "--cache", tmp_path]
        assert answer(binary, "q6", *words) == "revenue\n1230113636.0101\n"
        assert answer(binary, "q1", *words).partition("\n")[2] == Q1_AT_10
