"""HTML of values in notebooks, read again as a notebook reads it."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_VOID = {"br"}


class _Reader(HTMLParser):
    """Reader that checks that elements are nested and closed, and collects tables and texts."""

    def __init__(self):
        super().__init__()
        self.open, self.rows, self.texts, self.names, self.attributes = [], [], [], set(), []

    def handle_starttag(self, tag, attrs):
        self.names.add(tag)
        self.attributes += attrs
        if tag in _VOID:
            return
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, f"{tag} is closed out of order"

    def handle_data(self, data):
        self.texts.append(data)
        if {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data


ALLOWED = {"div", "strong", "em", "table", "thead", "tbody", "tr", "td", "th", "span", "details", "summary"}
ALLOWED |= {"br", "pre", "ul", "li", "p"}


def shown(value):
    """Rows of the tables and the text of a value in a notebook.

    The HTML is well-formed, has no scripts, loads nothing and sets no colours.
    """
    html = value._repr_html_()
    reader = _Reader()
    reader.feed(html)
    reader.close()
    assert not reader.open, f"{reader.open} are not closed"
    assert reader.names <= ALLOWED, reader.names - ALLOWED
    assert {name for name, _ in reader.attributes} <= {"class", "style", "title", "open"}
    styles = [value for name, value in reader.attributes if name == "style"]
    assert not any(re.search(r"url|color|background|#|rgb", style) for style in styles)
    return reader.rows, "".join(reader.texts)
