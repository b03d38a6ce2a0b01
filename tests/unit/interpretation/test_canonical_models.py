"""Canonical models of ABoxes on one background: each by itself, few by row and many by column."""

import numpy as np
import pytest
from rdflib import RDF, Variable

from pantarhei.interpretation.canonical_models import CanonicalModels
from pantarhei.interpretation.foundation import Foundation
from pantarhei.model.rule import Atom, Rule
from pantarhei.ontology import Ontology
from strategies import EX

x, y = Variable("x"), Variable("y")
RULES = [
    Rule("prp-dom", (Atom(EX.R, (x, y)), Atom(EX.B, (y,))), Atom(EX.A, (x,))),
    Rule("cax-dw", (Atom(EX.A, (x,)), Atom(EX.C, (x,))), None),
]
BACKGROUND = [(EX.b, RDF.type, EX.B)]
LINK, C_OF_A = (EX.a, EX.R, EX.b), (EX.a, RDF.type, EX.C)


@pytest.fixture(params=["by row", "by column"])
def close(request):
    """Closes ABoxes of triples; gives their derived triples, and whether they are contradictory."""
    foundation = Foundation.of(Ontology.from_rules(RULES, BACKGROUND))
    models = CanonicalModels(foundation.model())
    models.bulk_from = 0 if request.param == "by column" else 1 << 30
    vocabulary = foundation.vocabulary

    def closed(*aboxes):
        made = models.close([vocabulary.encode(abox).facts for abox in aboxes])
        return [
            (len(one.asserted), list(vocabulary.decode(one.derived)), bool(one.contradictory)) for one in made
        ]

    return closed


def test_the_background_takes_part_and_is_no_part_of_the_model(close):
    assert close([LINK]) == [(1, [(EX.a, RDF.type, EX.A)], False)]


def test_one_abox_knows_nothing_of_another(close):
    assert close([LINK], [C_OF_A], [LINK, C_OF_A], []) == [
        (1, [(EX.a, RDF.type, EX.A)], False),
        (1, [], False),
        (2, [(EX.a, RDF.type, EX.A)], True),
        (0, [], False),
    ]


def test_what_is_asserted_twice_is_asserted_once(close):
    assert close([LINK, LINK])[0][0] == 1


def test_the_lineage_tells_of_a_contradiction_when_it_is_asked_for():
    foundation = Foundation.of(Ontology.from_rules(RULES, BACKGROUND))
    facts = foundation.vocabulary.encode([LINK, C_OF_A]).facts
    models = CanonicalModels(foundation.model())
    told, untold = (next(models.close([facts], instances)).lineage for instances in (100, None))
    assert untold is None and told is not None
    assert set(map(tuple, facts.tolist())) <= set(map(tuple, np.asarray(told.facts).tolist()))
