"""Reports of a step as a sequence: one for each boundary, equal ones held once."""

import pickle
from collections import Counter

import pytest
from rdflib import Literal

from pantarhei.model.time import TimeKind
from pantarhei.query.answer_reports import AnswerChange, AnswerReport, AnswerReports, SameReports
from pantarhei.window.sliding import Times

A, B = (Literal(1),), (Literal("01"),)
EVERY = Times(TimeKind.INTEGER, (range(10, 10**12, 10),))
REPORTS = AnswerReports(
    [SameReports((3,), Counter({A: 2}), Counter({B: 1})), SameReports(EVERY, Counter({B: 1}), Counter())]
)


def test_each_boundary_has_a_report_and_equal_ones_share_their_rows():
    assert len(REPORTS) == 10**11 and REPORTS.distinct[1].repeats == 10**11 - 1
    assert [report.at for report, _ in zip(REPORTS, range(4), strict=False)] == [3, 10, 20, 30]
    assert REPORTS[0] == AnswerReport(3, Counter({A: 2}), Counter({B: 1}))
    assert REPORTS[-1].at == 10**12 - 10 and REPORTS[-1].added is REPORTS[1].added
    assert [report.at for report in REPORTS[:3]] == [3, 10, 20]
    with pytest.raises(IndexError):
        REPORTS[len(REPORTS)]


def test_reports_are_equal_where_each_of_them_is():
    apart = AnswerReports(SameReports((at,), Counter({A: 1}), Counter()) for at in (1, 2, 3))
    together = AnswerReports(
        [SameReports(Times(TimeKind.INTEGER, (range(1, 4),)), Counter({A: 1}), Counter())]
    )
    assert apart == together == tuple(apart) and together != tuple(apart)[:2]
    assert AnswerReports([]) == () and len(AnswerReports([])) == 0


def test_what_came_with_one_report_and_went_with_the_next_did_neither():
    first, second = (
        SameReports((1,), Counter({A: 2}), Counter({B: 1})),
        SameReports((2,), Counter({B: 1}), Counter({A: 1})),
    )
    reports = AnswerReports([first, second])
    assert reports.total(is_delta=True) == ({A: 1}, {})
    assert reports.total(is_delta=False) == ({A: 2, B: 1}, {B: 1, A: 1})


def test_all_that_equal_reports_added_is_added_up():
    change = AnswerChange(9, lambda: REPORTS)
    assert change.added == {A: 2, B: 10**11 - 1} and change.removed == {B: 1}


def test_reports_pickle_as_they_are_held():
    data = pickle.dumps(REPORTS)
    again = pickle.loads(data)
    assert len(data) < 2000 and again == REPORTS and str(next(iter(again[0].removed))[0]) == "01"


def test_a_text_says_how_many_reports_there_are():
    assert repr(REPORTS) == "AnswerReports(100,000,000,000 reports: at 3 to 999999999990)"
    assert "at=3" in repr(AnswerReports(REPORTS.distinct[:1]))
