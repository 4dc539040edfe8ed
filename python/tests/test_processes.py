"""Programs of several processes: whether each computes in one thread."""

import pytest

from knee.store.records.threads import in_processes


@pytest.mark.parametrize(
    ("by_process", "expected"),
    [
        ([[1.0], [1.0]], True),
        ([[0.97, 0.03], [0.97, 0.03]], True),
        ([[1.0], [0.5, 0.5]], False),
        ([[1.0, 1.0]], False),
        ([[0.001], [1.0, 1.0]], False),
        ([[1.0], [0.001]], False),
        ([[1.0]] * 100, True),
    ],
    ids=["two", "with helpers", "one of two threads", "one process", "a shell", "a shell of one", "compilers"],
)
def test_processes_of_one_thread_each_are_told_by_what_their_threads_compute(by_process, expected):
    threads = [{"pid": pid, "cpu_ns": int(1e9 * cpu_s)} for pid, times in enumerate(by_process) for cpu_s in times]
    assert in_processes({"observed_threads": threads}) == expected
