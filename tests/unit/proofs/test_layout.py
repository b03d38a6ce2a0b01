from hypothesis import given
from hypothesis import strategies as st

from pantarhei.proofs.layout import layout


@st.composite
def graphs(draw):
    """A graph without circles, all of which is below its node 0."""
    size = draw(st.integers(1, 12))
    edges = {(draw(st.integers(0, node - 1)), node) for node in range(1, size)}
    pairs = [(one, other) for other in range(size) for one in range(other)]
    edges |= set(draw(st.lists(st.sampled_from(pairs), max_size=10))) if pairs else set()
    return sorted(edges), {node: float(draw(st.integers(10, 300))) for node in range(size)}


@given(graphs())
def test_edges_lead_down_and_nothing_overlaps(drawn):
    edges, widths = drawn
    placed = layout(0, edges, widths)
    assert set(placed.layer) == set(placed.middle) == set(widths)
    assert [node for node, layer in placed.layer.items() if layer == 0] == [0]
    for upper, lower in edges:
        assert len(placed.lines[upper, lower]) == placed.layer[lower] - placed.layer[upper] - 1 >= 0
    for one in widths:
        assert widths[one] / 2 <= placed.middle[one] + 1e-6
        assert placed.middle[one] + widths[one] / 2 <= placed.width + 1e-6
        for other in widths:
            if one != other and placed.layer[one] == placed.layer[other]:
                apart = abs(placed.middle[one] - placed.middle[other])
                assert apart >= (widths[one] + widths[other]) / 2 - 1e-6
    for (upper, _), middles in placed.lines.items():
        for layer, middle in enumerate(middles, placed.layer[upper] + 1):
            for node, width in widths.items():
                assert placed.layer[node] != layer or abs(middle - placed.middle[node]) > width / 2


def test_a_chain_stands_in_one_column():
    placed = layout(0, [(0, 1), (1, 2)], {0: 10.0, 1: 50.0, 2: 30.0})
    assert set(placed.middle.values()) == {25.0}
