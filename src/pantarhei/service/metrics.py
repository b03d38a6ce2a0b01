"""Metrics of the service in the text format of Prometheus. Each process has a registry of its own; metrics of
writer, reader and HTTP server have distinct names, so that their texts can be joined.
"""

from __future__ import annotations

from collections import Counter as Counts
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

if TYPE_CHECKING:
    from pantarhei.service.batching import Received
    from pantarhei.service.changes import Emitted
    from pantarhei.service.http.events import EventHub
    from pantarhei.service.journal_driver import JournalDriver
    from pantarhei.service.writer import Writer

disable_created_metrics()  # type: ignore[no-untyped-call]
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
ENDPOINTS = frozenset(
    [
        "sparql",
        "queries",
        "events",
        "explain",
        "why-not",
        "quality",
        "push",
        "metrics",
        "health",
        "ready",
        "state",
    ]
)


_STATES = (
    (GaugeMetricFamily, "source_connected", "1 while the source is connected.", "source", "connected"),
    (GaugeMetricFamily, "sink_position", "Number of the last record that is written.", "sink", "position"),
    (GaugeMetricFamily, "sink_waiting", "Records that wait for the sink.", "sink", "waiting"),
    (CounterMetricFamily, "sink_failures", "Failed attempts to write.", "sink", "failures"),
    (CounterMetricFamily, "sink_changes", "Changes written by the sink.", "sink", "changes"),
)
"""Metrics of the states of sources and sinks: kind, name, description, label, and field of the state."""


class WriterMetrics(Collector):
    """Metrics of a writer: counters and histograms, and the state of journal, sources and sinks."""

    def __init__(self, writer: Writer) -> None:
        self._writer, registry = writer, CollectorRegistry()
        self._registry = registry
        prefix = "pantarhei"
        self._messages = Counter(f"{prefix}_messages", "Received messages.", ["source"], registry=registry)
        labels = ["source", "reason"]
        self._dead = Counter(f"{prefix}_dead_letters", "Messages not processed.", labels, registry=registry)
        self._changes = Counter(f"{prefix}_changes", "Emitted changes.", ["name"], registry=registry)
        self.steps = Histogram(
            f"{prefix}_step_seconds", "Time to process a record.", buckets=_BUCKETS, registry=registry
        )
        self.syncs = Histogram(
            f"{prefix}_journal_sync_seconds",
            "Time to write records to the disk.",
            buckets=_BUCKETS,
            registry=registry,
        )
        ProcessCollector(namespace="pantarhei_writer", registry=registry)
        registry.register(self)

    def count_received(self, received: Sequence[Received]) -> None:
        """Count received messages by source."""
        for source, count in Counts(each.message.source for each in received).items():
            self._messages.labels(source).inc(count)

    def count_emitted(self, emitted: Emitted) -> None:
        """Count the changes and the dead letters of a record."""
        for name, count in Counts(each.name for each in emitted.changes).items():
            self._changes.labels(name).inc(count)
        for each in emitted.dead:
            self._dead.labels(each.message.source, each.reason).inc()

    def collect(self) -> Iterator[Metric]:
        """Yield the state of journal, sources and sinks."""
        writer = self._writer
        status = writer.status()
        yield _gauge("record", "Number of the last record.", status["record"])
        yield _gauge("backlog", "Messages that wait for the journal.", status["inbox"])
        blocked = "1 while the journal cannot be written."
        yield _gauge("journal_blocked", blocked, 1 if status["blocked"] else 0)
        for family, name, text, kind, field in _STATES:
            found = family(f"pantarhei_{name}", text, labels=[kind])
            for key, state in status[f"{kind}s"].items():
                found.add_metric([key], float(state[field]))
            yield found

    def text(self) -> str:
        """Return the metrics as text."""
        return generate_latest(self._registry).decode()


class ReaderMetrics(Collector):
    """Metrics of the process with the HTTP server, and of the state of its reasoner.

    Args:
        reader: the number of the reader; None if the HTTP server runs in the process of the writer.
    """

    def __init__(self, reader: int | None = None) -> None:
        self._registry, self._driver = CollectorRegistry(), None
        self._reader, self._behind = "" if reader is None else str(reader), None
        self._requests = Counter(
            "pantarhei_http_requests",
            "Answered requests.",
            ["reader", "endpoint", "status"],
            registry=self._registry,
        )
        self.events: EventHub | None = None
        self.steps = Histogram(
            "pantarhei_reader_step_seconds",
            "Time of a reader to process a record.",
            ["reader"],
            buckets=_BUCKETS,
            registry=self._registry,
        ).labels(self._reader)
        if reader is not None:
            ProcessCollector(namespace="pantarhei_reader", registry=self._registry)
        self._registry.register(self)

    _driver: JournalDriver | None
    _behind: float | None

    def count_request(self, path: str, status: int) -> None:
        """Count a response by the first part of its path."""
        first = path.strip("/").partition("/")[0]
        self._requests.labels(self._reader, first if first in ENDPOINTS else "other", str(status)).inc()

    def collect(self) -> Iterator[Metric]:
        """Yield the state of the reasoner and of the clients."""
        if self._driver is None:
            return
        label = {"reader": self._reader}
        stats = self._driver.reasoner.stats()
        yield _gauge("facts", "Facts of the materialization.", stats.facts)
        yield _gauge("assertions", "Assertions in the window.", stats.assertions)
        yield _gauge("bytes", "Bytes of the state of the reasoner.", stats.bytes)
        repairs = CounterMetricFamily("pantarhei_repairs", "Steps that found a contradiction.")
        repairs.add_metric((), stats.repairs)
        removed = CounterMetricFamily("pantarhei_removed_assertions", "Assertions removed by repairs.")
        removed.add_metric((), stats.cut)
        yield from (repairs, removed)
        yield _gauge("reader_record", "Number of the last record of the reader.", self._driver.number, label)
        if self._behind is not None:
            yield _gauge("reader_behind_seconds", "Time behind the writer.", self._behind, label)
        reachable = "1 if the writer answers."
        yield _gauge("writer_up", reachable, 0 if self._behind is None else 1)
        hub = self.events
        clients, lost = (0, 0) if hub is None else (len(hub), hub.dropped)
        yield _gauge("events_clients", "Clients that follow the changes.", clients, label)
        dropped = CounterMetricFamily(
            "pantarhei_events_dropped", "Clients that were too slow.", labels=["reader"]
        )
        dropped.add_metric([self._reader], lost)
        yield dropped

    def text(self, driver: JournalDriver, behind: float | None) -> str:
        """Return the metrics as text.

        Args:
            behind: the time behind the writer in seconds; None if the writer does not answer.
        """
        self._driver, self._behind = driver, behind
        return generate_latest(self._registry).decode()


def _gauge(name: str, text: str, value: float, labels: dict[str, str] | None = None) -> GaugeMetricFamily:
    family = GaugeMetricFamily(f"pantarhei_{name}", text, labels=list(labels or ()))
    family.add_metric(list((labels or {}).values()), value)
    return family
