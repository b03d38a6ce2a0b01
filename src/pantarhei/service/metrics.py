"""Metrics of the service in the text format of Prometheus. Each process has a registry of its own; metrics of
writer, reader and HTTP server have distinct names, so that their texts can be joined.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import prometheus_client as prometheus
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from pantarhei.service.message_journal import REASONS

if TYPE_CHECKING:
    from pantarhei.service.batching import Received
    from pantarhei.service.changes import Emitted
    from pantarhei.service.http.events import EventHub
    from pantarhei.service.journal_driver import JournalDriver
    from pantarhei.service.writer import Writer

prometheus.disable_created_metrics()  # type: ignore[no-untyped-call]
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
_PATHS = "sparql queries events explain why-not quality push metrics health ready"
_PATHS += " state window repairs conclusions"  # of the page
ENDPOINTS = frozenset(_PATHS.split())
_STATES = (
    ("source_connected", "0 while a connection is missing.", "source", "available"),
    ("sink_position", "Number of the last record that is written.", "sink", "position"),
    ("sink_waiting", "Records that wait for the sink.", "sink", "waiting"),
    ("sink_full", "1 while the queue of the sink is full, so that the writer waits.", "sink", "full"),
    ("sink_failures_total", "Failed attempts to write.", "sink", "failures"),
    ("sink_changes_total", "Changes written by the sink.", "sink", "changes"),
)
"""Metrics of the states of sources and sinks: name, description, label, and field of the state."""


class _Metrics(Collector):
    """Metrics with a registry of their own, to which `collect` adds the present state."""

    def __init__(self) -> None:
        self._registry = prometheus.CollectorRegistry()
        self._registry.register(self)

    def _counter(self, name: str, text: str, *labels: str) -> prometheus.Counter:
        return prometheus.Counter(f"pantarhei_{name}", text, labels, registry=self._registry)

    def _histogram(self, name: str, text: str, *labels: str) -> prometheus.Histogram:
        options: dict[str, Any] = {"buckets": _BUCKETS, "registry": self._registry}
        return prometheus.Histogram(f"pantarhei_{name}_seconds", text, labels, **options)

    def text(self) -> str:
        """Return the metrics as text."""
        return prometheus.generate_latest(self._registry).decode()


class WriterMetrics(_Metrics):
    """Metrics of a writer: counters and histograms, and the state of journal, sources and sinks."""

    def __init__(self, writer: Writer) -> None:
        super().__init__()
        self._writer = writer
        self._messages = self._counter("messages", "Received messages.", "source")
        self._dead = self._counter("dead_letters", "Messages not processed.", "source", "reason")
        self._changes = self._counter("changes", "Emitted changes.", "name")
        for source in writer.config.sources:  # an alert cannot see the first event of a missing series
            self._messages.labels(source)
            for reason in REASONS:
                self._dead.labels(source, reason)
        self.steps = self._histogram("step", "Time to process a record.")
        self.syncs = self._histogram("journal_sync", "Time to write records to the disk.")
        prometheus.ProcessCollector(namespace="pantarhei_writer", registry=self._registry)

    def count_received(self, received: Sequence[Received]) -> None:
        """Count received messages by source."""
        for source, count in Counter(each.message.source for each in received).items():
            self._messages.labels(source).inc(count)

    def count_emitted(self, emitted: Emitted) -> None:
        """Count the changes and the dead letters of a record."""
        for name, count in Counter(each.name for each in emitted.changes).items():
            self._changes.labels(name).inc(count)
        for each in emitted.dead:
            self._dead.labels(each.message.source, each.reason).inc()

    def collect(self) -> Iterator[Metric]:
        """Yield the state of journal, sources and sinks."""
        status = self._writer.status()
        yield _metric("record", "Number of the last record.", status["record"])
        yield _metric("backlog", "Messages that wait for the journal.", status["inbox"])
        age = self._writer.checkpoint_age
        yield _metric("checkpoint_age_seconds", "Time since the last checkpoint, or the start.", age)
        text = "Messages dropped, since they were received before."
        yield _metric("redeliveries_total", text, self._writer.batcher.repeated, "source")
        text = "Time since the arrival of the oldest message that is not processed."
        yield _metric("writer_behind_seconds", text, status["behind"])
        blocked = bool(status["blocked"])
        yield _metric("journal_blocked", "1 while the journal cannot be written.", blocked)
        for name, text, kind, field in _STATES:
            states = status[f"{kind}s"].items()
            yield _metric(name, text, {key: float(state[field]) for key, state in states}, kind)


class ReaderMetrics(_Metrics):
    """Metrics of the process with the HTTP server, and of the state of its reasoner.

    Args:
        reader: the number of the reader; None if the HTTP server runs in the process of the writer.
    """

    def __init__(self, reader: int | None = None) -> None:
        super().__init__()
        self._driver: JournalDriver | None = None
        self._behind: float | None = None
        self._reader = "" if reader is None else str(reader)
        labels = ("reader", "endpoint", "status")
        self._requests = self._counter("http_requests", "Answered requests.", *labels)
        self.events: EventHub | None = None
        text = "Time of a reader to process a record."
        self.steps = self._histogram("reader_step", text, "reader").labels(self._reader)

    def count_request(self, path: str, status: int) -> None:
        """Count a response by the first part of its path."""
        first = path.strip("/").partition("/")[0]
        self._requests.labels(self._reader, first if first in ENDPOINTS else "other", str(status)).inc()

    def collect(self) -> Iterator[Metric]:
        """Yield the state of the reasoner and of the clients."""
        if self._driver is None:
            return
        if self._reader:
            for family in prometheus.ProcessCollector(namespace="pantarhei_reader", registry=None).collect():
                family.samples = [each._replace(labels={"reader": self._reader}) for each in family.samples]
                yield family
        stats, hub, behind, reader = self._driver.reasoner.stats(), self.events, self._behind, self._reader
        yield _metric("facts", "Facts of the materialization.", stats.facts)
        yield _metric("assertions", "Assertions in the window.", stats.assertions)
        yield _metric("bytes", "Bytes of the state of the reasoner.", stats.bytes)
        yield _metric("repairs_total", "Steps that found a contradiction.", {reader: stats.repairs})
        yield _metric("removed_assertions_total", "Assertions removed by repairs.", {reader: stats.cut})
        number = self._driver.number
        yield _metric("reader_record", "Number of the last record of the reader.", {reader: number})
        if behind is not None:
            yield _metric("reader_behind_seconds", "Time behind the writer.", {reader: behind})
        yield _metric("writer_up", "1 if the writer answers.", behind is not None)
        clients, lost = (0, 0) if hub is None else (len(hub), hub.dropped)
        yield _metric("events_clients", "Clients that follow the changes.", {reader: clients})
        yield _metric("events_dropped_total", "Clients that were too slow.", {reader: lost})

    def text_of(self, driver: JournalDriver, behind: float | None) -> str:
        """Return the metrics as text.

        Args:
            behind: the time behind the writer in seconds; None if the writer does not answer.
        """
        self._driver, self._behind = driver, behind
        return self.text()


def _metric(name: str, text: str, values: float | Mapping[str, float], label: str = "reader") -> Metric:
    """Return a metric, a counter if its name ends with `_total`.

    Args:
        values: the value, or values by that of the label.
    """
    kind = CounterMetricFamily if name.endswith("_total") else GaugeMetricFamily
    family = kind(f"pantarhei_{name}", text, labels=[label] if isinstance(values, Mapping) else [])
    for key, value in values.items() if isinstance(values, Mapping) else [(None, values)]:
        family.add_metric([] if key is None else [key], value)
    return family
