"""What holds once enough of what it rests on does."""

from pantarhei.temporal.reasons.support import Support


def support_of(needs, links):
    """Nodes by what they need, and for each the nodes it rests on."""
    support = Support()
    for needed in needs:
        support.node(needed)
    for node, others in links.items():
        support.rest(node, others)
    return support


def test_a_node_holds_after_as_many_as_it_needs_and_before_what_rests_on_it():
    places = support_of([0, 2, 0, 1], {1: [0, 2], 3: [1]}).settled()
    assert sorted(places, key=places.get) == [0, 2, 1, 3]
    assert support_of([0, 2, 1], {1: [0, 2], 2: [1]}).settled() == {0: 0}


def test_what_rests_on_itself_alone_does_not_hold_unless_it_is_supposed():
    support = support_of([1, 1], {0: [1], 1: [0]})
    assert support.settled() == {}
    assert support.settled(supposed=[1]) == {1: 0, 0: 1}


def test_more_than_is_needed_makes_no_difference():
    assert set(support_of([0, 0, 1, 1], {2: [0, 1], 3: [2]}).settled()) == {0, 1, 2, 3}


def test_nothing_rests_on_a_node_that_is_not_to_be_used():
    support = support_of([0, 1, 1], {1: [0], 2: [1]})
    assert set(support.settled(unused=1)) == {0, 1}
