"""Random temporal rules in reasoners, and their expected conclusions by the definitions."""

import random
from dataclasses import replace
from itertools import chain

from rdflib import RDF, Graph

import pantarhei as pr
from lars_programs import Case, Part, random_case
from oracle.lars.output import output_stream
from oracle.lars.strata import NotStratifiedError, strata
from oracle.lars.streams import Stream
from oracle.materialization import closure
from pantarhei.model.temporal_rule import Mode, TemporalAtom

NO_AXIOMS = pr.load_ontology(Graph())
COVERED = {
    "sometime": Part.SOMETIME,
    "always": Part.ALWAYS,
    "always and negation": Part.SOMETIME | Part.ALWAYS | Part.NEGATION,
    "remember": Part.SOMETIME | Part.ALWAYS | Part.NEGATION | Part.REMEMBER,
    "tuples": Part.SOMETIME | Part.ALWAYS | Part.TUPLES,
    "tests": Part.SOMETIME | Part.TESTS,
    "at": Part.SOMETIME | Part.AT,
    "at in heads": Part.SOMETIME | Part.AT | Part.AT_HEAD,
    "at and always": Part.SOMETIME | Part.ALWAYS | Part.AT | Part.AT_HEAD,
    "at and tests": Part.SOMETIME | Part.AT | Part.AT_HEAD | Part.TESTS,
    "at and negation": Part.SOMETIME | Part.AT | Part.AT_HEAD | Part.NEGATION | Part.REMEMBER,
    "wide": Part.SOMETIME | Part.ALWAYS | Part.NEGATION | Part.REMEMBER | Part.WIDE,
    "wide and at": Part.SOMETIME | Part.AT | Part.AT_HEAD | Part.ALWAYS | Part.TESTS | Part.WIDE,
    "at and tuples": Part.SOMETIME | Part.NEGATION | Part.AT | Part.AT_HEAD | Part.TUPLES | Part.REMEMBER,
    "all": ~Part(0),
}


def wide_conclusion_rules(rules):
    """Return the rules that conclude atoms with more than two arguments."""
    heads = {rule.head.atom.predicate for rule in rules}
    kept = tuple(
        rule
        for rule in rules
        if all(len(f.atom.arguments) < 3 or f.atom.predicate in heads for f in rule.body)
    )
    return kept if len(kept) == len(rules) else wide_conclusion_rules(kept)


def case_of(seed, parts):
    case = random_case(random.Random(seed), parts)
    rules = wide_conclusion_rules(case.rules)
    heads = {rule.head.atom.predicate for rule in rules}
    return Case(rules, as_pushed(case.stream), case.remembered & heads)


def as_pushed(stream):
    """Return the stream with all its atoms asserted, as by a reasoner without axioms and with range 0."""
    atoms = {}
    for tick in stream.timeline:
        plain = dict.fromkeys(replace(atom, is_asserted=False) for atom in stream.at(tick))
        atoms[tick] = [*(replace(atom, is_asserted=True) for atom in plain), *plain]
    return Stream.of(stream.start, stream.end, atoms)


def triple(atom):
    subject, *rest = atom.arguments
    return (subject, atom.predicate, rest[0]) if rest else (subject, RDF.type, atom.predicate)


def reasoner_for(case, ontology=NO_AXIOMS, window=None):
    rules = pr.TemporalRules(case.rules, case.remembered, start=case.stream.start)
    return pr.StreamReasoner(ontology, window or pr.Window(range=0), temporal=rules)


def with_jumps(case, rnd):
    """Return a case whose timeline begins before, within or behind a stream with time jumps, the input at its
    ticks, and its window.
    """
    given, reach = case.stream, rnd.randint(0, 3)
    pushed = {
        tick: [atom for atom in given.at(tick) if atom.is_asserted]
        for tick in given.timeline
        if tick in (given.start, given.end) or rnd.random() < 0.4
    }
    start, atoms = rnd.randint(given.start - 3, given.end + 1), {}
    for tick in range(max(start, given.start), given.end + 1):
        kept = [pushed.get(before, ()) for before in range(tick - reach, tick + 1)]
        atoms[tick] = [*pushed.get(tick, ()), *(replace(each, is_asserted=False) for each in chain(*kept))]
    facts = {tick: list(map(triple, atoms)) for tick, atoms in pushed.items()}
    stream = Stream.of(start, given.end, atoms)
    return Case(case.rules, stream, case.remembered), facts, pr.Window(range=reach)


def expected(case, first=None):
    try:
        return output_stream(case.rules, case.stream, case.remembered, first)
    except NotStratifiedError:
        return None


def have_strata(rules):
    """True if no rule negates, counts, or requires always, an atom that depends on its conclusion."""
    strict = [
        replace(
            rule,
            body=tuple(
                replace(each, is_negated=each.is_negated or each.mode is Mode.ALWAYS or each.times > 1)
                for each in rule.body
            ),
        )
        for rule in rules
    ]
    try:
        strata(strict)
    except NotStratifiedError:
        return False
    return True


def closed(stream, ontology):
    """Return the stream in which each tick is closed under an ontology's rules."""
    atoms = {}
    for tick in stream.timeline:
        given = list(stream.at(tick))
        follows = closure(ontology, {triple(atom) for atom in given})
        atoms[tick] = [*given, *(TemporalAtom(p, (s, o)) for s, p, o in follows if p != RDF.type)]
        atoms[tick] += [TemporalAtom(o, (s,)) for s, p, o in follows if p == RDF.type]
    return Stream.of(stream.start, stream.end, atoms)
