"""Escapes control characters: names, files and the errors of other programs may contain any text.

Everything that knee prints goes through :func:`shown`: in the terminal by :mod:`knee.terminal`, on the page and in
pictures by :mod:`knee.report`. ``crates/knee/src/shown.rs`` is the same function; it describes the one exception.
"""

from __future__ import annotations

import re
from typing import Any, cast

_ESCAPED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)
"""Characters that control a terminal, reorder a line (Unicode's bidirectional controls), are invisible, or are not
allowed in XML; and surrogates, which stand for bytes that are not UTF-8. The joiners U+200C and U+200D are not among
them, since some scripts and emoji need them.
"""


def shown(text: str) -> str:
    r"""Return the text with control characters escaped as in JSON; tabs and line breaks stay.

    Examples
    --------
    >>> print(shown("red: \x1b[31m"))
    red: \u001b[31m
    """
    if text.isascii() and text.isprintable():
        return text
    return _ESCAPED.sub(_written, text)


def shown_within(value: object) -> Any:
    """Return plain data with control characters escaped in all its texts, also in the names of fields."""
    if isinstance(value, dict):
        return {shown_within(key): shown_within(one) for key, one in cast("dict[object, object]", value).items()}
    if isinstance(value, list | tuple):
        return [shown_within(one) for one in cast("list[object]", value)]
    # Subclasses of str, such as markup, are left as they are.
    return shown(value) if type(value) is str else value


def _written(found: re.Match[str]) -> str:
    """Return the escape of a character as in JSON; a character beyond U+FFFF has two."""
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
