"""Sentences for contradictions: the facts that violate a constraint, and what the constraint requires."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from rdflib import OWL, Literal

from pantarhei.model.labels import NO_LABELS, Labels
from pantarhei.model.message_text import counted, one_line, plural
from pantarhei.model.rule import Rule
from pantarhei.model.term import ONLY_TYPE, Term, Triple, in_order
from pantarhei.owl import axiom as owl
from pantarhei.owl.manchester import axiom_text, manchester_syntax, quoted
from pantarhei.owl.simplify import BOTTOM_PROPERTIES
from pantarhei.proofs.sentences import class_phrases, sentence, term_name, verb_phrase, words_of

_MOST_GIVEN, _LONGEST_AXIOM = 3, 400
_IN_NOTHING = "is in owl:Nothing, which has no members"

# Namespace of the classes by which closures mark names; their members are no facts of the ontology.
_INTERNAL = "urn:pantarhei:"


def contradiction_sentence(
    rule: Rule, facts: Sequence[Triple], given: Collection[Triple], labels: Labels = NO_LABELS
) -> str:
    """Return a contradiction as one sentence without a full stop.

    Args:
        rule: the violated constraint.
        facts: the facts that match its body, in the order of the body; or the assertions, if there is no
            proof.
        given: the assertions from which the facts follow.

    >>> from rdflib import Namespace, Variable
    >>> from pantarhei.model.rule import Atom, Different
    >>> EX = Namespace("http://example.org/")
    >>> x, y, z = map(Variable, "xyz")
    >>> body = Atom(EX.maker, (x, y)), Atom(EX.maker, (x, z))
    >>> facts = [(EX.m, EX.maker, Literal("Acme")), (EX.m, EX.maker, Literal("Bolt"))]
    >>> print(contradiction_sentence(Rule("prp-fp", body, None, (Different(y, z),)), facts, facts))
    m has two makers, "Acme" and "Bolt"; maker is functional
    """
    shown = [fact for fact in facts if not _is_implicit(fact)]
    form = _FORMS.get(rule.name)
    text = form(rule, shown, labels) if form is not None and shown and _match(rule, shown) else None
    if text is None:
        axiom = one_line(axiom_text(rule, labels), _LONGEST_AXIOM)
        stated = " and ".join(_fact(fact, labels) for fact in dict.fromkeys(shown))
        text = f"{stated}; excluded by: {axiom}" if shown else _axiom_alone(rule, axiom, labels)
    further = [fact for fact in in_order(given) if fact not in shown]
    if not further:
        return text
    listed = " and ".join(_fact(fact, labels) for fact in further[:_MOST_GIVEN])
    if (more := len(further) - _MOST_GIVEN) > 0:
        listed += f" and {counted(more, 'further fact')}"
    return f"{text}; this follows from: {listed}"


def _axiom_alone(rule: Rule, axiom: str, labels: Labels) -> str:
    match rule.origin and rule.origin.stated:
        case owl.ClassAssertion(owl.NOTHING, individual):
            return f"{_name(individual, labels)} {_IN_NOTHING}"
    return f"{axiom} contradicts itself"


def _match(rule: Rule, facts: Iterable[Triple]) -> bool:
    """Return True if the facts have predicates of the rule's body."""
    atoms = [atom.as_class for atom in rule.body]
    classes = {atom.predicate for atom in atoms if len(atom.arguments) == 1}
    properties = {atom.predicate for atom in atoms if len(atom.arguments) == 2}
    return all(p in properties or (p in ONLY_TYPE and o in classes) for _, p, o in facts)


def _is_implicit(fact: Triple) -> bool:
    """Return True for a membership that no ontology has to state."""
    _, predicate, object_ = fact
    return predicate in ONLY_TYPE and (object_ == OWL.Thing or object_.startswith(_INTERNAL))


def _fact(fact: Triple, labels: Labels) -> str:
    subject, predicate, object_ = fact
    if predicate in ONLY_TYPE:
        return sentence(fact, labels)
    return f"{_name(subject, labels)} {verb_phrase(predicate, labels)} {_name(object_, labels)}"


def _name(term: Term, labels: Labels) -> str:
    """Return the name of an individual, and a text in double quotes."""
    shown = term_name(term, labels)
    return f'"{shown[1:-1]}"' if isinstance(term, Literal) and shown.startswith("“") else shown


def _property(property_: Term, labels: Labels) -> str:
    """Return the name of a property in words; in single quotes if it has several."""
    return quoted(words_of(property_, labels))


def _both(terms: Iterable[Term], labels: Labels) -> str:
    return " and ".join(_name(term, labels) for term in terms)


def _two_values(rule: Rule, facts: Sequence[Triple], labels: Labels) -> str | None:
    pairs = [fact for fact in facts if fact[1] not in ONLY_TYPE]
    if len(pairs) != 2 or len({fact[:2] for fact in pairs}) != 1 or len({fact[2] for fact in pairs}) != 2:
        return None
    (subject, property_, first), (_, _, second) = pairs
    verb = verb_phrase(property_, labels)
    noun = verb.removeprefix("has ")
    name, values = _name(subject, labels), _both((first, second), labels)
    two = f"{verb} two things," if noun == verb else f"has two {plural(noun)},"
    text = f"{name} {verb if verb.startswith('—') else two} {values}"
    if rule.name == "prp-fp":
        return f"{text}; {_property(property_, labels)} is functional"
    return f"{text}; at most one is allowed: {one_line(axiom_text(rule, labels), _LONGEST_AXIOM)}"


def _two_subjects(rule: Rule, facts: Sequence[Triple], labels: Labels) -> str | None:
    if len(facts) != 2 or facts[0][2] != facts[1][2]:
        return None
    stated = " and ".join(_fact(fact, labels) for fact in facts)
    return f"{stated}; {_property(facts[0][1], labels)} is inverse functional"


def _two_classes(rule: Rule, facts: Sequence[Triple], labels: Labels) -> str | None:
    if len(rule.body) == len(facts) == 1 and facts[0][1] in ONLY_TYPE:
        class_ = quoted(words_of(facts[0][2], labels))
        return f"{_fact(facts[0], labels)}; the class {class_} is disjoint with itself"
    if len(facts) != 2 or not all(fact[1] in ONLY_TYPE for fact in facts) or facts[0][0] != facts[1][0]:
        return None
    classes = class_phrases([fact[2] for fact in facts], labels)
    return f"{_name(facts[0][0], labels)} is {classes}, which are disjoint"


def _two_properties(rule: Rule, facts: Sequence[Triple], labels: Labels) -> str | None:
    if len(rule.body) == len(facts) == 1:
        return f"{_fact(facts[0], labels)}; {_property(facts[0][1], labels)} is disjoint with itself"
    if len(facts) != 2:
        return None
    stated = " and ".join(_fact(fact, labels) for fact in facts)
    properties = " and ".join(_property(fact[1], labels) for fact in facts)
    return f"{stated}; {properties} are disjoint"


def _trait(trait: str) -> Callable[[Rule, Sequence[Triple], Labels], str]:
    def text(rule: Rule, facts: Sequence[Triple], labels: Labels) -> str:
        subject, property_, object_ = facts[0]
        if subject == object_:
            stated = f"{_name(subject, labels)} {verb_phrase(property_, labels)} itself"
        else:
            stated = " and ".join(_fact(fact, labels) for fact in dict.fromkeys(facts))
        return f"{stated}; {_property(property_, labels)} is {trait}"

    return text


def _denied(rule: Rule, facts: Sequence[Triple], labels: Labels) -> str:
    stated = " and ".join(_fact(fact, labels) for fact in facts)
    return f"{stated}, which a negative assertion denies"


def _same_and_different(rule: Rule, facts: Sequence[Triple], labels: Labels) -> str:
    (first, _, second), *_ = facts
    if first == second:
        return f"{_name(first, labels)} is different from itself"
    return f"{_both((first, second), labels)} are the same, and different"


def _key(rule: Rule, facts: Sequence[Triple], labels: Labels) -> str | None:
    pairs = [fact for fact in facts if fact[1] not in ONLY_TYPE]
    subjects = list(dict.fromkeys(fact[0] for fact in pairs))
    if len(subjects) != 2:
        return None
    values = {(property_, value): None for _, property_, value in pairs}
    key = ", ".join(f"{_property(property_, labels)} {_name(value, labels)}" for property_, value in values)
    return f"{_both(subjects, labels)} have the same key: {key}"


def _ill_typed(rule: Rule, facts: Sequence[Triple], labels: Labels) -> str | None:
    value = facts[0][2]
    if not isinstance(value, Literal):
        return None
    datatype = term_name(value.datatype, labels) if value.datatype else "its datatype"
    return f"{_fact(facts[0], labels)}, which is not a valid {datatype}"


def _nothing(rule: Rule, facts: Sequence[Triple], labels: Labels) -> str | None:
    if rule.origin is not None and rule.origin.names is not None:
        return None
    return f"{_name(facts[0][0], labels)} {_IN_NOTHING}"


def _empty_property(rule: Rule, facts: Sequence[Triple], labels: Labels) -> str | None:
    (subject, property_, object_), *_ = facts
    if property_ not in BOTTOM_PROPERTIES:
        return None
    related = _both((subject, object_), labels)
    return f"{related} are related by {manchester_syntax(property_)}, which relates nothing"


def _one_thing(rule: Rule, facts: Sequence[Triple], labels: Labels) -> str:
    (first, _, second), *_ = facts
    return f"{_both((first, second), labels)} are one thing, and unique names are different things"


_FORMS: Mapping[str, Callable[[Rule, Sequence[Triple], Labels], str | None]] = {
    "prp-fp": _two_values,
    "cls-maxc2": _two_values,
    "cls-maxqc3": _two_values,
    "prp-ifp": _two_subjects,
    "cax-dw": _two_classes,
    "cax-adc": _two_classes,
    "prp-pdw": _two_properties,
    "prp-adp": _two_properties,
    "prp-irp": _trait("irreflexive"),
    "prp-asyp": _trait("asymmetric"),
    "prp-npa1": _denied,
    "prp-npa2": _denied,
    "eq-diff1": _same_and_different,
    "prp-key": _key,
    "dt-not-type": _ill_typed,
    "cls-nothing2": _nothing,
    "pr-empty": _empty_property,
    "pr-unique": _one_thing,
}
