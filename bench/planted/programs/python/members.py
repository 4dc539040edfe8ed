"""Imbalance: threads unpack the members of an archive, which is sorted by size, with equally many members for each.

The dial is how unequal the members are: at 0 all have the same size, at 1 the first is twice as long as the mean, and
the last is empty. All members together always have the same pieces. zlib releases the interpreter's lock, and a thread
shares nothing with another.
"""

import zlib

import work

MEMBERS = 4000
PLAIN = b" ".join(b"%d" % (i * 2654435761 % 2**20) for i in range(600))
PACKER = zlib.compressobj(level=6, wbits=-15)
PIECE = PACKER.compress(PLAIN) + PACKER.flush(zlib.Z_FULL_FLUSH)
END = b"\x03\x00"


def before(member: int) -> int:
    """Return the pieces of all members before this one."""
    share = member / MEMBERS
    return round(work.WORK * (share + work.DIAL * share * (1 - share)))


def body(thread: int) -> int:
    """Sum the bytes of the members of a thread, modulo the number that adler32 takes."""
    total = 0
    for member in range(MEMBERS * thread // work.THREADS, MEMBERS * (thread + 1) // work.THREADS):
        packed = PIECE * (before(member + 1) - before(member)) + END
        total += (zlib.adler32(zlib.decompress(packed, wbits=-15)) & 0xFFFF) - 1
    return total


print(work.in_threads(body) % 65521)
