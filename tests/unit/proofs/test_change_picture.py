"""Pictures of the changes of a step."""

from xml.etree import ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st

from pantarhei.proofs.change_picture import Cause, ChangedFact, changes_svg
from svg_checks import HOSTILE, SVG, assert_apart


def texts(root):
    return [text.text for text in root.iter(f"{SVG}text")]


def test_facts_are_grouped_by_cause_with_arrows_from_assertions():
    facts = [
        ChangedFact("s is active", Cause.ASSERTED),
        ChangedFact("room is occupied", Cause.DERIVED, (0,)),
        ChangedFact("s is idle", Cause.EXPIRED),
        ChangedFact("t is idle", Cause.CUT),
        ChangedFact("room is empty", Cause.UNSUPPORTED),
    ]
    root = ElementTree.fromstring(changes_svg("at 3", facts))
    assert texts(root) == [
        "at 3",
        *("+1 asserted", "s is active", "+1 derived", "room is occupied"),
        *("−1 left the window", "s is idle", "−1 removed by the repair", "t is idle"),
        *("−1 no longer derived", "room is empty"),
    ]
    arrows = [path for path in root.iter(f"{SVG}path") if path.get("marker-end")]
    assert len(arrows) == 1


def test_of_many_facts_the_first_are_drawn_and_the_others_counted():
    facts = [ChangedFact(f"x{n} is hot", Cause.ASSERTED) for n in range(1_000)]
    facts.append(ChangedFact("y is hot", Cause.DERIVED, (0, 999)))
    root = ElementTree.fromstring(changes_svg("at 3", facts))
    assert "+1,000 asserted" in texts(root) and "and 988 more" in texts(root)
    assert len([path for path in root.iter(f"{SVG}path") if path.get("marker-end")]) == 1


@given(st.lists(st.builds(ChangedFact, HOSTILE, st.sampled_from(Cause)), max_size=40), HOSTILE)
@settings(max_examples=60, deadline=None)
def test_texts_do_not_overlap(facts, title):
    assert_apart(changes_svg(title, facts))
