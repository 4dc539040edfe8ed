"""Sends HUP, INT, TERM and KILL to processes of a study at random moments; ``ci/nightly.sh`` sends many more."""

import kills
import pytest


@pytest.mark.serial
def test_twelve_kills(tmp_path):
    state = tmp_path / "state.json"
    totals = kills.kill(6, tmp_path, state, 1)
    assert totals.kills == 6
    # A second call goes on where the first one ended, and keeps its totals.
    totals = kills.kill(6, tmp_path, state)
    assert (totals.kills, totals.studies) == (12, totals.next - 1)
    assert not any(totals.wrong.values()), totals
