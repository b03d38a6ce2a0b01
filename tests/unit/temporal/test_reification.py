"""Rules over atoms of any number of arguments, and with literals in first place, written with two names."""

import pytest
from rdflib import RDF, Graph, Literal, Namespace, URIRef, Variable

import pantarhei as pr
from pantarhei.errors import TemporalRuleError
from pantarhei.model.rule import Atom, Builtin
from pantarhei.temporal.reification import TuplePredicate, TupleReification, reify_atom, reify_pairs_in_rule
from pantarhei.temporal.temporal_program import FIRST, REST, TUPLE, UNIT
from pantarhei.values.scalar_functions import SWRLB

EX = Namespace("http://example.org/")
W, X, Y, Z = map(Variable, "WXYZ")
NO_AXIOMS = pr.load_ontology(Graph())


def reification_of(text):
    return TupleReification(pr.load_rules(text + "\n", prefixes={"": str(EX)}).rules)


def reasoner_with(text, ontology=NO_AXIOMS, feedback=False, **options):
    rules = pr.load_rules(text + "\n", prefixes={"": str(EX)}, feedback=feedback)
    return pr.StreamReasoner(ontology, pr.Window(range=0), temporal=rules, **options)


def value(name, number):
    return EX[name], EX.value, Literal(number)


def shown(reasoner):
    return sorted(str(atom).replace('"^^integer', "").replace('"', "") for atom in reasoner.atoms())


def test_a_tuple_of_tuples_is_asked_for_from_the_inside():
    found = reify_atom(TuplePredicate(EX.p, 4, has_unit=False), (W, X, Y, Z))
    inner, outer = (each.links[0].arguments[0] for each in found.requests)
    assert [each.atom.arguments for each in found.requests] == [(W, X), (inner, Y)]
    assert [(link.predicate, link.arguments) for link in found.links] == [
        (FIRST, (inner, W)),
        (REST, (inner, X)),
        (FIRST, (outer, inner)),
        (REST, (outer, Y)),
    ]
    assert found.atom.arguments == (outer, Z)
    assert reify_atom(TuplePredicate(EX.p, 1, has_unit=True), (X,)).atom.arguments == (UNIT, X)


@pytest.mark.parametrize(
    ("text", "has_unit"),
    [
        ("p(X) :- q(X, N).", []),
        ("p(N) :- q(X, N).", ["p"]),
        ("p(N) :- q(X, N), c(N).", []),  # a member of a class is no literal
        ("p(N) :- q(X, N), not c(N).", ["p"]),
        ("p(T) :- c(X) at T in [2].", ["p"]),
        ("p(M) :- q(X, N), M = N + 1.", ["p"]),
        ("p(3) :- c(X).", ["p"]),
        ("p(N) :- q(X, N). r(M, X) :- p(M), c(X). s(X) :- r(M, X).", ["p", "r", "s"]),
        ("p(N) :- asserted p(N), c(X).", []),
    ],
)
def test_where_a_conclusion_may_begin_with_a_literal_is_found_out(text, has_unit):
    found = reification_of(text).wide.values()
    assert sorted(each.name.removeprefix(EX) for each in found if each.has_unit) == has_unit


def test_what_is_concluded_and_what_is_denied_is_asked_for_and_what_is_there_is_not():
    made = reification_of("p(X, Y, Z) :- a(X, Y), b(Z). q(X) :- p(X, Y, Z), not p(X, X, X).").rules
    asked = [rule.head.atom.arguments for rule in made if rule.head.atom.predicate == TUPLE]
    assert asked == [(X, Y), (X, X)]


def test_conclusions_have_any_number_of_arguments():
    reasoner = reasoner_with(
        """on :- value(X, N).
        pair(X, Y, N) :- value(X, N), value(Y, N).
        four(X, Y, N, M) :- pair(X, Y, N), M = N * 2.
        again(X) :- four(X, Y, N, 2), pair(Y, X, N).
        odd(X, N) :- value(X, N), not four(X, X, N, 4)."""
    )
    reasoner.push(0, [value("v", 1), value("w", 2)])
    assert shown(reasoner) == [
        "again(v)",
        "four(v, v, 1, 2)",
        "four(w, w, 2, 4)",
        "odd(v, 1)",
        "on",
        "pair(v, v, 1)",
        "pair(w, w, 2)",
    ]
    assert reasoner.conclusions() == {(EX.v, RDF.type, EX.again), (EX.v, EX.odd, Literal(1))}
    reasoner.push(1, [])
    assert shown(reasoner) == []


# at:                        0   1   2   3   4
# value of v                 1   1   2
# got(1, v, 1), remembered   x   x
def test_windows_look_back_at_tuples_also_after_a_restart():
    text = """remember got. got(N, X, N) :- asserted value(X, N).
        late(N) :- got(N, X, N) in [2].
        both(N) :- got(N, X, N) always in [1].
        twice(N) :- got(N, X, N) at least 2 times in [3].
        when(N, T) :- got(N, X, N) at T in [2]."""
    reasoner, seen = reasoner_with(text), []
    for at, number in enumerate((1, 1, 2, None, None)):
        reasoner.push(at, [] if number is None else [value("v", number)])
        seen.append(shown(reasoner))
        reasoner._held.most_entries = 0  # terms that are not used are forgotten at the next step
        if at == 1:
            reasoner = pr.StreamReasoner.restore(reasoner.snapshot(), NO_AXIOMS)
    assert seen == [
        ["got(1, v, 1)", "late(1)", "when(1, 0)"],
        ["both(1)", "got(1, v, 1)", "late(1)", "twice(1)", "when(1, 0)", "when(1, 1)"],
        ["got(2, v, 2)", "late(1)", "late(2)", "twice(1)", "when(1, 0)", "when(1, 1)", "when(2, 2)"],
        ["late(1)", "late(2)", "twice(1)", "when(1, 1)", "when(2, 2)"],
        ["late(2)", "when(2, 2)"],
    ]


def test_what_has_a_name_in_first_place_is_a_triple_all_the_same():
    reasoner = reasoner_with("known(O) :- has(X, O). of(O, X) :- has(X, O).", conclusions="default")
    reasoner.push(0, [(EX.v, EX.has, EX.part), (EX.v, EX.has, Literal(3))])
    assert shown(reasoner) == ["known(3)", "known(part)", "of(3, v)", "of(part, v)"]
    triples = {(EX.part, RDF.type, EX.known), (EX.part, EX.of, EX.v)}
    assert reasoner.conclusions() == triples and triples <= set(reasoner.graph)


def test_what_the_stream_says_of_such_a_conclusion_counts():
    reasoner = reasoner_with(
        "known(O) :- has(X, O). late(O) :- known(O) in [1]. both(O) :- known(O) always in [1]."
    )
    reasoner.push(0, [(EX.k, RDF.type, EX.known)])
    reasoner.push(1, [(EX.v, EX.has, EX.k)])
    assert shown(reasoner) == ["both(k)", "known(k)", "late(k)"]
    reasoner.push(2, [])
    assert shown(reasoner) == []


def test_what_the_ontology_says_of_such_a_conclusion_follows():
    axioms = """@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :known rdfs:subClassOf :thing . :seen rdfs:subClassOf :known ."""
    ontology = pr.load_ontology(Graph().parse(data=axioms))
    reasoner = reasoner_with("known(O) :- has(X, O).", ontology)
    reasoner.push(0, [(EX.v, EX.has, EX.part), (EX.v, EX.has, Literal(3)), (EX.k, RDF.type, EX.seen)])
    assert shown(reasoner) == ["known(3)", "known(k)", "known(part)", "thing(k)", "thing(part)"]


def test_such_conclusions_are_asserted_where_they_are_triples():
    reasoner = reasoner_with("known(O) :- asserted has(X, O).", feedback=True)
    reasoner.push(0, [(EX.v, EX.has, EX.part), (EX.v, EX.has, Literal(3)), (EX.k, RDF.type, EX.known)])
    assert [each.facts for each in reasoner.push(1, []).fed_back] == [1]
    assert set(reasoner.assertions()) == {(1, (EX.part, RDF.type, EX.known))}


def test_what_is_denied_of_a_literal_in_first_place_is_true():
    reasoner = reasoner_with(
        """alone(X) :- value(X, N), not near(N, X), not c(N) in [2], not w(N, N, N).
        w(X, X, X) :- c(X)."""
    )
    reasoner.push(0, [value("v", 1), (EX.u, EX.value, EX.k), (EX.k, EX.near, EX.u)])
    assert shown(reasoner) == ["alone(v)"]


@pytest.mark.parametrize(
    ("denied", "is_true"),
    [("s(W) at W in [1]", False), ("s(W)", False), ("near(W, W)", False), ("near(W, X) at W in [1]", True)],
)
def test_what_is_denied_of_what_is_computed_is_true_unless_rules_conclude_it(denied, is_true):
    rules = f"late(X) :- value(X, N) at T in [3], not {denied}, W = N + 1."
    of_names = reasoner_with(rules)
    of_names.push(0, [value("v", 1), (EX.u, EX.near, EX.u), (EX.u, RDF.type, EX.s)])
    assert shown(of_names) == ["late(v)"]
    concluded = reasoner_with(f"{rules} s(2) :- off(X). near(2, 2) :- off(X).")
    concluded.push(0, [value("v", 1)])
    assert shown(concluded) == ["late(v)"]
    concluded.push(2, [(EX.u, RDF.type, EX.off)])
    assert ("late(v)" in shown(concluded)) is is_true


def test_more_than_two_arguments_of_what_the_stream_says_are_refused():
    with pytest.raises(TemporalRuleError, match=r"q\(X, Y, Z\) has 3 arguments, but no rule concludes it"):
        reasoner_with("p(X) :- q(X, Y, Z).")


X, Y, Z, T = map(Variable, "XYZT")


def atom(name, *arguments):
    return Atom(URIRef(name), arguments)


def shown_rules(body, head, tests=()):
    """The rules as lines, without signs that every name has."""
    rules = (
        f"{head} <- {', '.join(map(str, atoms))}" for atoms, head, _ in reify_pairs_in_rule(body, head, tests)
    )
    return [rule.replace("?", "").replace("urn:pantarhei:temporal:", "") for rule in rules]


def test_a_rule_without_wide_atoms_stays_as_it_is():
    assert shown_rules([atom("p", X, Y)], atom("q", X)) == ["q(X) <- p(X, Y)"]


def test_a_wide_atom_of_a_body_is_one_of_the_pair_of_its_first_argument_and_its_time():
    assert shown_rules([atom("p", X, Y, T)], atom("q", X, T)) == [
        "q(X, T) <- p(pair-X-T, Y), left(pair-X-T, X), right(pair-X-T, T)"
    ]


def test_what_of_a_pair_nothing_asks_for_is_not_looked_up():
    assert shown_rules([atom("p", X, Y, T)], atom("q", Y, T)) == [
        "q(Y, T) <- p(pair-X-T, Y), right(pair-X-T, T)"
    ]
    test = Builtin(SWRLB.lessThan, (T, Y))
    assert shown_rules(
        [atom("p", X, Y, T)],
        atom("q", Y),
        (test,),
    ) == ["q(Y) <- p(pair-X-T, Y), right(pair-X-T, T)"]


def test_a_pair_that_comes_twice_is_looked_up_once():
    (rule,) = shown_rules(
        [
            atom("p", X, Y, T),
            atom("r", X, Z, T),
        ],
        atom("q", X, Z),
    )
    assert rule.count("left(") == 1 and "r(pair-X-T, Z)" in rule


def test_what_is_concluded_of_a_pair_asks_for_it_first():
    assert shown_rules(
        [atom("p", X, Y), atom("t", Y, T)],
        atom("q", X, Y, T),
    ) == [
        "pair(X, T) <- p(X, Y), t(Y, T)",
        "q(pair-X-T, Y) <- p(X, Y), t(Y, T), left(pair-X-T, X), right(pair-X-T, T)",
    ]


def test_what_is_concluded_of_a_pair_that_the_body_has_asks_for_nothing():
    assert shown_rules(
        [atom("p", X, Y, T)],
        atom("q", X, Y, T),
    ) == ["q(pair-X-T, Y) <- p(pair-X-T, Y)"]


@pytest.mark.parametrize("constant", [URIRef("http://e/k"), Literal(3)])
def test_constants_are_told_from_variables(constant):
    (rule,) = shown_rules(
        [
            atom("p", constant, Y, T),
            atom("p", X, Y, T),
        ],
        atom("q", X, T),
    )
    assert rule.count("left(") == 2


def test_the_tests_of_a_rule_stay_with_both():
    test = Builtin(SWRLB.lessThan, (T, Z))
    rules = reify_pairs_in_rule(
        [atom("p", X, Y), atom("t", T, Z)],
        atom("q", X, Y, T),
        (test,),
    )
    assert [tests for _, _, tests in rules] == [(test,), (test,)]
