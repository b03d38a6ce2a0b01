"""Checkpoints as a whole: what is forged is refused or works, and another process goes on from one."""

import contextlib
import copy
import os
import pickle
import subprocess
import sys
import textwrap
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import XSD, Graph, Literal

from checkpoints import (
    COLUMNS,
    DISJOINT,
    FUNCTIONAL,
    HEADER,
    ODD,
    ONTOLOGY,
    SUBCLASS,
    simple,
    with_column,
)
from counts import cases, some
from pantarhei import Ontology, OptionError, StreamReasoner, Window, load_ontology
from pantarhei.engine.checkpoint.container import pack
from pantarhei.errors import CheckpointError, CheckpointMismatchError, MemoryLimitError, PantarheiError
from pantarhei.model.data_range import Datatype, DatatypeRestriction
from pantarhei.model.rule import Member, Origin, Rule
from strategies import A, B, C, V, a, b, is_a, member, related, x, y

ROOT = Path(__file__).parents[3]


def test_every_column_has_something_in_it():
    assert all(len(column) for column in COLUMNS.values())
    assert StreamReasoner.restore(pack(HEADER, COLUMNS), ODD).note == {"now": 3}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_that_is_missing_or_of_another_length_or_type_is_refused(name):
    column = COLUMNS[name]
    others = [column.astype(type_) for type_ in ("<i8", "<f8") if column.dtype != type_]
    for bad in (None, column[:0], column[:-1], np.append(column, column[-1]), *others):
        with pytest.raises(CheckpointError, match="is invalid"):
            StreamReasoner.restore(with_column(name, bad), ODD)


@pytest.mark.parametrize("name", sorted(set(COLUMNS) - {"repairs.unlisted"}))
def test_a_number_that_leads_out_of_a_table_or_is_no_time_or_text_is_refused(name):
    for place in (0, -1):
        column = COLUMNS[name].copy()
        if column.itemsize < 8 and not name.endswith("text"):
            column = column.astype("<u4")
        column[place] = np.iinfo(column.dtype).max
        with pytest.raises(CheckpointError, match="is invalid"):
            StreamReasoner.restore(with_column(name, column), ODD)


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


@settings(max_examples=cases(65, 400), deadline=None)
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
from pantarhei.model.term import in_order

ontology = load_ontology("ontologies/building.ttl")
print(ontology.fingerprint)
reasoner = StreamReasoner.restore(sys.argv[1], ontology)
sys.stdout.flush()
sys.stdout.buffer.write(reasoner.snapshot(reasoner.note))
"""


@pytest.mark.parametrize("seed", some(["0", "1", "77"], ["77"]))
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
