"""Serial part: chooses a dictionary for zlib on the main thread, and then packs and unpacks messages in threads.

The dial is how long the choice takes, as a share of the messages: so many are packed with one candidate after the other
first, and the best is kept. Nobody can start before that. The sum does not depend on the choice, since it is of
unpacked messages. zlib releases the interpreter's lock.
"""

import zlib

import work

WORDS = [b"%x" % (i * 2654435761 % 2**32) for i in range(3000)]
TEXT = b" ".join(WORDS[i * i % 2999] for i in range(4000))
CANDIDATES = [TEXT[i * 1000 : i * 1000 + 4000] for i in range(2, 10)]


def packed(number: int, dictionary: bytes) -> bytes:
    """Pack a message."""
    packer = zlib.compressobj(level=5, zdict=dictionary)
    return packer.compress(number.to_bytes(8) + TEXT) + packer.flush()


def chosen() -> bytes:
    """Return the candidate with which messages got smallest."""
    smallest, best = len(TEXT), CANDIDATES[0]
    for i in range(round(work.DIAL * work.WORK)):
        candidate = CANDIDATES[i % len(CANDIDATES)]
        size = len(packed(i, candidate))
        if size < smallest:
            smallest, best = size, candidate
    return best


def body(thread: int) -> int:
    """Sum the checksums of the messages of a thread, after they were packed and unpacked."""
    total = 0
    for i in range(work.first(thread), work.first(thread + 1)):
        unpacker = zlib.decompressobj(zdict=DICTIONARY)
        total += zlib.crc32(unpacker.decompress(packed(i, DICTIONARY)))
    return total


DICTIONARY = chosen()
print(work.in_threads(body))
