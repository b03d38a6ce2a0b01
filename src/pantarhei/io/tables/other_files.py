"""Files that are no tables in text, told by what they begin with, and what to do about them."""

from __future__ import annotations

import re
from typing import Final

_CONVERT: Final = "only UTF-8 is read; convert it first: iconv -f {} -t UTF-8"
NOT_UTF_8: Final = f"it is not UTF-8; {_CONVERT.format('ISO-8859-1')}, or whatever it is"
_WEB_PAGE = re.compile(rb"\s*<(!doctype\s+html|html)\b", re.IGNORECASE)
_WORKBOOK = "it is an Excel workbook; save the sheet as CSV (UTF-8)"
_BEGINNINGS = {
    b"\xff\xfe": f"it is UTF-16; {_CONVERT.format('UTF-16')}",
    b"\xfe\xff": f"it is UTF-16; {_CONVERT.format('UTF-16')}",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": _WORKBOOK,
    b"PAR1": 'it is Parquet; say so with the suffix .parquet or format "parquet"',
}


def other_kind(first: bytes) -> str | None:
    """Return what a file is that begins so, and what to do about it; None if it may be a table in text.

    >>> other_kind(b"PAR1...")
    'it is Parquet; say so with the suffix .parquet or format "parquet"'
    """
    if _WEB_PAGE.match(first):
        return "it is a web page and no table; download the file that the page offers"
    return next((said for begin, said in _BEGINNINGS.items() if first.startswith(begin)), None)
