"""Checkpoints: what damages them is noticed, what interrupts their writing harms nothing."""

import contextlib
import copy
import hashlib
import json
import os
import pickle
import signal
import stat
import struct
import subprocess
import sys
import textwrap
from datetime import UTC, datetime, timedelta, timezone
from fractions import Fraction
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import OWL, RDF, XSD, BNode, Graph, Literal, URIRef

import pantarhei.engine.checkpoint.file as file_module
from pantarhei import Budget, Conflict, Ontology, OptionError, Repair, StreamReasoner, Window, load_ontology
from pantarhei.engine.checkpoint import RepairTable
from pantarhei.engine.checkpoint.container import DIGEST_LENGTH, FORMAT, MAGIC, pack, unpack
from pantarhei.engine.checkpoint.times import TimesWriter
from pantarhei.errors import CheckpointError, CheckpointMismatchError, MemoryLimitError, PantarheiError
from pantarhei.language.data_range import Datatype, DatatypeRestriction
from pantarhei.language.origin import Origin
from pantarhei.language.rule import Different, Member, Rule
from pantarhei.version import __version__
from strategies import EX, A, B, C, R, V, a, b, c, is_a, member, related, x, y, z

SUBCLASS = Rule("cax-sco", (is_a(A, x),), is_a(B, x))
DISJOINT = Rule("cax-dw", (is_a(B, x), is_a(C, x)), None)
FUNCTIONAL = Rule("prp-fp", (related(V, x, y), related(V, x, z)), None, (Different(y, z),))
ONTOLOGY = Ontology.from_rules([SUBCLASS, DISJOINT, FUNCTIONAL])
ROOT = Path(__file__).parents[3]


def simple(window=None, **options):
    reasoner = StreamReasoner(ONTOLOGY, window or Window(3), **options)
    reasoner.push(1, [member(A, a), (b, V, Literal("01", datatype=XSD.integer, normalize=False))])
    reasoner.push(2, [member(C, a), (b, V, Literal(1)), (BNode("n"), R, Literal("été", lang="fr"))])
    return reasoner


def same(one, other):
    return (
        one.assertions() == other.assertions()
        and one.materialization() == other.materialization()
        and one.timestamps == other.timestamps
        and one.repairs == other.repairs
        and one.background == other.background
        and one.window == other.window
    )


def signed(body):
    """The body of a checkpoint with the length and digest that it should have."""
    body = body[:12] + struct.pack("<Q", len(body) + DIGEST_LENGTH) + body[20:]
    return body + hashlib.sha256(body).digest()


# -- what is damaged -------------------------------------------------------------------------------


def test_a_checkpoint_cut_short_anywhere_is_refused():
    whole = simple().snapshot()
    for length in range(len(whole)):
        with pytest.raises(CheckpointError, match=r"damaged|no checkpoint"):
            StreamReasoner.restore(whole[:length], ONTOLOGY)


def test_a_flipped_bit_anywhere_is_noticed():
    whole = simple().snapshot()
    for place in range(8 * len(whole)):
        flipped = bytearray(whole)
        flipped[place // 8] ^= 1 << place % 8
        with pytest.raises(CheckpointError, match=r"damaged|no checkpoint"):
            StreamReasoner.restore(bytes(flipped), ONTOLOGY)


def test_a_checkpoint_with_more_behind_it_is_refused(tmp_path):
    path = tmp_path / "state"
    path.write_bytes(simple().snapshot() + b"\n")
    for source in (path, path.read_bytes()):
        with pytest.raises(CheckpointError, match="in the place of"):
            StreamReasoner.restore(source, ONTOLOGY)


def test_a_huge_file_that_claims_to_be_a_checkpoint_is_not_read(tmp_path, monkeypatch):
    path = tmp_path / "state"
    with path.open("wb") as file:
        file.write(simple().snapshot())
        file.truncate(1 << 40)  # takes no room on the disk
    with pytest.raises(CheckpointError, match="1099511627776 bytes in the place of"):
        StreamReasoner.restore(path, ONTOLOGY)


def test_another_format_says_who_wrote_it_and_what_to_do():
    newer = pack({}, {})[:-DIGEST_LENGTH].replace(__version__.encode(), b"9.8.7")
    newer = newer[:8] + struct.pack("<I", FORMAT + 1) + newer[12:]
    with pytest.raises(CheckpointError, match=rf"by pantarhei 9.8.7 in version {FORMAT + 1} .*go on with"):
        StreamReasoner.restore(signed(newer), ONTOLOGY)


def test_a_checkpoint_of_the_first_format_is_refused_with_the_version_that_wrote_it():
    first = Path(__file__).parent / "of_format_1.checkpoint"
    expected = r"by pantarhei 0.1.0 \(before its release\) in version 1 .*push the window's ABoxes"
    with pytest.raises(CheckpointError, match=expected):
        StreamReasoner.restore(first, ONTOLOGY)


@pytest.mark.parametrize(
    "columns",
    [
        [["facts.predicate", "u4", 1 << 60]],
        [["facts.predicate", "u4", -1]],
        [["facts.predicate", "u4", "1"]],
        [["facts.predicate", "object", 1]],
        [["facts.predicate"]],
        [[["a"], "u1", 0]],
        [],
        7,
    ],
)
def test_lengths_that_lie_allocate_nothing(columns):
    text = json.dumps({"columns": columns}).encode()
    body = struct.pack("<8sIQQ", MAGIC, FORMAT, 0, len(text)) + text + b"0123"
    with pytest.raises(CheckpointError, match="cannot be read"):
        StreamReasoner.restore(signed(body), ONTOLOGY)


@pytest.mark.parametrize(
    "text",
    [b"[" * 100_000, b'{"columns": ' + b"9" * 10_000 + b"}", b"\xff", b"[]", b"{}", b'{"columns": NaN}'],
)
def test_a_header_that_is_no_json_object_is_refused(text):
    body = struct.pack("<8sIQQ", MAGIC, FORMAT, 0, len(text)) + text
    with pytest.raises(CheckpointError, match="cannot be read"):
        StreamReasoner.restore(signed(body), ONTOLOGY)


def contents():
    """A checkpoint that has something in each column, and the ontology for it."""
    tested = Rule("t", (related(V, x, y),), is_a(A, x), tests=(Member(y, Datatype(XSD.integer)),))
    ontology = Ontology.from_rules([SUBCLASS, DISJOINT, FUNCTIONAL, tested], [member(A, c)])
    reasoner = StreamReasoner(ontology, Window("PT5M"), background=[(c, R, BNode("bg"))])
    for minute in range(3):
        at = datetime(2026, 1, 1, 0, minute, tzinfo=ZoneInfo("Europe/Brussels"))
        reasoner.push(
            at, [(a, V, Literal(f"0{minute}", datatype=XSD.integer, normalize=False)), member(C, a)]
        )
        reasoner.push(at, [(b, V, Literal(minute)), (b, V, Literal("x", datatype=XSD.integer)), member(A, a)])
    return ontology, unpack(reasoner.snapshot({"now": 3}), "here")


ODD, CONTENTS = contents()
HEADER, COLUMNS = CONTENTS.header, CONTENTS.columns


def with_column(name, column):
    """The checkpoint with another column, or without it, and a digest that is right."""
    return pack(HEADER, {**COLUMNS, name: column} if column is not None else without(COLUMNS, name))


def without(mapping, name):
    return {key: value for key, value in mapping.items() if key != name}


def test_every_column_has_something_in_it():
    assert all(len(column) for column in COLUMNS.values())
    assert StreamReasoner.restore(pack(HEADER, COLUMNS), ODD).note == {"now": 3}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_that_is_missing_or_of_another_length_or_type_is_refused(name):
    column = COLUMNS[name]
    others = [column.astype(type_) for type_ in ("<i8", "<f8") if column.dtype != type_]
    for bad in (None, column[:0], column[:-1], np.append(column, column[-1]), *others):
        with pytest.raises(CheckpointError, match="makes no sense"):
            StreamReasoner.restore(with_column(name, bad), ODD)


@pytest.mark.parametrize("name", sorted(set(COLUMNS) - {"repairs.unlisted"}))
def test_a_number_that_leads_out_of_a_table_or_is_no_time_or_text_is_refused(name):
    for place in (0, -1):
        column = COLUMNS[name].copy()
        if column.itemsize < 8 and not name.endswith("text"):
            column = column.astype("<u4")
        column[place] = np.iinfo(column.dtype).max
        with pytest.raises(CheckpointError, match="makes no sense"):
            StreamReasoner.restore(with_column(name, column), ODD)


@pytest.mark.parametrize("name", HEADER)
def test_an_entry_of_the_header_that_is_missing_or_of_another_type_is_refused(name):
    for header in (without(HEADER, name), {**HEADER, name: 1.5}, {**HEADER, name: [{}]}):
        if name != "kind" or name in header:
            with pytest.raises(CheckpointError, match="makes no sense"):
                StreamReasoner.restore(pack(header, COLUMNS), ODD)


def test_a_number_in_the_header_has_at_most_64_bits_and_no_truth_value_stands_for_it():
    for bad in (1 << 63, True, "1"):
        with pytest.raises(CheckpointError, match="now is"):
            StreamReasoner.restore(pack({**HEADER, "now": bad}, COLUMNS), ODD)


@pytest.mark.parametrize(
    ("name", "bad", "reason"),
    [
        ("kind", "SUNDIAL", "SUNDIAL"),
        ("kind", "FLOAT", "a number, since"),
        ("kind", None, "shorter"),
        ("now", 0, "do not ascend"),
        ("times", [["datetime", None, 10**18, 0]], "out of range"),
        ("times", [["int"]], "timestamp"),
        ("window", {}, "range"),
        ("window", {**HEADER["window"], "range": {"microseconds": -1}}, "negative"),
        ("budget", {"width": 3}, "width"),
        ("limits", {"max_facts": 0}, "max_facts"),
        ("counters", {"pushes": 1, "sneezes": 2}, "sneezes"),
        ("constraints", [["cax-dw", "no such text"]], "no constraint cax-dw"),
        ("constraints", [], "out of range"),
    ],
)
def test_an_entry_of_the_header_that_makes_no_sense_is_refused(name, bad, reason):
    with pytest.raises(CheckpointError, match=f"makes no sense: .*{reason}"):
        StreamReasoner.restore(pack({**HEADER, name: bad}, COLUMNS), ODD)


def test_a_term_of_another_kind_is_refused_or_gives_a_reasoner_that_works():
    marks = COLUMNS["facts.mark"]
    for place in range(len(marks)):
        for mark in set(marks.tolist()) - {marks[place]}:
            other = marks.copy()
            other[place] = mark
            with contextlib.suppress(CheckpointError):
                StreamReasoner.restore(with_column("facts.mark", other), ODD).materialization()


VALUES = st.sampled_from(
    [None, True, -1, 0, 1, 2, 10**30, 1.5, "", "x", "PT0S", [], [[]], [1], {}, {"a": 1}, "off", "every"]
)


@st.composite
def forgeries(draw):
    """The checkpoint with something else in a few places, and a digest that is right."""
    header = copy.deepcopy(HEADER)
    columns = {name: column.copy() for name, column in COLUMNS.items()}
    for _ in range(draw(st.integers(1, 3))):
        if draw(st.booleans()):
            column = columns[draw(st.sampled_from(sorted(columns)))].view(np.uint8)
            column[draw(st.integers(0, len(column) - 1))] = draw(st.sampled_from((0, 1, 2, 3, 5, 127, 255)))
            continue
        target = header
        while True:
            key = draw(st.sampled_from(sorted(target) if isinstance(target, dict) else range(len(target))))
            if not target[key] or not isinstance(target[key], dict | list) or draw(st.booleans()):
                break
            target = target[key]
        if draw(st.booleans()) and isinstance(target, dict):
            del target[key]
        else:
            target[key] = copy.deepcopy(draw(VALUES))
        if not header:
            break
    return pack(header, columns)


@settings(max_examples=400, deadline=None)
@given(forgeries())
def test_a_forged_checkpoint_is_refused_or_gives_a_reasoner_that_works(forged):
    try:
        reasoner = StreamReasoner.restore(forged, ODD)
    except (CheckpointError, MemoryLimitError) as error:  # a limit can be forged too
        assert str(error)
        return
    reasoner.materialization(), reasoner.assertions(), [str(repair) for repair in reasoner.repairs]
    with contextlib.suppress(PantarheiError):  # another time, say
        reasoner.push(datetime(2026, 1, 1, 0, 3, tzinfo=UTC), [member(C, a), (b, V, Literal(7))])
    reasoner.snapshot()


# -- what it is restored with ----------------------------------------------------------------------


def test_another_ontology_is_refused_with_both_fingerprints():
    data = simple().snapshot()
    other = Ontology.from_rules([SUBCLASS, DISJOINT])
    with pytest.raises(CheckpointMismatchError) as caught:
        StreamReasoner.restore(data, other)
    error = caught.value
    assert (error.saved, error.given) == (ONTOLOGY.fingerprints.rules, other.fingerprints.rules)
    assert "rules" in error.what
    assert error.saved in str(error) and error.given in str(error)


def test_other_assertions_in_the_ontology_are_refused():
    other = Ontology.from_rules([SUBCLASS, DISJOINT, FUNCTIONAL], [member(A, c)])
    with pytest.raises(CheckpointMismatchError, match="assertions in the ontology"):
        StreamReasoner.restore(simple().snapshot(), other)


def test_another_background_is_refused_and_none_is_the_saved_one():
    background = [(c, R, b), (BNode("here"), R, c)]
    reasoner = simple(background=background)
    data = reasoner.snapshot()
    assert same(StreamReasoner.restore(data, ONTOLOGY), reasoner)
    again = StreamReasoner.restore(data, ONTOLOGY, background=[(BNode("there"), R, c), (c, R, b)])
    assert (BNode("there"), R, c) in again.background
    for other in ([], [(c, R, b)], [(c, R, b), (c, R, c)]):
        with pytest.raises(CheckpointMismatchError, match="background"):
            StreamReasoner.restore(data, ONTOLOGY, background=other)


def test_order_and_origin_of_rules_do_not_matter_what_they_say_does():
    one = Ontology.from_rules([SUBCLASS, DISJOINT, FUNCTIONAL])
    renamed = Rule("other", (is_a(A, y),), is_a(B, y), origin=Origin("elsewhere"))
    other = Ontology.from_rules([FUNCTIONAL, DISJOINT, renamed])
    assert one.fingerprint == other.fingerprint
    assert StreamReasoner.restore(simple().snapshot(), other).materialization() == simple().materialization()
    hot = [
        Member(y, DatatypeRestriction(Datatype(XSD.integer), ((XSD.minInclusive, Literal(limit)),)))
        for limit in (5, 6)
    ]
    prints = [Ontology.from_rules([Rule("r", (related(V, x, y),), is_a(A, x), tests=(t,))]) for t in hot]
    assert prints[0].fingerprint != prints[1].fingerprint


def test_the_fingerprint_of_a_document_does_not_depend_on_the_names_of_its_blank_nodes():
    text = """
        @prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :R ; owl:allValuesFrom :B ] .
        :R a owl:ObjectProperty . [] a :A ; :R [ :R [ a :B ] ] ."""
    prints = {load_ontology(Graph().parse(data=text)).fingerprint for _ in range(3)}
    assert len(prints) == 1
    other = load_ontology(Graph().parse(data=text.replace("[ a :B ]", "[ a :C ]")))
    assert other.fingerprint not in prints


# -- where it is -----------------------------------------------------------------------------------


def test_a_checkpoint_that_is_not_there(tmp_path):
    with pytest.raises(CheckpointError, match="there is no such checkpoint") as caught:
        StreamReasoner.restore(tmp_path / "none", ONTOLOGY)
    assert caught.value.source == str(tmp_path / "none")
    with pytest.raises(CheckpointError, match="cannot be written"):
        simple().checkpoint(tmp_path / "none" / "state")


def test_a_folder_is_no_checkpoint(tmp_path):
    with pytest.raises(CheckpointError, match="folder"):
        StreamReasoner.restore(tmp_path, ONTOLOGY)
    with pytest.raises(CheckpointError, match="cannot be written"):
        simple().checkpoint(tmp_path)
    assert list(tmp_path.parent.glob(".*.tmp")) == []


def test_a_file_that_nobody_writes_to_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(CheckpointError, match="no regular file"):
        StreamReasoner.restore(tmp_path / "pipe", ONTOLOGY)


def test_where_nothing_can_be_written_the_old_checkpoint_stays(tmp_path, monkeypatch):
    path, reasoner = tmp_path / "state", simple()
    reasoner.checkpoint(path)
    before = path.read_bytes()
    reasoner.push(3, [member(A, b)])

    def refused(*args, **kwargs):
        raise PermissionError(13, "Permission denied")

    for name in ("open", "fsync", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(file_module.os, name, refused)
            with pytest.raises(CheckpointError, match="cannot be written: Permission denied"):
                reasoner.checkpoint(path)
        assert path.read_bytes() == before
        assert [each.name for each in tmp_path.iterdir()] == ["state"]
    assert reasoner.push(4, [member(C, b)]).repair.removed == {(3, member(A, b))}


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is refused to root")
def test_a_read_only_folder(tmp_path):
    path, reasoner = tmp_path / "state", simple()
    reasoner.checkpoint(path)
    before = path.read_bytes()
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        with pytest.raises(CheckpointError, match="cannot be written"):
            reasoner.checkpoint(path)
    finally:
        tmp_path.chmod(stat.S_IRWXU)
    assert path.read_bytes() == before


def test_a_link_is_followed(tmp_path):
    (tmp_path / "real").mkdir()
    link = tmp_path / "state"
    link.symlink_to(tmp_path / "real" / "state")
    simple().checkpoint(link, {"n": 1})
    simple().checkpoint(link, {"n": 2})
    assert link.is_symlink()
    assert StreamReasoner.restore(link, ONTOLOGY).note == {"n": 2}


# -- killed while it is written --------------------------------------------------------------------

CHILD = """
import os, signal, sys
import pantarhei.engine.checkpoint.file as file_module
from pantarhei import Ontology, StreamReasoner, Window
from rdflib import RDF, URIRef

path, point = sys.argv[1:]
reasoner = StreamReasoner(Ontology.from_rules([]), Window(9))
reasoner.push(1, [(URIRef("urn:a"), RDF.type, URIRef("urn:A"))])
reasoner.checkpoint(path, {"n": 1})
reasoner.push(2, [(URIRef("urn:b"), RDF.type, URIRef("urn:A"))])

def die(*args):
    os.kill(os.getpid(), signal.SIGKILL)

def then_die(function):
    def call(*args):
        function(*args)
        die()
    return call

place, name = point.split()
function = getattr(os, name)
setattr(file_module.os, name, die if place == "before" else then_die(function))
reasoner.checkpoint(path, {"n": 2})
"""


@pytest.mark.parametrize(
    ("point", "expected"),
    [("before fsync", 1), ("after fsync", 1), ("before replace", 1), ("after replace", 2)],
)
def test_a_writer_that_is_killed_leaves_the_old_checkpoint_or_the_new_one(tmp_path, point, expected):
    path, ontology = tmp_path / "state", Ontology.from_rules([])
    ended = subprocess.run([sys.executable, "-c", CHILD, str(path), point], cwd=ROOT)
    assert ended.returncode == -signal.SIGKILL
    restored = StreamReasoner.restore(path, ontology)
    assert restored.note == {"n": expected}
    assert restored.timestamps == tuple(range(1, expected + 1))
    left = list(tmp_path.glob(".state.*.tmp"))
    assert len(left) == (expected == 1)
    restored.checkpoint(path, {"n": 3})
    assert [each.name for each in tmp_path.iterdir()] == ["state"]
    assert StreamReasoner.restore(path, ontology).note == {"n": 3}


def test_the_temporary_file_of_a_writer_that_is_alive_is_left_alone(tmp_path):
    path = tmp_path / "state"
    descriptor, temporary = file_module._create_beside(path)
    stranger = tmp_path / ".state.notes.tmp"
    stranger.write_text("mine")
    simple().checkpoint(path)
    assert Path(temporary).exists() and stranger.exists()
    os.close(descriptor)
    simple().checkpoint(path)
    assert not Path(temporary).exists() and stranger.exists()


# -- what is in it ---------------------------------------------------------------------------------


def test_a_reasoner_that_saw_nothing():
    fresh = StreamReasoner(ONTOLOGY, Window(3), keep="every", repair="grounded", budget=Budget(sets=3))
    restored = StreamReasoner.restore(fresh.snapshot(), ONTOLOGY)
    assert same(restored, fresh) and restored.note == {} and restored.timestamps == ()
    assert restored.push(5, [member(A, a)]).delta == fresh.push(5, [member(A, a)]).delta
    assert same(restored, fresh)


@pytest.mark.parametrize(
    "times",
    [
        [datetime(2026, 3, 29, 0, 30, tzinfo=ZoneInfo("Europe/Brussels")) + timedelta(hours=1)],
        [datetime(2026, 10, 25, 2, 30, fold=fold, tzinfo=ZoneInfo("Europe/Brussels")) for fold in (0, 1)],
        [datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=5, minutes=30, seconds=7), "odd"))],
        [datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, 23, 59, 59, 999_999, tzinfo=UTC)],
        [0.1, 1, 2.5, 10**9],
        [-(2**61), 0, 2**61],
    ],
)
def test_timestamps_come_back_as_they_were_given(times):
    datetimes = isinstance(times[0], datetime)
    window = Window(timedelta(days=4_000_000) if datetimes else 2**62 if type(times[0]) is int else 1e9)
    reasoner = StreamReasoner(ONTOLOGY, window)
    for number, at in enumerate(times):
        reasoner.push(at, [member(A if number % 2 else C, a)])
    restored = StreamReasoner.restore(reasoner.snapshot(), ONTOLOGY)
    assert same(restored, reasoner)
    for one, other in zip(restored.timestamps, times, strict=True):
        assert repr(one) == repr(other) or (one.utcoffset(), one.replace(tzinfo=None)) == (
            other.utcoffset(),
            other.replace(tzinfo=None),
        )
        assert type(one) is type(other)
        assert restored.interpretation(other) == reasoner.interpretation(other)


@pytest.mark.parametrize(
    "window",
    [
        Window("PT5M", "PT1M", datetime(2026, 1, 1, tzinfo=ZoneInfo("Asia/Kolkata")), "right"),
        Window(timedelta(minutes=5), timedelta(seconds=1)),
        Window(4, 2, 1),
        Window(4.5, 0.5, 1),
        Window(4, 1),
        Window(4),
        Window(0.5),
        Window("PT5M"),
    ],
)
def test_the_window_comes_back_as_it_was_given(window):
    restored = StreamReasoner.restore(StreamReasoner(ONTOLOGY, window).snapshot(), ONTOLOGY)
    assert restored.window == window
    assert repr(restored.window) == repr(window)


def lines_run(call):
    """How many lines of Python a call runs."""
    count, before = 0, sys.gettrace()

    def trace(frame, event, argument):
        nonlocal count
        count += event == "line"
        return trace

    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return count


def test_a_snapshot_of_four_times_the_repairs_costs_about_four_times_the_work():
    def first_snapshot(count):
        reasoner = StreamReasoner(ONTOLOGY, Window(count))
        for at in range(count):
            reasoner.push(at, [member(C if at % 2 else A, a)])
        assert len(reasoner.repairs) == count - 1
        return lines_run(reasoner.snapshot)

    assert first_snapshot(400) < 5 * first_snapshot(100)


def test_a_window_of_other_libraries_numbers_comes_back_equal():
    window = Window(np.float64(4.5), Fraction(1, 2), np.int64(1))
    assert StreamReasoner.restore(StreamReasoner(ONTOLOGY, window).snapshot(), ONTOLOGY).window == window


LITERALS = [
    Literal("plain"), Literal("plain", datatype=XSD.string), Literal("tagged", lang="EN-us"), Literal(""),
    Literal(1), Literal("01", datatype=XSD.integer, normalize=False), Literal("x", datatype=XSD.integer),
    Literal("<a/>", datatype=RDF.XMLLiteral), Literal("t", datatype=EX.unknown), Literal("\x00 𝒳"),
    Literal("2026-01-01T00:00:00Z", datatype=XSD.dateTime), Literal("9" * 5000, datatype=XSD.integer),
    Literal("a b", datatype=XSD.token),
]  # fmt: skip


def test_terms_come_back_as_they_were_written():
    reasoner = StreamReasoner(Ontology.from_rules([]), Window(9), repair="off")
    odd = [URIRef("http://example.org/ü "), BNode("a b"), URIRef("")]
    for at, value in enumerate(LITERALS):
        reasoner.push(at, [(odd[at % 3], URIRef(f"urn:p{at}"), value)])
    restored = StreamReasoner.restore(reasoner.snapshot(), reasoner.ontology)
    written = [
        {
            (
                at,
                *t,
                type(t[2]),
                getattr(t[2], "language", None),
                None if t[2].datatype == RDF.XMLLiteral else t[2].value,
            )
            for at, t in r.assertions()
        }
        for r in (restored, reasoner)
    ]
    assert written[0] == written[1]


def test_blank_nodes_of_tables_stay_apart_from_later_ones():
    import pyarrow as pa

    message = pa.table({"subject": ["_:x"], "predicate": ["<urn:p>"], "object": ["_:x"]})
    reasoner = StreamReasoner(Ontology.from_rules([]), Window(9))
    reasoner.push(1, message)
    restored = StreamReasoner.restore(reasoner.snapshot(), reasoner.ontology)
    for each in (reasoner, restored):
        each.push(2, message)
    assert restored.assertions() == reasoner.assertions()
    assert len(restored.materialization()) == 2


def test_of_many_conflicts_the_first_are_kept_and_the_others_counted(monkeypatch):
    monkeypatch.setattr("pantarhei.engine.checkpoint.repairs.MOST_CONFLICTS", 3)
    reasoner = StreamReasoner(ONTOLOGY, Window(9))
    reasoner.push(1, [member(A, EX[f"i{number}"]) for number in range(10)])
    (repair,) = [reasoner.push(2, [member(C, EX[f"i{number}"]) for number in range(10)]).repair]
    restored = StreamReasoner.restore(
        StreamReasoner.restore(reasoner.snapshot(), ONTOLOGY).snapshot(), ONTOLOGY
    )
    (found,) = restored.repairs
    assert (len(found.conflicts), found.unlisted) == (3, 7)
    assert set(found.conflict_sets) < set(repair.conflict_sets)
    assert found.removed == repair.removed
    assert str(found).splitlines()[0] == str(repair).splitlines()[0]
    assert str(found).endswith("and 7 more")
    assert pickle.loads(pickle.dumps(found)) == found


def test_terms_of_one_text_are_told_in_one_order():
    one, other = ((1, (b, V, Literal("1", datatype=type_))) for type_ in (None, XSD.integer))

    def told(*assertions):
        repair = Repair.of(1, "exact", [Conflict(assertions, ())], frozenset(), frozenset())
        columns, _ = RepairTable().columns([(0, repair)], 0, TimesWriter([]))
        return {name: column.tolist() for name, column in columns.items()}

    assert told(one, other) == told(other, one)


def test_source_and_ontology_are_not_to_be_swapped():
    saved = simple().snapshot()
    for source, ontology, option in ((ONTOLOGY, saved, "source"), (saved, "ontology.ttl", "ontology")):
        with pytest.raises(OptionError) as raised:
            StreamReasoner.restore(source, ontology)
        assert raised.value.option == option


def test_a_note_comes_back_as_it_was_given_or_is_refused():
    reasoner = simple()
    note = {"batch": 17, "offsets": [1, 2.5, None, True], "of": {"ü": "\ud800"}}
    restored = StreamReasoner.restore(reasoner.snapshot(note), ONTOLOGY)
    assert restored.note == note
    assert StreamReasoner.restore(restored.snapshot(), ONTOLOGY).note == {}
    for bad in ({1: 2}, {"a": (1, 2)}, {"a": {1}}, {"a": float("nan")}, {"a": b"b"}):
        with pytest.raises(OptionError, match="note"):
            reasoner.snapshot(bad)


def test_a_restored_reasoner_is_as_it_was_after_an_error():
    reasoner = simple()
    restored = StreamReasoner.restore(reasoner.snapshot(), ONTOLOGY)
    for bad in ([(a, V)], [(Literal(1), V, a)]):
        for at in (2, 3):
            with pytest.raises(PantarheiError):
                restored.push(at, [member(A, c), *bad])
    assert same(restored, reasoner)
    assert restored.push(2, [member(C, b)]).repair == reasoner.push(2, [member(C, b)]).repair
    assert same(restored, reasoner)


def test_names_that_are_merged_are_merged_again():
    background = [(a, OWL.sameAs, b), (b, OWL.sameAs, c), (c, R, a)]
    reasoner = simple(background=background)
    restored = StreamReasoner.restore(reasoner.snapshot(), ONTOLOGY)
    assert same(restored, reasoner)
    for each in (reasoner, restored):
        each.push(3, [member(A, c)])
    assert restored.materialization() == reasoner.materialization()


@pytest.mark.parametrize(
    "error", [CheckpointError("here", "why"), CheckpointMismatchError("here", "rules", "1", "2")]
)
def test_errors_pickle(error):
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.source, again.reason) == (
        type(error),
        str(error),
        "here",
        error.reason,
    )


IN_ANOTHER_PROCESS = """
import sys
from pantarhei import StreamReasoner, load_ontology
from pantarhei.language.term import in_order

ontology = load_ontology("ontologies/building.ttl")
print(ontology.fingerprint)
reasoner = StreamReasoner.restore(sys.argv[1], ontology)
sys.stdout.flush()
sys.stdout.buffer.write(reasoner.snapshot(reasoner.note))
"""


@pytest.mark.parametrize("seed", ["0", "1", "77"])
def test_another_process_with_another_hash_seed_restores_the_same_to_the_byte(tmp_path, seed):
    ontology = load_ontology(ROOT / "ontologies" / "building.ttl")
    background = Graph().parse(ROOT / "examples" / "building" / "background.ttl")
    reasoner = StreamReasoner(ontology, Window("PT10M"), background)
    from pantarhei import read_stream

    for abox in read_stream(ROOT / "examples" / "building" / "sample.nq"):
        reasoner.push(abox.at, abox.triples)
    assert reasoner.repairs
    reasoner.checkpoint(tmp_path / "state", {"seed": seed})
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(IN_ANOTHER_PROCESS), str(tmp_path / "state")],
        cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True,
    )  # fmt: skip
    fingerprint, data = done.stdout.split(b"\n", 1)
    assert fingerprint.decode() == ontology.fingerprint
    assert data == (tmp_path / "state").read_bytes()
