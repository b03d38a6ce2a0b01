"""Documents in other encodings, written anew in UTF-8, which is what parsers and guards read.

An encoding is told by a byte order mark or by an XML declaration, and believed by nobody after this: where
a guard and a parser could read one document differently, an entity could hide from the guard.
"""

from __future__ import annotations

import codecs
import re

from pantarhei.errors import MalformedInputError

_UTF_16 = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"<\0": "utf-16-le", b"\0<": "utf-16-be"}
_DECLARATION = re.compile(rb"""<\?xml\s[^>]*?\sencoding\s*=\s*(["'])([^"'<>]*)\1[^>]*\?>""")
_DECLARED = re.compile(r"""(<\?xml\s[^>]*?\sencoding\s*=\s*)(["'])[^"'<>]*\2""")
# By their names in Python. They agree with ASCII in all that a declaration is written with.
_KNOWN = re.compile(r"ascii|utf-8|iso8859-\d+|cp125\d|koi8-[rtu]|mac-roman|gb2312|gbk|gb18030|big5|euc_\w+")


def in_utf_8(content: bytes, source: str) -> bytes:
    """A document in UTF-8, with a declaration that says so if it has one; as it is where nothing tells.

    Raises:
        MalformedInputError: its encoding is not known, or it holds bytes that this encoding does not have.

    >>> in_utf_8('<?xml version="1.0" encoding="ISO-8859-1"?><é/>'.encode("latin-1"), "a.owl").decode()
    '<?xml version="1.0" encoding="UTF-8"?><é/>'
    """
    encoding = _UTF_16.get(content[:2])
    if encoding is None:
        declaration = _DECLARATION.match(content)
        if declaration is None:
            return content
        encoding = _known(declaration[2].decode("ascii", "replace").strip(), source)
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        reason = f"a byte that is no {encoding}, which the document is said to be written in"
        raise MalformedInputError(source, line, f"{reason}; save it as UTF-8") from error
    if "\0" in text:
        raise MalformedInputError(source, None, f"no text in {encoding}; save it as UTF-8")
    return _DECLARED.sub(r"\1\2UTF-8\2", text.lstrip("\ufeff"), count=1).encode()


def _known(name: str, source: str) -> str:
    try:
        encoding = codecs.lookup(name).name
    except (LookupError, ValueError):
        encoding = ""
    if not _KNOWN.fullmatch(encoding):
        reason = f"it is said to be written in {name}, which is not read; save it as UTF-8"
        raise MalformedInputError(source, 1, reason)
    return encoding
