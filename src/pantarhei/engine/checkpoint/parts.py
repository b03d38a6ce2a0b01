"""Checkpoints of the shards of a stream: one checkpoint split by keys, or several merged.

A split moves each assertion, cut fact, literal form and repair to the part of its subject; a merge unites the
entries of equal ticks. If no derivation and no conflict joins subjects of two parts
(`rules/sharding/locality`), a reasoner restored from a part, or from merged parts, continues like a reasoner
that has received these assertions from the beginning: equal facts, interpretations, repairs, further parts of
the newest timestamp, and answers. Exceptions:

- ABoxes without facts belong to no part.
- Repairs store their conflict sets as lists. If a list is not complete, it is not complete in any part.
- The past is divided too. Merged departures have the earliest time at which an equally old ABox has left, and
  entries that a limit has evicted from some of the merged parts only are forgotten.
- The counters of parts add up to those of the whole. The first part has the counters of ABoxes that are not
  remembered; unknown names are listed in each part.
- Temporal rules are divided if no conclusion is remembered and the keys of their states are known.
- A fact that can be in any shard is in each part that derives it. So the number of its copies may change.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import chain

import numpy as np
from rdflib import Literal

from pantarhei.encoding.given_forms import GivenForms
from pantarhei.encoding.numbers import Fact, Forms, Integers, Pair, as_tuples
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.engine.checkpoint import (
    Checkpoint,
    Json,
    RepairTable,
    State,
    checked_note,
    read_checkpoint,
    save,
)
from pantarhei.engine.checkpoint.history_parts import (
    Owners,
    PartOf,
    Piece,
    divided_counters,
    merged_histories,
    pieces_of,
)
from pantarhei.engine.consumer import QUERIES, known_bytes
from pantarhei.engine.diagnostics import InputDiagnostics
from pantarhei.engine.stream_history import Counters, StreamHistory
from pantarhei.engine.stream_state import StreamState
from pantarhei.engine.temporal_engine import CONCLUSIONS
from pantarhei.errors import CheckpointSplitError, OptionError
from pantarhei.interpretation.foundation import Foundation
from pantarhei.materialize.kernel_values import contiguous
from pantarhei.model.time import show_time, time_of
from pantarhei.ontology.ontology import Ontology
from pantarhei.query.incremental.query_parts import QueryParts, merge_queries
from pantarhei.rdf.triple_table import triples_of
from pantarhei.repair.result import NO_PROOFS
from pantarhei.temporal.checkpoint_parts import Positions, merge_data, split_data
from pantarhei.window.log import Entry, Log
from pantarhei.window.retention import NO_LIMITS
from pantarhei.window.sliding import Step


def split(
    snapshot: bytes,
    ontology: Ontology,
    part_of: PartOf,
    *,
    key_columns: Mapping[str, Collection[int]] | None = None,
    positions: Positions | None = None,
    note: Mapping[str, Json] | None = None,
) -> dict[int, bytes]:
    """Split a snapshot by the subjects of its assertions; returns the snapshots of all parts with content.

    Costs Python steps for subjects, repairs, literal forms, rows of queries, and entries of each part; the
    rest is vectorised. If literals have several forms, each part is materialized.

    Args:
        snapshot: the snapshot of a reasoner.
        ontology: the ontology of the reasoner.
        part_of: returns the part of a subject as the window stores it: names declared equal by the background
            have one representative, and the label of a blank node begins with the prefix of its message.
        key_columns: for each registered query that does not report at each step, the columns of its rows
            whose terms determine the part (`query.key_local.key_columns`).
        positions: returns the argument positions of a predicate that have the key of the shard in each fact
            of the stream (`ShardingReport.positions`); for temporal rules that read states.
        note: the note of the parts; by default that of the snapshot.

    Raises:
        CheckpointError: the snapshot is damaged, or was made with another ontology.
        CheckpointSplitError: a conflict, the rows of a query, or temporal rules cannot be divided.
    """
    source = read_checkpoint(snapshot)
    held = _begin(source, ontology)
    state = source.state(held.growing)
    whole = state.history
    held.replace(whole, state.forms, state.noted)
    values, owners = held.computed_literals(), Owners(held.vocabulary, part_of)
    pieces = pieces_of(whole, owners)
    consumers = _SplitConsumers(state, pieces, owners.of_term, key_columns or {}, positions)
    parts = sorted({*pieces, *consumers.parts})
    found = {}
    of_parts = divided_counters(whole.counters, [pieces[part] for part in parts])
    for part, counters in zip(parts, of_parts, strict=True):
        history = pieces[part].history(whole, counters)
        forms = _forms_in(held, history, state.forms, owners, part)
        noted = state.noted if part == parts[0] else state.noted._replace(axioms=0)
        kept = {name: known_bytes(data) for name, data in consumers.of(part).items()}
        of_part = State(
            history, forms, state.ill_typed, _note(note, source), values, consumers=kept, noted=noted
        )
        found[part] = _saved(of_part, source, ontology, held)
    return found


def merge(snapshots: Sequence[bytes], ontology: Ontology, *, note: Mapping[str, Json] | None = None) -> bytes:
    """Merge the snapshots of reasoners that received assertions of different subjects.

    All must have advanced to the same time, except those without a step. Costs as `split`; if values have
    different first forms in two snapshots, these are materialized.

    Args:
        snapshots: at least one snapshot.
        ontology: the ontology of all reasoners.
        note: the note of the result; by default that of the first snapshot.

    Raises:
        CheckpointError: a snapshot is damaged, or was made with another ontology.
        CheckpointSplitError: the times, options, backgrounds, queries or temporal rules differ; two snapshots
            have assertions of one subject; or temporal rules remember conclusions.
        OptionError: there is no snapshot.
    """
    if not snapshots:
        raise OptionError("snapshots", repr(snapshots), "at least one snapshot")
    sources = [read_checkpoint(each) for each in snapshots]
    _check_equal(sources)
    held = _begin(sources[0], ontology)
    for other in sources[1:]:
        other.check(ontology, None)
    states = [source.state(held.growing) for source in sources]
    _check_disjoint(states, held.vocabulary)
    step = _common_step(states)
    states = [_with_explicit_forms(held, *each) for each in zip(states, sources, strict=True)]
    histories = [state.history for state in states]
    whole = replace(histories[0], step=step, messages=max(history.messages for history in histories))
    counters = reduce(Counters.plus, (history.counters for history in histories))
    history = merged_histories(histories).history(whole, counters)
    facts, pairs = dict[Fact, Literal](), dict[Pair, Literal]()
    for state in reversed(states):
        facts |= state.forms.facts
        pairs |= state.forms.pairs
    forms, noted = GivenForms(held.vocabulary, facts, pairs), _merged_diagnostics(states)
    held.replace(history, forms, noted)
    ill_typed = tuple(dict.fromkeys(chain.from_iterable(state.ill_typed for state in states)))
    kept = {name: known_bytes(data) for name, data in _merged_consumers(states).items()}
    found = State(
        history,
        forms,
        ill_typed,
        _note(note, sources[0]),
        held.computed_literals(),
        consumers=kept,
        noted=noted,
    )
    return _saved(found, sources[0], ontology, held)


# -- checkpoints -----------------------------------------------------------------------------------


def _begin(source: Checkpoint, ontology: Ontology) -> StreamState:
    """Return a state without assertions that has the ontology, background and options of a checkpoint."""
    source.check(ontology, None)
    joined, facts = ontology.with_background(source.background.triples or None)
    options = replace(source.options, limits=NO_LIMITS)
    background = tuple(triples_of(facts)) or None
    foundation = Foundation.of(joined, background, options.unique_names, options.numbers)
    return StreamState(foundation, options, NO_PROOFS)


def _saved(state: State, source: Checkpoint, ontology: Ontology, held: StreamState) -> bytes:
    lexicon = held.vocabulary.lexicon
    return save(state, source.options, ontology, source.background, lexicon, RepairTable())


def _note(given: Mapping[str, Json] | None, source: Checkpoint) -> Mapping[str, Json]:
    return source.note if given is None else checked_note(given)


# -- consumers and literal forms -------------------------------------------------------------------


def _forms_in(
    held: StreamState, history: StreamHistory, forms: GivenForms, owners: Owners, part: int
) -> GivenForms:
    """Return the literal forms in the materialization of a part."""
    if not forms.facts and not forms.pairs:
        return GivenForms(held.vocabulary)
    given = list(forms.facts)
    store = held.shown_of(history).model.kernel.store
    is_present = store.present(contiguous(np.array(given, np.int32).reshape(-1, 3)))
    facts = {fact: forms.facts[fact] for fact, flag in zip(given, is_present, strict=True) if flag}
    pairs = {pair: form for pair, form in forms.pairs.items() if owners.of_subject(pair[0]) == part}
    return GivenForms(held.vocabulary, facts, {**pairs, **{fact[1:]: form for fact, form in facts.items()}})


class _SplitConsumers:
    """States of consumers in parts; `parts` has the parts in which one of them has content.

    Args:
        state: the state of the whole.
        pieces: the history of each part.
        part_of, key_columns, positions: as for `split`.
    """

    def __init__(
        self,
        state: State,
        pieces: Mapping[int, Piece],
        part_of: PartOf,
        key_columns: Mapping[str, Collection[int]],
        positions: Positions | None,
    ) -> None:
        saved = _consumers(state)
        self._others = {name: data for name, data in saved.items() if name not in (QUERIES, CONCLUSIONS)}
        self._queries = QueryParts(saved[QUERIES], part_of, key_columns) if QUERIES in saved else None
        parts = set() if self._queries is None else self._queries.parts
        oldest = {part: next((entry.ticks for entry in piece.log), None) for part, piece in pieces.items()}
        self._rules = dict[int, bytes]()
        if CONCLUSIONS in saved:
            oldest = {**dict.fromkeys(parts), **oldest}
            self._rules = split_data(saved[CONCLUSIONS], part_of, positions, oldest)
        self.parts = parts | self._rules.keys()

    def of(self, part: int) -> dict[str, bytes]:
        """Return the states of the consumers of a part, by name."""
        queries = {} if self._queries is None else {QUERIES: self._queries.of(part)}
        rules = {CONCLUSIONS: self._rules[part]} if self._rules else {}
        return {**self._others, **queries, **rules}


def _merged_consumers(states: Sequence[State]) -> dict[str, bytes]:
    """Return the states of the consumers of all checkpoints, by name."""
    saved = list(map(_consumers, states))
    names = saved[0].keys()
    if any(each.keys() != names for each in saved):
        raise CheckpointSplitError("only some snapshots have queries or temporal rules", _SAME_CONSUMERS)
    merged = {QUERIES: merge_queries([each[QUERIES] for each in saved])} if QUERIES in names else {}
    if CONCLUSIONS in names:
        merged[CONCLUSIONS] = merge_data([each[CONCLUSIONS] for each in saved])
    return merged


def _consumers(state: State) -> dict[str, bytes]:
    return {name: make(iter) for name, make in state.consumers.items()}


_SAME_CONSUMERS = "register the same queries and temporal rules with each reasoner"


# -- histories united ------------------------------------------------------------------------------


def _check_equal(sources: Sequence[Checkpoint]) -> None:
    """Check that options and backgrounds are equal; limits and history may differ.

    Raises:
        CheckpointSplitError: they differ.
    """
    first = sources[0]
    for other in sources[1:]:
        given = replace(other.options, limits=first.options.limits, history=first.options.history)
        for what, one, another in (
            ("options", first.options, given),
            ("backgrounds", first.background.fingerprint, other.background.fingerprint),
        ):
            if one != another:
                raise CheckpointSplitError(
                    f"two snapshots have the different {what} {one} and {another}",
                    "merge snapshots of equal reasoners",
                )


def _common_step(states: Sequence[State]) -> Step | None:
    """Return the time of all histories that have one.

    Raises:
        CheckpointSplitError: the times differ.
    """
    steps = list(dict.fromkeys(each.history.step for each in states if each.history.step is not None))
    if len(steps) > 1:
        times = [show_time(time_of(step.now, step.kind)) for step in steps[:2]]
        raise CheckpointSplitError(
            f"two snapshots have the different times {times[0]} and {times[1]}",
            "advance the reasoners to one time before their snapshots are taken",
        )
    return steps[0] if steps else None


def _check_disjoint(states: Sequence[State], vocabulary: Vocabulary) -> None:
    """Check that no subject is asserted in two histories.

    Raises:
        CheckpointSplitError: a subject is.
    """
    seen = np.zeros(len(vocabulary.names), bool)
    for state in states:
        entries = chain(state.history.past.entries(), state.history.log)
        own = np.unique(np.concatenate([np.empty(0, np.int32), *(entry.facts[:, 1] for entry in entries)]))
        if (both := own[seen[own]]).size:
            name = vocabulary.term(int(both[0])).n3()
            raise CheckpointSplitError(
                f"two snapshots have assertions of {name}",
                "merge parts of a stream that was divided by subject",
            )
        seen[own] = True


def _with_explicit_forms(held: StreamState, state: State, source: Checkpoint) -> State:
    """Return a state that stores each literal form explicitly that is not the vocabulary's first form of its
    value, although it was the first one in this checkpoint.
    """
    vocabulary, first = held.vocabulary, dict[int, Literal]()
    for literal in source.first_forms():
        if not vocabulary.shows(number := vocabulary.number(literal), literal):
            first[number] = literal
    if not first:
        return state
    values = np.array(list(first), np.int32)

    def explicit(facts: Integers, known: Mapping[Fact, Literal]) -> dict[Fact, Literal]:
        some = as_tuples(facts[np.isin(facts[:, 2], values)])
        return {**{fact: first[fact[2]] for fact in some}, **known}

    def entry_of(entry: Entry) -> Entry:
        by_fact = explicit(entry.facts, entry.forms.by_fact)
        by_pair = {
            **{fact[1:]: first[fact[2]] for fact in by_fact if fact[2] in first},
            **entry.forms.by_pair,
        }
        return replace(entry, forms=Forms(by_fact, by_pair))

    history = state.history
    shown = explicit(held.shown_of(history).model.facts(), state.forms.facts)
    pairs = {**{fact[1:]: form for fact, form in shown.items()}, **state.forms.pairs}
    log = Log.of(map(entry_of, history.log), history.log.timeline.first_level)
    past = history.past.renamed(map(entry_of, history.past.entries()))
    return replace(
        state, history=replace(history, log=log, past=past), forms=GivenForms(vocabulary, shown, pairs)
    )


def _merged_diagnostics(states: Sequence[State]) -> InputDiagnostics:
    """Unite diagnostics; each name and property occurs once."""
    noted = [state.noted for state in states]
    numbers = {
        (each.property, each.other is None, each.is_text()): each
        for each in reversed([*chain.from_iterable(each.numbers for each in noted)])
    }
    return InputDiagnostics(
        sum(each.axioms for each in noted),
        tuple(dict.fromkeys(chain.from_iterable(each.unknown for each in noted))),
        tuple(reversed(numbers.values())),
        seen=tuple(dict.fromkeys(chain.from_iterable(each.seen for each in noted))),
    )
