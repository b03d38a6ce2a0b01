"""Facts by themselves: a model without rules."""

import numpy as np
from rdflib import RDF

from pantarhei.encoding.numbers import NONE, Symbol, as_tuples
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.materialize.plain import plain_model
from pantarhei.rules.compilation.program import compile_
from strategies import A, a


def test_it_holds_its_facts_and_nothing_follows_from_them():
    vocabulary = Vocabulary(compile_([]))
    fact = vocabulary.number_symbol(Symbol(A, 1)), vocabulary.number(a), NONE
    model = plain_model(np.array([fact, fact], np.int32), vocabulary)
    assert as_tuples(model.facts()) == [fact] and not len(model.take_changes())
    assert list(model.match(None, RDF.type, None)) == [(a, RDF.type, A)]
