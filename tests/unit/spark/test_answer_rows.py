"""Changes of answers as rows of texts."""

from collections import Counter

from rdflib import Literal

from pantarhei.query.answer_reports import AnswerReport
from pantarhei.spark.answer_rows import changed_rows
from strategies import EX


def test_rows_are_in_the_order_of_their_texts_with_how_many_more_there_are_or_fewer():
    a, b, one = EX.a, EX.b, Literal("one\n")
    report = AnswerReport(1, Counter({(b, None): 2, (a, one): 1}), Counter({(b, one): 3, (None, a): 1}))
    assert changed_rows(report) == [
        ((None, a.n3()), -1),
        ((a.n3(), '"one\\n"'), 1),
        ((b.n3(), None), 2),
        ((b.n3(), '"one\\n"'), -3),
    ]
