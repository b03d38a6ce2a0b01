from html.parser import HTMLParser

import pytest

from shown_proofs import chain, contradiction, evil


class Nested(HTMLParser):
    """Whether each element that is opened is closed, and the text."""

    def __init__(self):
        super().__init__()
        self.open, self.text, self.tags = [], [], set()

    def handle_starttag(self, tag, attrs):
        assert not [key for key, _ in attrs if key not in ("class", "open")]
        self.open.append(tag)
        self.tags.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@pytest.mark.parametrize("make", [contradiction, evil, lambda: chain(3), lambda: chain(60)])
def test_a_notebook_shows_the_tree_of_the_text(make):
    proof, parser = make(), Nested()
    parser.feed(proof._repr_html_())
    parser.close()
    assert parser.open == []
    assert parser.tags <= {"div", "ul", "li", "details", "summary", "p"}
    said = [
        line.lstrip("│├└─ ").removeprefix("because ").removeprefix("and ") for line in str(proof).splitlines()
    ]
    assert parser.text == [line for line in said if line]
