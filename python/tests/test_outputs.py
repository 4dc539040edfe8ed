"""Equal work must give equal output: which runs are compared, and which output counts as correct."""

from conftest import rewrite

from knee import store

TWO = {"cores-close": {1: (2.0, 2.0), 2: (1.0, 2.0)}}


def printing(folder, outputs: dict[str, str], program=None, asked: str = "same_output = true", cell=None):
    """Let runs print these texts (others print `a`); return the bad runs with their reasons."""
    rewrite(folder.plan, lambda spec: spec | ({"program": program} if program else {}) | (cell(spec) if cell else {}))
    rewrite(
        folder.records, lambda one: one | {"output": {"stdout_bytes": 1, "stdout_xxh3": outputs.get(one["id"], "a")}}
    )
    folder.study_spec.write_text(folder.study_spec.read_text() + f"[measure]\n{asked}\n")
    return {run.spec["id"]: run.bad for run in store.runs(folder) if run.bad}


def test_a_workload_that_answers_differently_is_bad_without_being_asked(simulated):
    program = {"workload": "mine", "args": {"graph": "g", "plan": "x"}}
    bad = printing(simulated(TWO), {"0004": "b"}, program, asked="")
    assert bad == {"0004": "its output differs from that of 9 other runs"}


def test_a_workloads_baseline_has_to_give_the_same_answer(simulated):
    def cell(spec):
        serial = spec["id"] == "0001"
        args = {"n": "9", "runtime": "serial" if serial else "team"}
        return {"program": {"workload": "sumeuler", "args": args}} | (
            {"role": "baseline", "cell": {}} if serial else {}
        )

    assert set(printing(simulated(TWO), {"0001": "b"}, asked="", cell=cell)) == {"0001"}


def test_a_study_may_let_a_workload_answer_as_it_likes(simulated):
    assert printing(simulated(TWO), {"0004": "b"}, {"workload": "mine"}, asked="same_output = false") == {}


def test_commands_are_compared_only_when_asked(simulated):
    assert printing(simulated(TWO), {"0004": "b"}, asked="") == {}


def test_commands_are_compared_over_threads_and_placements(simulated):
    curves = TWO | {"none": {1: (2.0, 2.0)}}
    bad = printing(simulated(curves, blocks=2), {"0002": "b", "0005": "c"})
    assert bad == dict.fromkeys(["0002", "0005"], "its output differs from that of 4 other runs")


def test_commands_with_other_levels_are_other_work(simulated):
    def cell(spec):
        return {"cell": spec["cell"] | {"size": spec["block"], "cache": f"{spec['id']}", "bind": spec["id"]}}

    outputs = {"0003": "two", "0004": "two", "0006": "odd"}
    bad = printing(simulated(TWO, blocks=3), outputs, cell=cell)
    assert bad == {"0006": "its output differs from that of 1 other run"}


def test_commands_whose_input_grows_with_the_threads_are_compared_on_equal_threads(simulated):
    folder = simulated(TWO | {"none": {1: (2.0, 2.0), 2: (1.0, 2.0)}}, blocks=2)
    folder.study_spec.write_text(
        folder.study_spec.read_text() + "[design]\nweak = { argument = 'n', one_thread = 9 }\n"
    )
    wide = [spec["id"] for spec in folder.read_plan() if spec["threads"] == 2]
    bad = printing(folder, dict.fromkeys(wide, "b") | {wide[-1]: "odd"})
    assert bad == {wide[-1]: "its output differs from that of 3 other runs"}


def test_of_two_outputs_equally_frequent_the_first_counts(simulated):
    bad = printing(simulated(TWO, blocks=2), {"0001": "b", "0003": "b"})
    assert bad == dict.fromkeys(["0002", "0004"], "its output differs from that of 2 other runs")


def test_copies_print_in_any_order_and_failed_runs_have_no_say(simulated):
    folder = simulated(TWO, blocks=3, copies={2: 1.0})
    copies = [spec["id"] for spec in folder.read_plan() if spec.get("role") == "copies"]
    others = [spec["id"] for spec in folder.read_plan() if spec.get("role") != "copies"]
    failed, odd = others[:4], others[5]
    rewrite(folder.records, lambda one: one | ({"exit": {"code": 3}} if one["id"] in failed else {}))
    bad = printing(folder, dict.fromkeys(copies, "c") | dict.fromkeys(failed, "f") | {odd: "o"})
    # Two runs that ended well disagree: the earlier one is taken as right.
    assert bad == dict.fromkeys(failed, "exit status 3") | {odd: "its output differs from that of 1 other run"}


def test_output_that_went_to_the_terminal_is_not_compared(simulated):
    folder = simulated(TWO)
    folder.study_spec.write_text(folder.study_spec.read_text() + "[measure]\nsame_output = true\n")
    assert [run.bad for run in store.runs(folder)] == [None] * 10


TRIED = [f"{number:04d}" for number in range(5, 11)]


def test_what_remedies_print_does_not_say_what_is_right(simulated):
    def cell(spec):
        return {"role": "remedy", "test": "other lock"} if spec["id"] in TRIED else {}

    bad = printing(simulated(TWO), dict.fromkeys(TRIED, "b"), cell=cell)
    assert bad == dict.fromkeys(TRIED, "its output differs from that of 4 other runs")


def test_a_remedy_that_gives_a_workload_other_arguments_has_to_give_the_same_answer(simulated):
    def cell(spec):
        tried = spec["id"] in TRIED
        program = {"workload": "heat", "args": {"steps": "10" if tried else "100"}}
        return {"program": program} | ({"role": "remedy", "test": "fewer steps"} if tried else {})

    assert set(printing(simulated(TWO), dict.fromkeys(TRIED, "b"), asked="", cell=cell)) == set(TRIED)


def test_a_remedy_on_fewer_threads_does_the_work_of_its_cell_in_weak_scaling(simulated):
    folder = simulated(TWO)
    folder.study_spec.write_text(
        folder.study_spec.read_text() + "[design]\nweak = { argument = 'n', one_thread = 9 }\n"
    )
    many = [spec["id"] for spec in folder.read_plan() if spec["threads"] == 2]

    def fewer(spec: dict) -> dict:
        return {"role": "remedy", "test": "1 thread", "threads": 1} if spec["id"] == many[-1] else {}

    # It prints what two threads do, for the work of two.
    assert printing(folder, dict.fromkeys(many, "b"), {"command": ["p"]}, cell=fewer) == {}
    assert {run.work for run in store.runs(folder) if run.role == "remedy"} == {2}
