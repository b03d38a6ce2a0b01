"""What a report says of keys."""

import json
from dataclasses import replace

import pytest
from rdflib import Variable

from pantarhei.errors import OptionError
from pantarhei.model.rule import Origin, Rule
from pantarhei.rules.sharding.key_map import KeyMap
from pantarhei.rules.sharding.obstacle import LocatedFacts, NoKey, Obstacle
from pantarhei.rules.sharding.sharding_report import ShardingReport
from strategies import EX, A, R, is_a, related, x, y

IN = EX.inBuilding
RULE = Rule("r", (related(R, x, y), is_a(A, y)), is_a(A, x))
FACTS = tuple(LocatedFacts(atom, atom.arguments[0], None) for atom in RULE.body)
MAPS = {key: KeyMap(key, {EX.a: EX.h}) for key in ("subject", IN)}
OBSTACLES = {
    "subject": tuple(
        Obstacle(replace(RULE, origin=Origin(f"axiom {number}")), FACTS, "they are apart", "subject")
        for number in range(5)
    ),
    IN: (),
}
REPORT = ShardingReport(OBSTACLES, {EX.zone: NoKey("two values")}, 3, frozenset({IN}), MAPS)


def test_a_key_works_where_nothing_stands_in_its_way():
    assert REPORT.keys == (IN,)
    assert [REPORT.allows(key) for key in (IN, "subject", EX.zone)] == [True, False, False]
    with pytest.raises(OptionError, match="one of the checked keys"):
        REPORT.allows(EX.other)


def test_the_text_is_short_and_what_is_asked_about_is_whole():
    line = 'needs "?x R ?y" and "?y Type A" in one shard, but they are in the shards of ?x and of ?y'
    assert str(REPORT).count(line) == 3 and "and 2 more" in str(REPORT)
    assert REPORT.about("subject").count(line) == 5
    assert "two values" in REPORT.about(EX.zone) and "not checked: 3 properties" in str(REPORT)


def test_a_report_is_shown_in_a_line():
    assert repr(REPORT) == "ShardingReport(3 keys checked, 1 of them usable)"


def test_the_json_has_every_obstacle_with_its_axiom():
    found = json.loads(REPORT.to_json())
    assert found["keys"] == [str(IN)] and found["untried"] == 3
    assert [each["axiom"] for each in found["obstacles"]["subject"]] == [
        f"axiom {number}" for number in range(5)
    ]
    assert {each["reason"] for each in found["obstacles"]["subject"]} == {"they are apart"}


def test_a_name_without_a_key_is_its_own():
    by_building = MAPS[IN]
    assert (by_building.of(EX.a), by_building.of(EX.b)) == (EX.h, EX.b)
    assert by_building.written(Variable("x")) == "inBuilding(?x)" and by_building.written(EX.a) == "h"


def test_the_stream_may_assert_all_but_what_is_the_backgrounds():
    assert REPORT.admits(R, is_class=False) and not REPORT.admits(IN, is_class=False)
