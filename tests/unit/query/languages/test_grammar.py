"""Which words are keywords, and what an error expects."""

import threading

import pytest

from pantarhei.errors import QueryTextError
from pantarhei.query.languages.grammar import parse


def kinds(text):
    """What a text is made of, in order, without its words."""
    return [str(part.data) for part in parse(text).iter_subtrees_topdown()][1:]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("SELECT * { ?x a ?c }", ["group"]),
        ("PREFIX a: <urn:a> BASE <urn:b> ASK {}", ["prefix", "base", "group"]),
        ("ASK { { } ( ( ) ) }", ["group", "group", "paren", "paren"]),
        ("REGISTER QUERY q AS PREFIX a: <urn:a> ASK { }", ["register", "prefix", "group"]),
        ("ASK { WINDOW ?w { } }", ["group", "window_block", "group"]),
        ("ASK { WINDOW:w WINDOW: ?x . window-s:a ?y WINDOW.s:b }", ["group"]),
        ("ASK { 'WINDOW <w> {' # WINDOW <w> {\n }", ["group"]),
        ('ASK { """"WINDOW"" \\" <w> {""" \'\'\'{\'\'\' }', ["group"]),
    ],
)
def test_only_a_keyword_where_one_can_stand_is_one(text, found):
    assert kinds(text) == found


def test_what_closes_nothing_is_told_from_what_cannot_stand_there():
    with pytest.raises(QueryTextError, match="this closes nothing"):
        parse("ASK { ?x a ?c ) }")
    with pytest.raises(QueryTextError, match="what begins here cannot stand here; expected AS, COMPUTE"):
        parse("REGISTER QUERY q ASK { }")


def test_threads_read_at_once():
    texts = [
        f"SELECT * FROM STREAM <s{each}> [RANGE {each + 1}s STEP 1s] {{ ?x a ?c }}" for each in range(40)
    ]
    found = {}

    def read(each):
        found[each] = parse(texts[each])

    threads = [threading.Thread(target=read, args=(each,)) for each in range(len(texts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {each: parse(text) for each, text in enumerate(texts)}
