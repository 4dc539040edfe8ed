"""Clean: threads of a pool pack recordings with lzma, and list them by digest, in one interpreter.

There is no dial. It looks like a case for the interpreter's lock, but lzma and hashlib release it, and the bytecode
between two calls takes some microseconds, while a call takes milliseconds. It is a decoy for the interpreter lock. The
program has no lock of its own, and each recording is independent of all others.
"""

import concurrent.futures
import hashlib
import lzma

import work

FILTERS = [{"id": lzma.FILTER_DELTA, "dist": 2}, {"id": lzma.FILTER_LZMA2, "preset": 1, "dict_size": 1 << 16}]
WAVE = b"".join((i * i // 37 % 4001 + i * 7919 % 61).to_bytes(2, "little") for i in range(24000))


def packed(number: int) -> int:
    """Pack a recording; return the begin of its digest."""
    recording = number.to_bytes(8, "little") + WAVE
    stream = lzma.compress(recording, lzma.FORMAT_RAW, filters=FILTERS)
    return int.from_bytes(hashlib.sha256(stream).digest()[:4], "little")


with concurrent.futures.ThreadPoolExecutor(work.THREADS) as pool:
    listed = dict(enumerate(pool.map(packed, range(work.WORK))))
print(sum(listed.values()))
