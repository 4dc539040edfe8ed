"""Every cause is in the list and has the four headings; printing them does not import numpy."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from knee.explain import causes
from knee.explain.causes import CAUSES
from knee.explain.causes.headings import HEADINGS, description


def test_every_file_that_examines_is_in_the_list():
    files = {path for path in Path(causes.__file__).parent.glob("*.py") if "\ndef examine(" in path.read_text()}
    assert files == {Path(str(one.__file__)) for one in CAUSES}


def test_every_cause_says_the_four_things():
    for cause in CAUSES:
        said = description(cause)
        assert tuple(said.parts) == HEADINGS
        assert all(text.endswith(".") for text in said.parts.values())
    by_name = {description(cause).name: description(cause) for cause in CAUSES}
    assert list(by_name) == ["One busy cpu", "Growing CPU time", "Oversubscription"]
    assert by_name["Growing CPU time"].parts["How to test it"].startswith("Run copies of the one-thread program")


@pytest.mark.parametrize("text", ["Name.\n\nWhat it sees\n    This.\n", "Name.\n\n" + "\n".join(HEADINGS) + "\n"])
def test_a_heading_that_is_missing_or_empty_is_an_error(text):
    with pytest.raises(ValueError, match=r"^cause 'Name\.' has no"):
        description(SimpleNamespace(__doc__=text))


def test_causes_can_be_read_without_numpy():
    code = "import sys, knee.explain.causes.headings; print({'numpy', 'scipy'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "set()\n"
