"""Which form of a literal a fact has that is given in several."""

import numpy as np
import pyarrow as pa
import pytest
from rdflib import XSD, Literal

from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.encoding.encoded import Encoded
from pantarhei.encoding.forms import Forms
from pantarhei.model.rule import Rule
from strategies import EX, V, related, x, y

ONE, ZERO_ONE, PLUS = (Literal(text, datatype=XSD.integer) for text in ("1", "01", "+1"))
VALUE = 1 << 30  # whose first form is ONE


def facts(*given):
    return np.array([(0, who, VALUE) for who in given], np.int32)


def test_what_comes_before_counts_where_facts_follow_facts():
    first = Encoded(facts(1, 2), Forms({(0, 2, VALUE): PLUS}, {(2, VALUE): PLUS}))
    then = Encoded(facts(1, 2, 3), Forms({(0, who, VALUE): ZERO_ONE for who in (1, 2, 3)}))
    whole = Encoded.together([first, then])
    assert whole.facts.tolist() == facts(1, 2, 1, 2, 3).tolist()
    assert whole.forms == Forms({(0, 2, VALUE): PLUS, (0, 3, VALUE): ZERO_ONE}, {(2, VALUE): PLUS})


def as_table(triples):
    columns = zip(("subject", "predicate", "object"), zip(*triples, strict=True), strict=True)
    return pa.table({name: [term.n3() for term in terms] for name, terms in columns})


@pytest.mark.parametrize("give", [list, as_table])
@pytest.mark.parametrize("in_parts", [False, True])
@pytest.mark.parametrize("met_first", [ONE, ZERO_ONE, PLUS])
def test_it_does_not_matter_which_form_was_met_first(give, in_parts, met_first):
    copied = Rule("prp-spo1", (related(V, x, y),), related(EX.W, x, y))
    reasoner = StreamReasoner(Ontology.from_rules([copied]), Window(10))
    reasoner.push(1, give([(EX.a, V, met_first)]))
    given = [(EX.b, V, ZERO_ONE), (EX.b, V, PLUS)]
    for part in [[triple] for triple in given] if in_parts else [given]:
        reasoner.push(2, give(part))
    about_b = {triple for triple in reasoner.materialization() if triple[0] == EX.b}
    assert about_b == {(EX.b, V, ZERO_ONE), (EX.b, EX.W, ZERO_ONE)}
