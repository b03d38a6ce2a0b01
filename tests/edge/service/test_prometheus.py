"""A real Prometheus that scrapes a service, with the alerts and the dashboard of the example."""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import urllib.parse
import urllib.request
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from paho.mqtt.publish import multiple

from service_tools import free_port, mosquitto, prometheus, service, wait_until, write_site

pytestmark = pytest.mark.long
EXAMPLE = Path(__file__).parents[3] / "examples" / "service"
ALERTS = {
    rule["alert"]: rule["expr"]
    for group in yaml.safe_load((EXAMPLE / "alerts.yml").read_text())["groups"]
    for rule in group["rules"]
}
DASHBOARD = json.loads((EXAMPLE / "grafana" / "dashboards" / "pantarhei.json").read_text())
SHOWN = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]


class Prometheus:
    """HTTP API of a Prometheus server."""

    def __init__(self, port: int) -> None:
        self._url = f"http://127.0.0.1:{port}/api/v1"

    def get(self, path: str, **parameters: str) -> Any:
        """Return the data of an answer; an error of the server fails the test."""
        query = urllib.parse.urlencode(parameters)
        with urllib.request.urlopen(f"{self._url}/{path}?{query}", timeout=10) as answer:
            return json.load(answer)["data"]

    def query(self, expression: str) -> list[float]:
        """Return the values of an expression."""
        return [float(each["value"][1]) for each in self.get("query", query=expression)["result"]]

    def firing(self) -> set[str]:
        """Return the names of the alerts that fire."""
        alerts = self.get("alerts")["alerts"]
        return {each["labels"]["alertname"] for each in alerts if each["state"] == "firing"}


def configure(folder: Path, target: str, token: str) -> Path:
    """Write the configuration of the example with a short interval and short alerts; return its path."""
    path = folder / "prometheus.yml"
    (folder / "token").write_text(token)
    text = (EXAMPLE / "prometheus.yml").read_text()
    text = text.replace("pantarhei:8190", target).replace("/run/secrets/read_token", str(folder / "token"))
    path.write_text(text.replace("interval: 10s", "interval: 1s"))
    alerts = re.sub(r"for: \w+", "for: 1s", (EXAMPLE / "alerts.yml").read_text())
    (folder / "alerts.yml").write_text(alerts.replace("[5m]", "[20s]"))
    return path


def test_prometheus_evaluates_dashboard_and_alerts_of_a_running_service(tmp_path, monkeypatch):
    tokens = {"READ_TOKEN": "reads", "PUSH_TOKEN": "pushes", "ADMIN_TOKEN": "admin"}
    for name, token in tokens.items():
        monkeypatch.setenv(name, token)
    address = f"127.0.0.1:{free_port()}"
    with contextlib.ExitStack() as stack, contextlib.ExitStack() as brokers:
        stack.enter_context(brokers)
        port = brokers.enter_context(mosquitto(tmp_path))
        sources = f"{{plant: {{mqtt: 'mqtt://127.0.0.1:{port}', topics: {{readings: m.yaml}}}}}}"
        named = "{read: '${READ_TOKEN}', push: '${PUSH_TOKEN}', admin: '${ADMIN_TOKEN}'}"
        more = f"http: {{listen: '{address}', tokens: {named}}}\nsinks: "
        more += f"{{store: {{sql: 'sqlite:///a.db'}}, hook: {{webhook: 'http://127.0.0.1:{free_port()}/'}}}}"
        running = stack.enter_context(service(write_site(tmp_path / "site", sources, more)))
        configuration = configure(tmp_path, address, tokens["READ_TOKEN"])
        server = Prometheus(stack.enter_context(prometheus(configuration)))
        check = ["promtool", "check", "config", str(configuration)]  # and its alerts
        done = subprocess.run(check, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        running.wait_until_ready()
        wait_until(lambda: server.query("up") == [1])

        # Counters exist before their first event: a silent source is seen, and no first event is missed.
        wait_until(lambda: {"NoMessages"} == server.firing(), 60)
        assert server.query("sum(pantarhei_dead_letters_total)") == [0]

        def publish() -> None:
            at = datetime.now(UTC).isoformat()
            texts = [json.dumps({"id": "a", "v": value, "at": at}) for value in range(29, 34)]
            multiple([("readings", text, 1, False) for text in [*texts, "bad"]], port=port)

        def all_have_results() -> bool:
            publish()
            return all(server.query(expression) for expression in SHOWN)

        wait_until(all_have_results, 60)
        wait_until(lambda: publish() or server.firing() == {"DeadLetters", "SinkFails"}, 60)
        used = set(re.findall(r"pantarhei_\w+", " ".join([*SHOWN, *ALERTS.values()])))
        assert used <= set(server.get("label/__name__/values"))
        rules = [rule for group in server.get("rules")["groups"] for rule in group["rules"]]
        assert {rule["name"]: rule["health"] for rule in rules} == dict.fromkeys(ALERTS, "ok")
        brokers.close()
        wait_until(lambda: {"SourceDisconnected", "NoMessages"} <= server.firing(), 60)
        assert running.stop() == 0
        wait_until(lambda: "ServiceDown" in server.firing(), 60)
