"""Samples are read by name and source; an incomplete file is not read at all."""

import gzip
import os
from importlib import import_module

import pytest

from knee.store import StudyError, noted, samples

WHOLE = '''t_ns,source,name,value
0,thread:7,cpu_ns,1
0,thread:7,cpu,3
0,resctrl:L3:0,mbm_total_bytes,64
5,thread:8,cpu_ns,2
10,"region:a,""b""",cpu_ns,4
10,thread:7,cpu_ns,9
'''


@pytest.fixture
def path(tmp_path):
    return tmp_path / "0001.csv.gz"


def test_one_name_comes_by_source_in_the_order_of_its_notes(path):
    path.write_bytes(gzip.compress(WHOLE.encode()))
    assert samples(path, "cpu_ns") == {"thread:7": [(0, 1), (10, 9)], "thread:8": [(5, 2)], 'region:a,"b"': [(10, 4)]}
    assert samples(path, "mbm_total_bytes") == {"resctrl:L3:0": [(0, 64)]}
    assert samples(path, "llc_occupancy") == {}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "t_ns,source,value\n0,thread:7,1\n",
        "t_s,source,name,value\n0,thread:7,cpu_ns,1\n",
        WHOLE + "10,thread:8\n",
        WHOLE + "11,thread:7,cpu_ns,many\n",
        WHOLE + "11,thread:7,cpu_ns,\n",
        WHOLE + "11,thread:7,cpu_ns,1,1\n",
    ],
)
def test_what_is_not_in_the_form_of_samples_is_not_read_by_half(path, text):
    path.write_bytes(gzip.compress(text.encode()))
    assert samples(path, "cpu_ns") == {}


def test_a_file_that_is_torn_anywhere_is_none(path):
    whole = gzip.compress(WHOLE.encode())
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert samples(path, "cpu_ns") == {}, length


def test_a_file_with_a_wrong_byte_is_none_or_its_truth(path):
    whole = bytearray(gzip.compress(WHOLE.encode(), mtime=0))
    path.write_bytes(whole)
    truth = samples(path, "cpu_ns")
    for place in range(10, len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        assert samples(path, "cpu_ns") in ({}, truth), place


def test_a_file_that_is_missing_or_no_file_is_none(path, tmp_path):
    assert samples(path, "cpu_ns") == {}
    assert samples(tmp_path, "cpu_ns") == {}
    path.write_text(WHOLE)
    assert samples(path, "cpu_ns") == {}, "not compressed"


def test_samples_that_unpack_to_gigabytes_are_left_out(path, monkeypatch):
    path.write_bytes(gzip.compress(WHOLE.encode()) + 4000 * gzip.compress(bytes(1 << 20)))
    with pytest.raises(StudyError, match="a line has more than 64 KiB"):
        noted(path, "cpu_ns")
    monkeypatch.setattr(import_module("knee.store.files.samples"), "MOST_BYTES", 1 << 20)
    path.write_bytes(gzip.compress(WHOLE.encode() + 40_000 * b"11,thread:7,cpu_ns,12345678\n"))
    with pytest.raises(StudyError, match="it unpacks to more than 1 MiB"):
        noted(path, "cpu_ns")


def test_a_pipe_or_a_device_in_place_of_samples_is_not_waited_for(path):
    os.mkfifo(path)
    with pytest.raises(StudyError, match="it is a pipe or a device, not a file"):
        noted(path, "cpu_ns")


@pytest.mark.parametrize("number", ["1" * 400, "1" * 5000, "-1"])
def test_numbers_that_no_sampler_writes_are_not_read(path, number):
    path.write_bytes(gzip.compress(f"{WHOLE}11,thread:7,cpu_ns,{number}\n".encode()))
    assert samples(path, "cpu_ns") == {}
