"""Where two names may be of one individual, a rule that compares names says whether it asks for that."""

import pytest
from rdflib import OWL, RDF, Graph, Namespace

import pantarhei as pr
from pantarhei.errors import TemporalRuleError

EX = Namespace("http://e/")
NO_AXIOMS = pr.load_ontology(Graph())
VALVES = [(EX[name], RDF.type, EX.valve) for name in ("v1", "v2", "v3")]


def conclusions(text, facts=(*VALVES, (EX.v1, OWL.sameAs, EX.v2)), unique_names=False):
    rules = pr.load_rules(text + "\n", prefixes={"": str(EX), "owl": str(OWL)})
    reasoner = pr.StreamReasoner(NO_AXIOMS, pr.Window(1), unique_names=unique_names, temporal=rules)
    reasoner.push(0, facts)
    return " ".join(sorted(map(str, reasoner.atoms())))


@pytest.mark.parametrize(
    ("text", "column", "instead"),
    [
        (
            "a(X, Y) :- valve(X), valve(Y), X != Y.",
            32,
            r"not owl:sameAs\(X, Y\) beside it, or unique_names=True",
        ),
        ("a(X, Y) :- valve(X), valve(Y), X = Y.", 32, r"owl:sameAs\(X, Y\), or unique_names=True"),
        ("a(X) :- valve(X), X != v1.", 19, r"not owl:sameAs\(X, v1\) beside it"),
    ],
)
def test_what_compares_names_is_refused(text, column, instead):
    with pytest.raises(TemporalRuleError, match=instead) as told:
        conclusions(text)
    assert told.value.column == column
    assert conclusions(text, VALVES, unique_names=True)


def test_what_asks_for_individuals_compares_them():
    assert conclusions("a(X, Y) :- valve(X), valve(Y), X != Y, not owl:sameAs(X, Y).") == (
        "a(v1, v3) a(v2, v3) a(v3, v1) a(v3, v2)"
    )
    assert conclusions("a(X, Y) :- valve(X), valve(Y), owl:sameAs(X, Y).") == "a(v1, v2) a(v2, v1)"


def test_of_two_names_that_may_be_values_it_is_not_known_whether_they_differ():
    facts = [(EX.x, EX.p, EX.v1), (EX.y, EX.p, EX.v2)]
    for text in (
        "a(A, B) :- p(X, A), p(Y, B), A != B.",
        "a(A, B) :- p(X, A), p(Y, B), A = B, X != Y, not owl:sameAs(X, Y).",
    ):
        assert conclusions(text, facts) == ""
    assert conclusions("a(A) :- p(X, A), A != 7.", facts) == "a(v1) a(v2)"
