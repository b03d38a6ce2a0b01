"""Lines of N-Quads for tests: simple ones, and lines that the fast reader must leave to the parser."""

from __future__ import annotations

from hypothesis import strategies as st

PROV = "<http://www.w3.org/ns/prov#generatedAtTime>"
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
XSD = "http://www.w3.org/2001/XMLSchema#"

NODES = ["<urn:x:a>", "<http://example.org/b#c>", "<http://example.org/é>", "_:b", "_:c1", "<urn:%20>"]
WORDS = [
    '"plain"',
    '"with spaces . and <marks>"',
    r'"escaped \" \\ \n \u00e9"',
    '"é 日本"',
    '"chat"@fr-BE',
    '"x"@EN',
    f'"01"^^<{XSD}integer>',
    f'"oops"^^<{XSD}decimal>',
    f'"a"^^<{XSD}string>',
    '"<p>"^^<urn:own>',
    '""',
    '"a\tb"',
]
PROPERTIES = ["<urn:x:p>", "<http://example.org/q>", TYPE]
GRAPHS = [
    "<urn:at:1>",
    "<urn:at:2>",
    "<urn:at:2>",
    "<http://example.org/other/2>",
    "<urn:at:0.5>",
    "<urn:g>",
    "_:g",
]
TIMES = [
    f'<urn:g> {PROV} "1" .',
    f'_:g {PROV} "2" .',
    f'<urn:g> {PROV} "3" <urn:g> .',
    f'<urn:z> {PROV} "9" .',
]
ODD = [
    "",
    "# a comment",
    "<urn:a> <urn:b> oops <urn:at:1> .",
    '<urn:a> <urn:b> "open <urn:at:1> .',
    "<urn:a>  <urn:b> <urn:c> <urn:at:1>.",
    "<urn:a> <urn:b> <urn:c> <urn:at:1> . # why",
    "<urn:a> <urn:b> <urn:c> .",
    '<urn:a> <urn:b> "x"@en--ltr <urn:at:1> .',
    "<urn:a> <urn:b> <<( <urn:a> <urn:b> <urn:c> )>> <urn:at:1> .",
    "<urn:a> <urn:b> <urn:c> <urn:at:1> .\r",
    "\ufeff<urn:a> <urn:b> <urn:c> <urn:at:1> .",
    f'<urn:a> {TYPE} "no class" <urn:at:1> .',
    '"subject" <urn:b> <urn:c> <urn:at:1> .',
    "<urn:a> <urn:b> <urn:c> <urn:at:2026-01-31T10:00:00> .",
    "<relative> <urn:b> <urn:c> <urn:at:1> .",
    "<urn:a> _:b <urn:c> <urn:at:1> .",
    '<urn:a> <urn:b> <urn:c> "1" .',
    "<urn:a> <urn:b> <urn:%zz> <urn:at:1> .",
]

plain_lines = st.builds(
    lambda s, p, o, g: f"{s} {p} {o} {g} .",
    *map(st.sampled_from, (NODES, PROPERTIES[:2], NODES + WORDS, GRAPHS[:4])),
)
any_lines = st.one_of(
    plain_lines,
    plain_lines,
    st.builds(
        lambda s, p, o, g: f"{s} {p} {o} {g} .",
        *map(st.sampled_from, (NODES, PROPERTIES, NODES + WORDS, GRAPHS)),
    ),
    st.sampled_from(TIMES),
    st.sampled_from(ODD),
)
