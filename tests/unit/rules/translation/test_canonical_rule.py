"""Equal rules become equal values."""

from __future__ import annotations

import hashlib
from dataclasses import fields, is_dataclass, replace

from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import BNode, Literal, URIRef, Variable

from counts import cases
from pantarhei.model.rule import Atom, Different, Rule
from pantarhei.rules.translation.canonical_rule import (
    _searched,
    canonical,
    fingerprint_of_rules,
    text_of_rule,
    variables,
)
from strategies import EX
from strategies import rules as rules_of_owl
from strategies import rules as rules_of_strategies

NAMES = [Variable(f"v{i}") for i in range(4)]
CLASSES = [URIRef("urn:x/A"), URIRef("urn:x/B")]
PROPERTIES = [URIRef("urn:x/p"), URIRef("urn:x/q")]
arguments = st.sampled_from([*NAMES, URIRef("urn:x/i")])
atoms = st.one_of(
    st.builds(lambda c, a: Atom(c, (a,)), st.sampled_from(CLASSES), arguments),
    st.builds(lambda p, a, b: Atom(p, (a, b)), st.sampled_from(PROPERTIES), arguments, arguments),
)


@st.composite
def rules(draw):
    body = tuple(draw(st.lists(atoms, min_size=1, max_size=4)))
    found = [a for atom in body for a in atom.arguments if isinstance(a, Variable)]
    head = Atom(CLASSES[0], (draw(st.sampled_from(found)),)) if found and draw(st.booleans()) else None
    different = (Different(found[0], found[-1]),) if found and head is None else ()
    return Rule("pr-test", body, head, different)


@given(rules(), st.permutations(range(4)), st.randoms(use_true_random=False))
@settings(max_examples=cases(50, 300), deadline=None)
def test_renaming_and_reordering_change_nothing(rule, order, random):
    renaming = {NAMES[i]: Variable(f"w{j}") for i, j in enumerate(order)}

    def rename(argument):
        return renaming.get(argument, argument)

    def moved(atom):
        return Atom(atom.predicate, tuple(map(rename, atom.arguments)))

    body = [moved(atom) for atom in rule.body]
    random.shuffle(body)
    other = replace(
        rule,
        body=tuple(body),
        head=None if rule.head is None else moved(rule.head),
        different=tuple(Different(rename(d.right), rename(d.left)) for d in rule.different),
    )
    assert canonical(other) == canonical(rule)


@given(rules())
@settings(max_examples=cases(30, 200), deadline=None)
def test_canonical_rules_stay_as_they_are(rule):
    once = canonical(rule)
    assert canonical(once) == once
    assert len(variables(once)) == len(variables(rule))


def test_a_condition_stated_twice_is_stated_once():
    atom = Atom(CLASSES[0], (NAMES[0],))
    assert canonical(Rule("cax-sco", (atom, atom), None)).body == (Atom(CLASSES[0], (Variable("x"),)),)


def test_a_body_of_many_like_variables_ends():
    star = tuple(Atom(PROPERTIES[0], (Variable("c"), Variable(f"v{i}"))) for i in range(30))
    assert len(canonical(Rule("pr-test", star, None)).body) == 30


_ARGUMENTS = st.sampled_from([("x",), ("y",), ("_0", "x"), ("x", "y"), ("y", "x"), ("x", "x"), ("y", "z")])
_ATOMS = st.builds(
    lambda name, arguments: Atom(EX[name], tuple(map(Variable, arguments))),
    st.sampled_from(["B", "A", "p", "é", "a"]),
    _ARGUMENTS,
)


@given(st.lists(_ATOMS, min_size=1, max_size=6), st.none() | st.integers(0))
@settings(max_examples=cases(65, 400))
def test_what_is_remembered_of_a_pattern_is_what_the_search_finds(atoms, chosen):
    body, head = tuple(atoms), None if chosen is None else atoms[chosen % len(atoms)]
    several = [Rule("r", body, head, origin="o"), Rule("r", body[::-1], head), Rule("r", body + body, head)]
    for rule in several:
        assert canonical(rule) == _searched(rule)


@given(rules_of_owl(literals=True))
def test_any_rule_has_the_form_that_the_search_finds(given_):
    for rule in given_:
        assert canonical(rule) == _searched(rule)


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


@given(rules_of_strategies(literals=True), st.lists(st.sampled_from(OF_BLANK_NODES)))
def test_the_text_of_a_rule_is_that_of_its_parts(given_, others):
    for rule in (*given_, *others):
        assert text_of_rule(rule) == written(logic(rule))


@given(rules_of_strategies(literals=True))
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
