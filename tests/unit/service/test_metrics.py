import json
import shutil
import subprocess
import threading
import time
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from pantarhei.service.batching import Received
from pantarhei.service.message_journal import REASONS, Message
from pantarhei.service.metrics import ReaderMetrics
from pantarhei.service.writer import Writer
from service_tools import site
from sink_tools import emitted


@pytest.fixture
def writer(tmp_path):
    made = Writer(
        site(tmp_path, "{web: {http: {readings: m.yaml}}}", "sinks: {store: {sql: 'sqlite:///a.db'}}")
    )
    made.start()
    yield made
    made.stop()


def samples(text):
    families = list(text_string_to_metric_families(text))
    assert len({family.name for family in families}) == len(families)
    assert all(family.documentation for family in families)
    return {
        (sample.name.removeprefix("pantarhei_"), *(value for _, value in sorted(sample.labels.items()))): (
            sample.value
        )
        for family in families
        for sample in family.samples
    }


def test_a_writer_counts_messages_changes_and_dead_letters(writer):
    good = json.dumps({"id": "a", "v": 31, "at": "2026-01-01T00:00:00Z"}).encode()
    messages = [good, b"{", b"[]"]
    writer.step([Received(Message("web", "readings", each)) for each in messages])
    found = samples(writer.metrics.text())
    assert found["messages_total", "web"] == 3
    assert found["dead_letters_total", "malformed", "web"] == 2
    assert found["changes_total", "hot"] == 1
    assert found["step_seconds_count",] == found["journal_sync_seconds_count",] == 1
    assert (found["record",], found["backlog",], found["journal_blocked",]) == (1, 0, 0)
    assert ("sink_position", "store") in found and ("source_connected", "web") in found


def test_counters_of_sources_exist_before_the_first_message(writer):
    found = samples(writer.metrics.text())
    assert found["messages_total", "web"] == 0
    assert all(found["dead_letters_total", reason, "web"] == 0 for reason in REASONS)


@pytest.mark.parametrize("follow", [True, False])
def test_sources_that_wait_or_have_ended_are_not_reported_as_disconnected(tmp_path, follow):
    (tmp_path / "past.csv").write_text("at,id,v\n2026-01-01T00:00:00Z,a,31\n")
    past = f"past: {{files: past.csv, mapping: m.yaml, follow: {str(follow).lower()}, then: web}}"
    writer = Writer(site(tmp_path, f"{{{past}, web: {{http: {{readings: m.yaml}}}}}}"))
    writer.start()
    try:
        for _ in range(1_000):
            found = samples(writer.metrics.text())
            assert found["source_connected", "web"] == 1, "it waits, then it is connected"
            if found["messages_total", "past"] and writer.sources[1].status.connected:
                break
            writer.step(writer.inbox.take(0.01, 0))
        assert found["source_connected", "past"] == 1
    finally:
        writer.stop()
    assert samples(writer.metrics.text())["source_connected", "past"] == (not follow)


@pytest.mark.parametrize("changes", [1, 60, 6_000])
def test_a_sink_is_reported_as_full_exactly_when_the_writer_waits_for_it(writer, changes):
    sink, release = writer.sinks[0], threading.Event()
    sink.write, write = (lambda given: release.wait(20) and write(given)), sink.write
    try:
        sink.put(emitted(1, changes), 0)
        assert samples(writer.metrics.text())["sink_full", "store"] == 0
        given = emitted(1, changes)
        assert any(not sink.put(given._replace(number=number), 0) for number in range(2, 30_000))
        assert samples(writer.metrics.text())["sink_full", "store"] == 1
    finally:
        release.set()


def test_the_age_of_the_oldest_message_is_that_of_the_writer_until_it_is_processed(writer, monkeypatch):
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now)

    def behind():
        return samples(writer.metrics.text())["writer_behind_seconds",]

    ages, begin = [behind()], now
    for second in (3, 1):
        writer.inbox.put(Received(Message("web", "readings", b"{}"), received=begin - second))
    ages.append(behind())
    for wait in (0.0, 5.0):
        taken = writer.inbox.take(0, 0, most=1)
        now += wait
        ages.append(behind())  # as a sink that waits would see it
        writer.step(taken)
    assert not writer.inbox.take(0, 0)
    assert [*ages, behind()] == pytest.approx([0, 3, 3, 6, 0])


ALERTS = Path(__file__).parents[3] / "examples" / "service" / "alerts.yml"


@pytest.mark.parametrize(
    ("series", "alert", "text"),
    [
        ({'reader_behind_seconds{reader="0"}': 40}, "Behind", "Reader 0 is 40s behind."),
        ({"writer_behind_seconds": 40, 'reader_behind_seconds{reader="0"}': 0}, "Behind", "The writer is"),
        ({"writer_behind_seconds": 40, 'reader_behind_seconds{reader=""}': 0}, "Behind", "The writer is"),
        ({"writer_behind_seconds": 0, "reader_behind_seconds": 0}, None, ""),
        ({'sink_full{sink="store"}': 1}, "SinkWaits", "queue of sink store holds 20,000"),
        ({'sink_full{sink="store"}': 0, 'sink_waiting{sink="store"}': 5_000}, None, ""),
    ],
)
def test_alerts_fire_for_the_state_they_name(tmp_path, series, alert, text):
    if (promtool := shutil.which("promtool")) is None:
        pytest.skip("promtool is not installed")
    given = [{"series": f"pantarhei_{name}", "values": f"{value}x20"} for name, value in series.items()]
    wanted = [
        {"eval_time": "5m", "alertname": name, "exp_alerts": []}
        for name in ("Behind", "SinkWaits")
        if name != alert
    ]
    tests = {"rule_files": [str(ALERTS)], "tests": [{"interval": "15s", "input_series": given}]}
    for found in (wanted, [{"eval_time": "5m", "alertname": alert, "exp_alerts": []}] if alert else []):
        tests["tests"][0]["alert_rule_test"] = found
        (tmp_path / "test.yaml").write_text(json.dumps(tests))
        done = subprocess.run(
            [promtool, "test", "rules", "test.yaml"], cwd=tmp_path, capture_output=True, text=True
        )
        output = done.stdout + done.stderr
        assert (done.returncode == 0) == (found is wanted or not found), output
        assert found is wanted or text in output


def test_metrics_of_writer_and_reader_can_be_joined(writer):
    reader = ReaderMetrics(0)
    reader.count_request("/push/a/b", 202)
    texts = writer.metrics.text() + reader.text_of(writer.driver, 1.5)
    found = samples(texts)
    assert found["http_requests_total", "push", "0", "202"] == 1
    assert found["reader_behind_seconds", "0"] == 1.5 and found["writer_up",] == 1
    of_processes = ("writer_process_cpu_seconds_total",), ("reader_process_cpu_seconds_total", "0")
    assert all(found[each] > 0 for each in of_processes)
    if promtool := shutil.which("promtool"):
        done = subprocess.run([promtool, "check", "metrics"], input=texts, capture_output=True, text=True)
        assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_labels_cannot_break_the_text(writer):
    name = 'a"b\n# TYPE x counter\\'
    writer.step([Received(Message(name, "t", b"{}"))])
    assert samples(writer.metrics.text())["messages_total", name] == 1
