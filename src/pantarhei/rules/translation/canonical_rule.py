"""Canonical form and fingerprint of rules. Two rules that differ only in the names of variables and the order
of body atoms have the same canonical form.

The variables of a canonical rule are named x, y, z, … along its body, beginning at the subject end of its
property paths; its atoms are sorted by variables. Colour refinement of the rule's variable graph determines
the naming; where it leaves variables indistinguishable, each order of them is tried and the smallest result
is taken.

A fingerprint is a SHA-256 of rules or triples that does not depend on the order of reading, the machine or
the run. Rules are hashed in canonical form without names and origins; terms are hashed as written. Labels of
blank nodes are ignored: a blank node is identified by colour refinement of the triples around it, and blank
nodes that refinement cannot distinguish contribute equally.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import lru_cache
from itertools import chain, groupby

from rdflib import BNode, Literal, URIRef, Variable

from pantarhei.model.graphs import reached
from pantarhei.model.rule import Argument, Atom, Different, Member, Predicate, Rule, Test
from pantarhei.model.term import Triple

Colour = tuple[object, ...]

# Largest number of namings tried for a rule whose variables colour refinement cannot distinguish.
_MOST_NAMINGS = 50

# Longest body whose canonical form is cached. With its head, such a rule has at most ten predicates.
_MOST_ATOMS = 9

_Arguments = tuple[Argument, ...]


def canonical(rule: Rule) -> Rule:
    """Return `rule` with canonical variables, its conditions in canonical order, and duplicate conditions
    removed.

    >>> from rdflib import URIRef
    >>> p, (u, v) = URIRef("urn:x/p"), (Variable("u"), Variable("v"))
    >>> str(canonical(Rule("prp-symp", (Atom(p, (v, u)),), Atom(p, (u, v)))))
    'p(?y, ?x) :- p(?x, ?y).'
    """
    pattern = _pattern(rule)
    if pattern is None:
        return _searched(rule)
    predicates, ranks, arguments = pattern
    body, head = _form(ranks, arguments)
    return Rule(
        rule.name,
        tuple([Atom(predicates[rank], written) for rank, written in body]),
        None if rule.head is None else Atom(rule.head.predicate, head),
        (),
        rule.origin,
    )


# --- By pattern ---


def _pattern(rule: Rule) -> tuple[list[Predicate], tuple[int, ...], tuple[_Arguments, ...]] | None:
    """Return the cache key of a rule: its sorted predicates, the index of each atom's predicate among them,
    and each atom's arguments. The head is the last atom; for a constraint, the last arguments are ().

    None if the rule has inequalities, tests or constants, or a body too long to recur.
    """
    if rule.different or rule.tests or len(rule.body) > _MOST_ATOMS:
        return None
    atoms = rule.atoms
    predicates = sorted({atom.predicate for atom in atoms}, key=str)
    arguments = tuple([atom.arguments for atom in atoms])
    if {URIRef} != set(map(type, predicates)):
        return None
    if {Variable} != set(map(type, chain.from_iterable(arguments))):
        return None
    ranks = tuple([predicates.index(atom.predicate) for atom in atoms])
    return predicates, ranks, arguments if rule.head is not None else (*arguments, ())


@lru_cache(maxsize=4096)
def _form(
    ranks: tuple[int, ...], arguments: tuple[_Arguments, ...]
) -> tuple[tuple[tuple[int, _Arguments], ...], _Arguments]:
    """Return the canonical body, each atom as (index of its predicate, arguments), and the arguments of the
    canonical head.

    The result depends on the order of the predicates, not on their names. Therefore the cache serves all
    rules with the same pattern.
    """
    predicates: list[Predicate] = [URIRef(f"urn:{rank}") for rank in range(_MOST_ATOMS + 1)]
    written = [Atom(predicates[rank], each) for rank, each in zip(ranks, arguments, strict=False)]
    *body, head = (*written, None) if len(ranks) < len(arguments) else written
    found = _searched(Rule("", tuple(atom for atom in body if atom), head))
    atoms = tuple((predicates.index(atom.predicate), atom.arguments) for atom in found.body)
    return atoms, () if found.head is None else found.head.arguments


# --- By search ---


def _searched(rule: Rule) -> Rule:
    plain = _plain_naming(rule)
    if plain is not None:
        return _renamed(rule, plain)
    rule = replace(rule, body=tuple(dict.fromkeys(rule.body)), different=_distinct(rule.different))
    namings = _namings(rule)
    first = _renamed(rule, next(namings))
    return min([first, *(_renamed(rule, naming) for naming in namings)], key=_sort_key)


def _plain_naming(rule: Rule) -> dict[Variable, Variable] | None:
    """Return the naming of a rule whose variables need no search: a rule with one variable, or with one body
    atom and two variables. None for other rules.
    """
    found = variables(rule)
    if computed(rule):
        return None
    if len(found) == 1:
        return {found[0]: variable(0)}
    if len(found) == 2 and len(rule.body) == 1:
        return {found[0]: variable(0), found[1]: variable(1)}
    return None


def variable(number: int) -> Variable:
    """Return canonical variable number `number`: x, y, z, u, v, w, x1, y1, …

    >>> [str(variable(n)) for n in (0, 1, 2, 3, 6)]
    ['x', 'y', 'z', 'u', 'x1']
    """
    letter, round_ = "xyzuvw"[number % 6], number // 6
    return Variable(f"{letter}{round_}" if round_ else letter)


def variables(rule: Rule) -> tuple[Variable, ...]:
    """Return the variables of the rule's body, in order of appearance."""
    return tuple(dict.fromkeys(a for atom in rule.body for a in atom.arguments if isinstance(a, Variable)))


def computed(rule: Rule) -> tuple[Variable, ...]:
    """Return the variables that occur in tests but not in the body, in order of appearance."""
    known = set(variables(rule))
    tested = (a for test in rule.tests for a in test.arguments if isinstance(a, Variable))
    return tuple(dict.fromkeys(a for a in tested if a not in known))


def argument_key(argument: Argument) -> tuple[str, ...]:
    """Return a sort key for variables and terms."""
    if isinstance(argument, Literal):
        return "literal", str(argument), str(argument.datatype), str(argument.language)
    return type(argument).__name__, str(argument)


def _distinct(conditions: tuple[Different, ...]) -> tuple[Different, ...]:
    return tuple({frozenset((d.left, d.right)): d for d in conditions}.values())


# --- Colours ---


@dataclass(frozen=True, slots=True)
class _Shape:
    """Graph of a rule's variables: labels of each variable, and labelled edges to the variables in the same
    atom.
    """

    labels: Mapping[Variable, Sequence[Colour]]
    edges: Mapping[Variable, Sequence[tuple[Colour, Variable]]]


def _shape(rule: Rule) -> _Shape:
    labels: defaultdict[Variable, list[Colour]] = defaultdict(list)
    edges: defaultdict[Variable, list[tuple[Colour, Variable]]] = defaultdict(list)
    labelled = [*((("body", str(atom.predicate)), atom.arguments) for atom in rule.body)]
    labelled += [(("different", ""), (d.left, d.right)) for d in rule.different]
    labelled += [(("different", ""), (d.right, d.left)) for d in rule.different]
    if rule.head is not None:
        labelled.append((("head", str(rule.head.predicate)), rule.head.arguments))
    known = set(variables(rule))
    for label, arguments in labelled:
        for position, argument in enumerate(arguments):
            if not isinstance(argument, Variable) or argument not in known:
                continue
            other = arguments[1 - position] if len(arguments) == 2 else None
            if isinstance(other, Variable) and other not in known:
                labels[argument].append((*label, position, "computed"))
            elif isinstance(other, Variable) and other != argument:
                edges[argument].append(((*label, position), other))
            else:
                loop = (
                    ("loop",)
                    if other == argument
                    else ("constant", *argument_key(other))
                    if other
                    else ("class",)
                )
                labels[argument].append((*label, position, *loop))
    for number, test in enumerate(rule.tests):
        for position, argument in enumerate(test.arguments):
            if isinstance(argument, Variable) and argument in known:
                labels[argument].append((_test_label(test), "", number, position))
    return _Shape({v: sorted(labels[v]) for v in variables(rule)}, edges)


def _test_label(test: Test) -> str:
    return f"{'∈' if test.inside else '∉'}{test.range}" if isinstance(test, Member) else str(test.name)


def _refined(shape: _Shape, ranks: dict[Variable, int]) -> dict[Variable, int]:
    """Refine `ranks` by the ranks of neighbouring variables until the partition no longer changes."""
    while True:
        colours: dict[Variable, Colour] = {
            v: (ranks[v], tuple(sorted((label, ranks[other]) for label, other in shape.edges.get(v, ()))))
            for v in ranks
        }
        refined = _ranked(colours)
        if len(set(refined.values())) == len(set(ranks.values())):
            return refined
        ranks = refined


def _ranked(colours: Mapping[Variable, Colour]) -> dict[Variable, int]:
    order = {colour: rank for rank, colour in enumerate(sorted(set(colours.values())))}
    return {v: order[colour] for v, colour in colours.items()}


def _namings(rule: Rule) -> Iterator[dict[Variable, Variable]]:
    shape = _shape(rule)
    start: dict[Variable, Colour] = {
        v: (_entered(rule, v), tuple(labels)) for v, labels in shape.labels.items()
    }
    waiting = [_refined(shape, _ranked(start))]
    for _ in range(_MOST_NAMINGS):
        if not waiting:
            return
        ranks = waiting.pop()
        tied = _first_tie(ranks)
        while tied and len(waiting) >= _MOST_NAMINGS:
            ranks = _refined(shape, _singled_out(ranks, tied[0]))
            tied = _first_tie(ranks)
        if tied:
            waiting += [_refined(shape, _singled_out(ranks, v)) for v in tied]
        else:
            yield _with_computed(rule, _walk(shape, ranks))
    for ranks in waiting[:1]:
        while tied := _first_tie(ranks):
            ranks = _refined(shape, _singled_out(ranks, tied[0]))
        yield _with_computed(rule, _walk(shape, ranks))


def _with_computed(rule: Rule, named: dict[Variable, Variable]) -> dict[Variable, Variable]:
    """Extend a naming of the body's variables to the variables that occur only in tests."""
    for v in computed(rule):
        named[v] = variable(len(named))
    return named


def _entered(rule: Rule, variable_: Variable) -> int:
    """Return the number of property atoms of the body that have the variable as object and another term as
    subject. The start of a property path has 0, so it is named first.
    """
    return sum(len(a.arguments) == 2 and a.arguments[1] == variable_ != a.arguments[0] for a in rule.body)


def _first_tie(ranks: Mapping[Variable, int]) -> list[Variable]:
    groups: defaultdict[int, list[Variable]] = defaultdict(list)
    for v, rank in ranks.items():
        groups[rank].append(v)
    return next((groups[rank] for rank in sorted(groups) if len(groups[rank]) > 1), [])


def _singled_out(ranks: Mapping[Variable, int], chosen: Variable) -> dict[Variable, int]:
    return {v: 2 * rank - (v == chosen) for v, rank in ranks.items()}


def _walk(shape: _Shape, ranks: Mapping[Variable, int]) -> dict[Variable, Variable]:
    """Name the variables in the order of a walk over the property atoms of the body, beginning at the
    variable with the lowest rank.
    """

    def after(current: Variable) -> list[Variable]:
        steps = (edge for edge in shape.edges.get(current, ()) if edge[0][0] == "body")
        return [other for _, other in sorted(steps, key=lambda e: (e[0][2], e[0], ranks[e[1]]))]

    named: dict[Variable, Variable] = {}
    for start in sorted(ranks, key=ranks.__getitem__):
        for current in reached([start], after) if start not in named else ():
            named[current] = variable(len(named))
    return named


# --- Rewriting ---


def _renamed(rule: Rule, naming: Mapping[Variable, Variable]) -> Rule:
    order = {new: number for number, new in enumerate(naming.values())}

    def rename(argument: Argument) -> Argument:
        return naming[argument] if isinstance(argument, Variable) else argument

    def atom_key(atom: Atom) -> tuple[object, ...]:
        places = [order.get(a, -1) if isinstance(a, Variable) else -1 for a in atom.arguments]
        return (
            max(places),
            -len(places),
            places,
            str(atom.predicate),
            [argument_key(a) for a in atom.arguments],
        )

    def different_key(condition: Different) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return argument_key(condition.left), argument_key(condition.right)

    def position(argument: Argument) -> tuple[int, tuple[str, ...]]:
        return order[argument] if isinstance(argument, Variable) else -1, argument_key(argument)

    renamed = rule.with_arguments(rename)
    pairs = {Different(*sorted((d.left, d.right), key=position)) for d in renamed.different}
    return replace(
        renamed,
        body=tuple(sorted(dict.fromkeys(renamed.body), key=atom_key)),
        different=tuple(sorted(pairs, key=different_key)),
        tests=tuple(dict.fromkeys(renamed.tests)),
    )


def _sort_key(rule: Rule) -> tuple[object, ...]:
    conditions = [(argument_key(d.left), argument_key(d.right)) for d in rule.different]
    tests = [(_test_label(test), [argument_key(a) for a in test.arguments]) for test in rule.tests]
    return [(str(a.predicate), [argument_key(x) for x in a.arguments]) for a in rule.atoms], conditions, tests


# Largest number of rounds of colour refinement: triples that are farther from a blank node than this, along
# other blank nodes, do not distinguish it.
_MOST_ROUNDS = 64

_Token = str | BNode


def fingerprint_of_rules(rules: Iterable[Rule]) -> str:
    """Return the hex SHA-256 of rules and constraints. The cost is linear in their size, plus `canonical` for
    each rule.
    """
    known: dict[Atom, list[_Token]] = {}
    return _fingerprint([_tokens_of_rule(rule, known) for rule in rules])


def fingerprint_of_triples(triples: Iterable[Triple]) -> str:
    """Return the hex SHA-256 of triples. The cost is linear in the number of triples; triples with blank
    nodes are hashed again in each round of refinement.

    >>> from rdflib import URIRef
    >>> one, other, says = BNode("one"), BNode("other"), URIRef("urn:says")
    >>> fingerprint_of_triples([(one, says, other)]) == fingerprint_of_triples([(other, says, one)])
    True
    """
    return _fingerprint([_tokens(triple) for triple in triples])


def text_of_rule(rule: Rule) -> str:
    """Return the text of a canonical rule without its name and origin, in which blank nodes are written with
    their labels.
    """
    return "".join(map(_labelled, _tokens_of_rule(rule, {})))


def _tokens_of_rule(rule: Rule, known: dict[Atom, list[_Token]]) -> list[_Token]:
    """Return the tokens of the canonical rule, with empty name and origin. `known` caches the tokens of
    atoms.
    """
    logic = canonical(rule)
    found: list[_Token] = ["Rule[", *_NOTHING, "("]
    for atom in logic.body:
        found += _tokens_of_atom(atom, known)
    found.append(")")
    found += ["None"] if logic.head is None else _tokens_of_atom(logic.head, known)
    found += _tokens(tuple(sorted(logic.different, key=str))) if logic.different else _NONE
    found += _NOTHING
    found += _tokens(logic.tests) if logic.tests else _NONE
    found.append("]")
    return _joined(found)


def _tokens_of_atom(atom: Atom, known: dict[Atom, list[_Token]]) -> list[_Token]:
    """Return the tokens of an atom. Atoms with literals are not cached, because rdflib compares language tags
    case-insensitively, while their texts differ.
    """
    if atom in known:
        return known[atom]
    found = _tokens(atom)
    if not any(isinstance(argument, Literal) for argument in atom.arguments):
        known[atom] = found
    return found


def _tokens(value: object) -> list[_Token]:
    """Serialize `value` to tokens: each blank node is a token, and so is the text between two blank nodes."""
    found: list[_Token] = []

    def walk(part: object) -> None:
        if isinstance(part, BNode):
            found.append(part)
        elif isinstance(part, Literal):
            found.append(f"L{_sized(part)}{_sized(part.datatype or '')}{_sized(part.language or '')}")
        elif isinstance(part, str):  # IRIs, variables, names
            found.append(f"{type(part).__name__[0]}{_sized(part)}")
        elif isinstance(part, tuple):
            found.append("(")
            for member in part:
                walk(member)
            found.append(")")
        elif is_dataclass(part):
            found.append(f"{type(part).__name__}[")
            for field in fields(part):
                walk(getattr(part, field.name))
            found.append("]")
        else:
            found.append(repr(part))  # True, False, None

    walk(value)
    return _joined(found)


def _joined(tokens: list[_Token]) -> list[_Token]:
    """Concatenate the texts between two blank nodes to one token."""
    if {str} == set(map(type, tokens)):
        return ["".join(tokens)]
    found: list[_Token] = []
    for is_node, several in groupby(tokens, lambda token: isinstance(token, BNode)):
        parts = list(several)
        found += parts if is_node else ["".join(parts)]
    return found


def _sized(text: str) -> str:
    return f"{len(text)}:{text}"


_NOTHING, _NONE = _tokens(""), _tokens(())


def _labelled(token: _Token) -> str:
    return f"_{_sized(token)}" if isinstance(token, BNode) else token


def _fingerprint(given: Iterable[list[_Token]]) -> str:
    statements = list({tuple(map(_labelled, tokens)): tokens for tokens in given}.values())
    colours = _colours([tokens for tokens in statements if any(isinstance(t, BNode) for t in tokens)])
    texts = {_text(tokens, lambda node: colours[node]) for tokens in statements}
    digest = hashlib.sha256()
    for text in sorted(texts):
        digest.update(text)
    return digest.hexdigest()


def _text(tokens: Sequence[_Token], colour: Callable[[BNode], bytes]) -> bytes:
    """Return the digest of a statement in which each blank node is replaced by its colour."""
    digest = hashlib.sha256()
    for token in tokens:
        if isinstance(token, BNode):
            digest.update(b"_" + colour(token))
        else:
            digest.update(token.encode("utf-8", "surrogatepass"))
    return digest.digest()


def _colours(statements: Sequence[list[_Token]]) -> dict[BNode, bytes]:
    """Return a colour for each blank node, computed from the statements that contain it and the colours of
    the other blank nodes in these statements.
    """
    about: defaultdict[BNode, list[list[_Token]]] = defaultdict(list)
    for tokens in statements:
        for node in {token for token in tokens if isinstance(token, BNode)}:
            about[node].append(tokens)
    colours = dict.fromkeys(about, b"")
    for _ in range(_MOST_ROUNDS):
        refined = {node: _fingerprint_refined(node, about[node], colours) for node in about}
        settled = len(set(refined.values())) == len(set(colours.values()))
        colours = refined
        if settled:
            break
    return colours


def _fingerprint_refined(
    node: BNode, statements: Sequence[list[_Token]], colours: dict[BNode, bytes]
) -> bytes:
    def seen(other: BNode) -> bytes:
        return b"self" if other == node else colours[other]

    return hashlib.sha256(b"".join(sorted(_text(tokens, seen) for tokens in statements))).digest()
