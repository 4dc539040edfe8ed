"""Herbarium: packs scanned plant sheets for the archive.

Sheets are compressed by threads; zlib lets other threads run meanwhile. The dial is the share of the sheets that the
curator, the main thread, packs alone beforehand, because they set the standard for the others.
"""

import sys
import threading
import zlib

TILE = 48 * 1024


def paper() -> bytes:
    """Return what all sheets are cut from: fibres of a few shades, in strips that repeat."""
    noise = (7**46690).to_bytes(16385, "little")
    shades = noise.translate(bytes(200 + shade % 24 for shade in range(256)))
    strips = []
    for at in range(0, len(noise) - 2, 5):
        start = (noise[at] << 8 | noise[at + 1]) & 0x3FFF
        strips.append(shades[start : start + 5 + noise[at + 2] % 35])
    return b"".join(strips)


PAPER = paper()


def packed(sheet: int) -> int:
    """Compress a sheet; return its size and check as one number."""
    at = sheet * 7919 % (len(PAPER) - TILE)
    label = f"sheet {sheet}: herb. no. {sheet * 31 % 100003}".encode()
    small = zlib.compress(label + PAPER[at : at + TILE], 7)
    return len(small) << 32 | zlib.crc32(small)


def main(helpers: int, alone: float, sheets: int) -> None:
    """Pack all sheets and print what came out."""
    standards = round(alone * sheets)
    total = sum(packed(sheet) for sheet in range(standards))
    piles = [range(standards + helper, sheets, helpers) for helper in range(helpers)]
    done = [0] * helpers

    def help_out(helper: int) -> None:
        done[helper] = sum(packed(sheet) for sheet in piles[helper])

    threads = [threading.Thread(target=help_out, args=(helper,)) for helper in range(helpers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"{sheets} sheets, {total + sum(done):x}")


main(int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]))
