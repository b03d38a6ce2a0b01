"""What people write that is nearly JSON, and what to do about it."""

from __future__ import annotations

import re

_PYTHON = re.compile(rb"[{,\[]\s*'|:\s*(None|True|False|'|nan\b|inf\b)")
_NO_NUMBER = re.compile(rb":\s*-?(NaN|Infinity)\b")
_COMMENT = re.compile(rb"\s*(//|#|/\*)")
_BARE_NAME = re.compile(rb"[{,]\s*[A-Za-z_]\w*\s*:")
_LAST_COMMA = re.compile(rb",\s*[}\]]")


def advice_on(text: bytes) -> str:
    """What to do about a text that is no JSON; empty where nobody knows.

    >>> advice_on(b"{'id': 7, 'open': True}")
    '; it is written as Python prints it: json.dumps(…) writes JSON'
    >>> advice_on(b'{"id": 7,}')
    '; no comma stands before a closing bracket'
    """
    if _COMMENT.match(text):
        return "; JSON has no comments: take it out"
    if _NO_NUMBER.search(text):
        return "; JSON has null where there is no number"
    if _PYTHON.search(text):
        return "; it is written as Python prints it: json.dumps(…) writes JSON"
    if _BARE_NAME.search(text):
        return "; names stand in double quotation marks"
    if _LAST_COMMA.search(text):
        return "; no comma stands before a closing bracket"
    return ""
