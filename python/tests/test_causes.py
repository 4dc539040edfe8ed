"""Every cause is in the list and has the four headings; printing them does not import numpy."""

import subprocess
import sys
from pathlib import Path

import pytest

from knee.explain import causes
from knee.explain.causes.headings import HEADINGS, description, descriptions
from knee.explain.causes.lists import CAUSES, SYMPTOMS


@pytest.mark.parametrize(("listed", "function"), [(SYMPTOMS, "examine"), (CAUSES, "explain")])
def test_every_file_that_examines_or_explains_is_in_its_list(listed, function):
    files = {path for path in Path(causes.__file__).parent.rglob("*.py") if f"\ndef {function}(" in path.read_text()}
    assert files == {Path(str(one.__file__)) for one in listed}


def test_every_cause_says_the_four_things():
    for said in descriptions():
        assert tuple(said.parts) == HEADINGS
        assert all(text.endswith(".") for text in said.parts.values())
    by_name = {said.name: said for said in descriptions()}
    assert len(by_name) == len(CAUSES) + len(SYMPTOMS)
    assert {one.NAME.lower() for one in CAUSES} <= {name.lower() for name in by_name}
    assert by_name["Growing CPU time"].parts["How to test it"].startswith("Run copies of the one-thread program")


@pytest.mark.parametrize("text", ["Name.\n\nWhat it sees\n    This.\n", "Name.\n\n" + "\n".join(HEADINGS) + "\n"])
def test_a_heading_that_is_missing_or_empty_is_an_error(text):
    with pytest.raises(ValueError, match=r"^cause 'Name\.' has no"):
        description(text)


def test_causes_can_be_read_without_numpy():
    read = "from knee.explain.causes.headings import descriptions; list(descriptions())"
    code = f"import sys; {read}; print(sorted(sys.modules.keys() & set(['numpy', 'scipy'])))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "[]\n"
