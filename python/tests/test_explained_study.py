"""The study that `bench/report.py` times has what an explained study has: the chain, the factorial, and causes."""

import explained_study

from knee.opened import Study


def test_the_simulated_study_is_explained_by_its_chain_and_its_factorial(tmp_path):
    study = Study.read(explained_study.write_study(tmp_path / "explained").path)
    assert len(study.runs) == 200
    most = [made[-1] for made in study.analysis.ledgers.values()]
    assert [one.threads for one in most] == [explained_study.COUNTS[-1]] * len(explained_study.SIZES)
    assert [one.status for one in most] == ["explained"] * len(explained_study.SIZES)
    for one in most:
        assert {each.cause for each in one.findings} == {"SMT sharing", "NUMA distance"}
        assert {"shared hardware", "two threads a core", "memory of other nodes"} <= {
            e.name for e in one.ledger.entries
        }
        assert one.placements is not None
        assert len(one.placements.effects) == 3
        assert [check.ok for check in one.checks] == [True, True]
