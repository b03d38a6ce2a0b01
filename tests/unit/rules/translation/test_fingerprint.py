"""The text of a rule is its canonical form written out part by part, whatever is remembered of its atoms."""

import hashlib
from dataclasses import fields, is_dataclass, replace

from hypothesis import given
from hypothesis import strategies as st
from rdflib import BNode, Literal, Variable

from pantarhei.model.rule import Atom, Rule
from pantarhei.rules.translation.canonical_rule import canonical
from pantarhei.rules.translation.fingerprint import fingerprint_of_rules, text_of_rule
from strategies import EX, rules

x = Variable("x")


def written(part):
    """The definition."""
    match part:
        case BNode():
            return f"_{sized(part)}"
        case Literal():
            return f"L{sized(part)}{sized(part.datatype or '')}{sized(part.language or '')}"
        case str():
            return f"{type(part).__name__[0]}{sized(part)}"
        case tuple():
            return f"({''.join(map(written, part))})"
    if is_dataclass(part):
        return f"{type(part).__name__}[{''.join(written(getattr(part, f.name)) for f in fields(part))}]"
    return repr(part)


def sized(text):
    return f"{len(text)}:{text}"


def logic(rule):
    plain = canonical(rule)
    return replace(plain, name="", origin="", different=tuple(sorted(plain.different, key=str)))


OF_BLANK_NODES = (
    Rule("r", (Atom(BNode("class"), (x,)), Atom(EX.A, (x,))), None),
    Rule("r", (Atom(EX.p, (x, BNode("one"))),), Atom(EX.A, (x,))),
    Rule("r", (Atom(EX.p, (x, Literal("a", lang="en"))),), Atom(EX.A, (x,))),
)


@given(rules(literals=True), st.lists(st.sampled_from(OF_BLANK_NODES)))
def test_the_text_of_a_rule_is_that_of_its_parts(given_, others):
    for rule in (*given_, *others):
        assert text_of_rule(rule) == written(logic(rule))


@given(rules(literals=True))
def test_the_fingerprint_of_rules_is_that_of_their_digests(given_):
    digests = {hashlib.sha256(written(logic(rule)).encode()).digest() for rule in given_}
    expected = hashlib.sha256(b"".join(sorted(digests))).hexdigest()
    assert fingerprint_of_rules(given_) == fingerprint_of_rules(given_[::-1]) == expected


def test_labels_of_blank_nodes_do_not_count_in_the_fingerprint():
    def with_labels(one, other):
        return [
            Rule("r", (Atom(BNode(one), (x,)), Atom(EX.A, (x,))), None),
            Rule("r", (Atom(EX.p, (x, BNode(other))),), Atom(BNode(one), (x,))),
        ]

    assert fingerprint_of_rules(with_labels("a", "b")) == fingerprint_of_rules(with_labels("d", "c"))
    assert fingerprint_of_rules(with_labels("a", "b")) != fingerprint_of_rules(with_labels("a", "a"))
