"""Every example's study in a short form, for real."""

import os
import shutil
import subprocess

import pytest
from conftest import ROOT, skipped

from knee.opened import OpenedStudy

STUDIES = sorted((ROOT / "examples/studies").glob("*.toml"))
NEEDS = {"ghc": "ghc", "openmp": "gcc", "regions": "cargo", "go": "go"}


@pytest.fixture(scope="session")
def built() -> None:
    path = os.environ["PATH"] + ":/usr/local/go/bin"
    subprocess.run([ROOT / "examples/build.sh"], check=True, env=os.environ | {"PATH": path})


@pytest.mark.parametrize("study", STUDIES, ids=[path.stem for path in STUDIES])
@pytest.mark.usefixtures("built")
def test_an_example_runs(binary, tmp_path, study):
    need = NEEDS.get(study.stem.rpartition("-")[2])
    if need and not shutil.which(need) and not (ROOT / "examples/build").joinpath(study.stem).exists():
        skipped(f"examples/studies/{study.name}", f"no {need}")
    words = [
        "--out",
        str(tmp_path / "s"),
        "--blocks",
        "2",
        "--factor",
        "threads=1,2",
        "--factor",
        "placement=cores-close",
    ]
    done = subprocess.run([binary, "study", *words, str(study)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    opened = OpenedStudy.read(tmp_path / "s")
    assert opened.analysis.bad == {}
    assert opened.analysis.series
    assert (tmp_path / "s/report.html").stat().st_size < 2_000_000
