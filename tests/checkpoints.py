"""Reasoners to save, and a checkpoint with content in each column, for tests of forged files."""

import hashlib
import struct
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pyarrow as pa
from rdflib import XSD, BNode, Literal

from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.engine.checkpoint.container import DIGEST_LENGTH, pack, unpack
from pantarhei.model.data_range import Datatype
from pantarhei.model.rule import Different, Member, Rule
from strategies import EX, A, B, C, R, V, a, b, c, is_a, member, related, x, y, z

SUBCLASS = Rule("cax-sco", (is_a(A, x),), is_a(B, x))
DISJOINT = Rule("cax-dw", (is_a(B, x), is_a(C, x)), None)
FUNCTIONAL = Rule("prp-fp", (related(V, x, y), related(V, x, z)), None, (Different(y, z),))
ONTOLOGY = Ontology.from_rules([SUBCLASS, DISJOINT, FUNCTIONAL])


def simple(window=None, **options):
    """Return a reasoner with a repair, a literal in two lexical forms, a blank node and a language tag."""
    reasoner = StreamReasoner(ONTOLOGY, window or Window(3), **options)
    reasoner.push(1, [member(A, a), (b, V, Literal("01", datatype=XSD.integer, normalize=False))])
    reasoner.push(2, [member(C, a), (b, V, Literal(1)), (BNode("n"), R, Literal("été", lang="fr"))])
    return reasoner


def same(one, other):
    """True if two reasoners have equal observable state."""
    return (
        one.assertions() == other.assertions()
        and one.materialization() == other.materialization()
        and one.timestamps == other.timestamps
        and one.repairs == other.repairs
        and one.background == other.background
        and one.window == other.window
    )


def signed(body):
    """Add the correct length and digest to the body of a checkpoint."""
    body = body[:12] + struct.pack("<Q", len(body) + DIGEST_LENGTH) + body[20:]
    return body + hashlib.sha256(body).digest()


def contents():
    """Return a checkpoint with content in each column, and its ontology."""
    tested = Rule("t", (related(V, x, y),), is_a(A, x), tests=(Member(y, Datatype(XSD.integer)),))
    ontology = Ontology.from_rules([SUBCLASS, DISJOINT, FUNCTIONAL, tested], [member(A, c)])
    reasoner = StreamReasoner(ontology, Window("PT5M"), background=[(c, R, BNode("bg"))])
    for minute in (0, 10, 11, 12):
        at = datetime(2026, 1, 1, 0, minute, tzinfo=ZoneInfo("Europe/Brussels"))
        reasoner.push(
            at, [(a, V, Literal(f"0{minute}", datatype=XSD.integer, normalize=False)), member(C, a)]
        )
        reasoner.push(at, [(b, V, Literal(minute)), (b, V, Literal("x", datatype=XSD.integer)), member(A, a)])
    with suppress(EOFError):
        for _ in reasoner.run(_broken_off(at), "PT2M", max_ahead="PT1M"):
            pass
    return ontology, unpack(reasoner.snapshot({"now": 3}), "here")


def _broken_off(at):
    """Yield a stream that ends while three ABoxes are buffered, one of them because it is too far ahead."""
    yield at + timedelta(minutes=1), [(b, V, Literal("waits", lang="en"))]
    yield at, pa.table({name: [EX[name].n3()] for name in ("subject", "predicate", "object")})
    yield at + timedelta(days=1), [(b, R, c)]
    raise EOFError


ODD, CONTENTS = contents()
LISTED = unpack(
    (Path(__file__).parent / "unit/engine/checkpoint/of_format_7.checkpoint").read_bytes(), "of format 7"
)
"""The same checkpoint as format 7 wrote it, where each conflict set is listed."""
HEADER, COLUMNS = CONTENTS.header, CONTENTS.columns


def with_column(name, column):
    """Replace or remove a column of the checkpoint, with a correct digest."""
    return pack(HEADER, {**COLUMNS, name: column} if column is not None else without(COLUMNS, name))


def without(mapping, name):
    """Return the mapping without one key."""
    return {key: value for key, value in mapping.items() if key != name}
