"""ABoxes with what follows from them, in the numbers of a reasoner."""

import pyarrow as pa
import pytest
from rdflib import XSD, BNode, Literal

from pantarhei import Ontology
from pantarhei.encoding.encode import encode_abox
from pantarhei.errors import InvalidTripleError
from pantarhei.interpretation.closed_abox import ClosedABox, encode, split
from pantarhei.interpretation.foundation import Foundation
from pantarhei.interpretation.materializer import ABoxMaterializer
from pantarhei.model.rule import Rule
from strategies import EX, A, B, R, V, a, b, is_a, member, related, x, y

ONTOLOGY = Ontology.from_rules(
    [Rule("sub", (is_a(A, x),), is_a(B, x)), Rule("copy", (related(V, x, y),), related(EX.W, x, y))]
)
ONE, ZERO_ONE = (Literal(text, datatype=XSD.integer, normalize=False) for text in ("1", "01"))


def table(*rows, **more):
    columns = zip(("subject", "predicate", "object"), zip(*rows, strict=True), strict=True)
    return pa.table({**{name: [term.n3() for term in terms] for name, terms in columns}, **more})


def encoded(vocabulary, given):
    return split(given, encode_abox(vocabulary, given.select(["subject", "predicate", "object"]), ""))


def test_the_facts_of_a_table_are_split_by_its_column_asserted_ones_first():
    vocabulary = Foundation.of(ONTOLOGY).vocabulary
    given = table(member(B, a), member(A, a), (a, R, b), derived=[True, False, False])
    found = encoded(vocabulary, given)
    assert list(vocabulary.decode(found.facts)) == [member(A, a), (a, R, b), member(B, a)]
    assert list(vocabulary.decode(found.asserted.facts)) == [member(A, a), (a, R, b)]
    assert found.finished


def test_only_forms_of_asserted_facts_are_kept():
    vocabulary = Foundation.of(ONTOLOGY).vocabulary
    vocabulary.encode([(b, V, ONE)])
    given = table((a, V, ZERO_ONE), (a, EX.W, ZERO_ONE), derived=[False, True])
    ((fact, form),) = encoded(vocabulary, given).asserted.forms.by_fact.items()
    assert (fact[0], form) == (vocabulary.find_property(V), ZERO_ONE)


@pytest.mark.parametrize("derived", [None, ["yes"], [None], [0]])
def test_a_table_without_a_boolean_in_each_row_is_refused(derived):
    given = table(member(A, a), **({} if derived is None else {"derived": derived}))
    with pytest.raises(InvalidTripleError, match="exactly one column derived of booleans"):
        encoded(Foundation.of(ONTOLOGY).vocabulary, given)


def test_an_interpretation_means_the_same_to_a_reasoner_that_has_numbered_other_terms():
    abox = [member(A, a), member(EX.New, EX.new), (EX.new, EX.p, b), (a, V, ZERO_ONE), (b, V, ONE)]
    made = ABoxMaterializer(Foundation.of(ONTOLOGY, [(a, R, b)])).materialize(abox)
    here = Foundation.of(ONTOLOGY, [(a, R, b)])
    here.vocabulary.encode([(EX.here, EX.q, Literal("here")), member(EX.Here, EX.here), (EX.here, V, ONE)])
    found = encode(made, here.vocabulary, here.common, "")
    forms = found.asserted.forms.by_fact
    assert set(here.vocabulary.decode(found.asserted.facts, forms)) == set(abox)
    derived = found.facts[len(found.asserted.facts) :]
    assert {triple[:2] for triple in here.vocabulary.decode(derived)} == {
        member(B, a)[:2],
        (a, EX.W),
        (b, EX.W),
    }


def test_blank_nodes_of_an_interpretation_belong_to_the_message_that_is_named():
    made = ABoxMaterializer(Foundation.of(ONTOLOGY)).materialize([member(A, BNode("n"))])
    here = Foundation.of(ONTOLOGY)
    subjects = [encode(made, here.vocabulary, here.common, scope).facts[0, 1] for scope in ("1", "2", "1")]
    assert subjects[0] == subjects[2] != subjects[1]


def test_what_follows_from_several_parts_together_is_not_known():
    vocabulary = Foundation.of(ONTOLOGY).vocabulary
    one, other = (
        encoded(vocabulary, table(member(A, who), member(B, who), derived=[False, True])) for who in (a, b)
    )
    assert ClosedABox.together([one]) is one and one.finished
    together = ClosedABox.together([one, other])
    assert not together.finished
    assert list(vocabulary.decode(together.facts)) == [member(A, a), member(A, b)]


def test_what_is_derived_of_a_predicate_is_left_out_and_what_is_asserted_stays():
    vocabulary = Foundation.of(ONTOLOGY).vocabulary
    given = table(member(B, a), member(B, b), member(A, b), derived=[False, True, False])
    found = encoded(vocabulary, given).without([vocabulary.find_class(B)])
    assert list(vocabulary.decode(found.facts)) == [member(B, a), member(A, b)]
    assert list(vocabulary.decode(found.asserted.facts)) == [member(B, a), member(A, b)]
