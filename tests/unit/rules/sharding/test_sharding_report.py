"""What a report says of keys."""

import json

import pytest
from rdflib import Variable

from pantarhei.errors import OptionError
from pantarhei.model.rule import Origin, Rule
from pantarhei.rules.sharding.sharding_report import KeyMap, NoKey, Obstacle, ShardingReport
from strategies import EX, A, R, is_a, related, x, y

IN = EX.inBuilding
RULE = Rule("r", (related(R, x, y), is_a(A, y)), is_a(A, x), origin=Origin("an axiom"))
OBSTACLE = Obstacle(RULE, RULE.body, "they are apart")
MAPS = {key: KeyMap(key, {EX.a: EX.h}) for key in ("subject", IN)}
OBSTACLES = {"subject": (OBSTACLE,) * 5, IN: ()}
REPORT = ShardingReport(OBSTACLES, {EX.zone: NoKey("two values")}, 3, frozenset({IN}), MAPS)


def test_a_key_works_where_nothing_stands_in_its_way():
    assert REPORT.keys == (IN,)
    assert [REPORT.allows(key) for key in (IN, "subject", EX.zone)] == [True, False, False]
    with pytest.raises(OptionError, match="one of the checked keys"):
        REPORT.allows(EX.other)


def test_the_text_is_short_and_what_is_asked_about_is_whole():
    assert str(REPORT).count("they are apart") == 3 and "and 2 more" in str(REPORT)
    assert REPORT.about("subject").count("they are apart") == 5
    assert "two values" in REPORT.about(EX.zone) and "not checked: 3 properties" in str(REPORT)


def test_a_report_is_shown_in_a_line():
    assert repr(REPORT) == "ShardingReport(3 keys checked, 1 of them usable)"


def test_the_json_has_every_obstacle_with_its_axiom():
    found = json.loads(REPORT.to_json())
    assert found["keys"] == [str(IN)] and found["untried"] == 3
    assert [each["axiom"] for each in found["obstacles"]["subject"]] == ["an axiom"] * 5


def test_a_name_without_a_key_is_its_own():
    by_building = MAPS[IN]
    assert (by_building.of(EX.a), by_building.of(EX.b)) == (EX.h, EX.b)
    assert by_building.written(Variable("x")) == "inBuilding(?x)" and by_building.written(EX.a) == "h"


def test_the_stream_may_assert_all_but_what_is_the_backgrounds():
    assert REPORT.admits(R, is_class=False) and not REPORT.admits(IN, is_class=False)
