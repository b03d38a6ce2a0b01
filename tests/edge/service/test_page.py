"""Live page in headless Chromium, over a service with its processes."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from service_tools import free_port, wait_until, write_site

pytestmark = pytest.mark.long


class Chromium:
    """Headless Chromium with one page, driven over a pipe by the DevTools protocol.

    Attributes:
        requests: the URLs that the page has requested.
        problems: messages of errors on the console, and exceptions.
    """

    def __init__(self, folder: Path, width: int = 1300, height: int = 1000, dark: bool = False) -> None:
        command = (
            shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        )
        if command is None:
            pytest.skip("chromium is not installed")
        for_browser, self._to = os.pipe()
        self._from, from_browser = os.pipe()
        options = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--remote-debugging-pipe",
        ]
        script = f'exec "$@" 3<&{for_browser} 4>&{from_browser}'
        self._process = subprocess.Popen(
            ["bash", "-c", script, "bash", command, *options, f"--user-data-dir={folder}", "about:blank"],
            pass_fds=(for_browser, from_browser),
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": str(folder)},
        )
        os.close(for_browser), os.close(from_browser)
        self.requests, self.problems = list[str](), list[str]()
        self._rest, self._number, self._session = b"", 0, ""
        targets = self.send("Target.getTargets")["targetInfos"]
        page = next(each["targetId"] for each in targets if each["type"] == "page")
        self._session = self.send("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.send(f"{domain}.enable")
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.send("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command and return its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while (found := self._read()).get("id") != self._number:
            self._note(found)
        assert "error" not in found, found
        return found["result"]

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            part = os.read(self._from, 1 << 20)
            assert part, "chromium has ended"
            self._rest += part
        line, _, self._rest = self._rest.partition(b"\0")
        return json.loads(line)

    def _note(self, event: dict[str, Any]) -> None:
        given = event.get("params", {})
        if event.get("method") == "Network.requestWillBeSent":
            self.requests.append(given["request"]["url"])
        elif event.get("method") == "Runtime.exceptionThrown":
            self.problems.append(json.dumps(given["exceptionDetails"]))
        elif event.get("method") == "Log.entryAdded" and given["entry"]["level"] == "error":
            self.problems.append(given["entry"]["text"])

    def evaluate(self, script: str) -> Any:
        """Return the value of an expression in JavaScript."""
        found = self.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def wait_for(self, script: str, seconds: float = 20) -> Any:
        """Return the value of an expression as soon as it is true."""
        end = time.monotonic() + seconds
        while not (value := self.evaluate(script)):
            assert time.monotonic() < end, f"{script}: {self.problems}\n{self.text('body')}"
            time.sleep(0.1)
        return value

    def text(self, selector: str) -> str:
        """Return the text of an element."""
        return self.evaluate(f"document.querySelector({json.dumps(selector)}).innerText")

    def close(self) -> None:
        """End the browser."""
        os.close(self._to), os.close(self._from)
        self._process.terminate()
        self._process.wait(10)


class Service:
    """Service in processes of its own, with the source `POST /push/readings`."""

    def __init__(self, folder: Path, tokens: str = "{}", **environment: str) -> None:
        self.port, self._environment = free_port(), {**os.environ, **environment}
        http = f"http: {{listen: '127.0.0.1:{self.port}', tokens: {tokens}}}"
        folder.mkdir()
        (folder / "rules.lars").write_text(
            "@prefix : <http://example.org/> .\nalarm(S) :- :Hot(S) in [1 sec].\n"
        )
        window = "{range: 1m, tick: 0.1s}"
        sources = "{push: {http: {readings: m.yaml}}}"
        self._path = write_site(folder, sources, f"rules: rules.lars\n{http}", window)
        self.url = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "pantarhei", "serve", str(self._path)]
        self._process = subprocess.Popen(command, env=self._environment)
        wait_until(self._is_ready, 60)

    def _is_ready(self) -> bool:
        assert self._process.poll() is None, "the service has ended"
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{self.url}/ready", timeout=2):
            return True
        return False

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(60)

    def push(self, name: str, value: object) -> None:
        content = {"id": name, "v": value, "at": datetime.now(UTC).isoformat()}
        request = urllib.request.Request(f"{self.url}/push/readings", json.dumps(content).encode())
        with urllib.request.urlopen(request, timeout=20):
            pass


@pytest.fixture
def service(tmp_path):
    running = Service(tmp_path / "site")
    yield running
    running.stop()


@pytest.fixture
def open_page(tmp_path):
    with contextlib.ExitStack() as stack:

        def opened(service: Service, **options: Any) -> Chromium:
            folder = tmp_path / f"browser-{time.monotonic_ns()}"
            folder.mkdir()
            browser = Chromium(folder, **options)
            stack.callback(browser.close)
            browser.send("Page.navigate", url=f"{service.url}/")
            return browser

        yield opened


def has_text(selector: str, text: str) -> str:
    """Return an expression that is true if an element has a text."""
    return f"(document.querySelector({json.dumps(selector)})?.innerText ?? '').includes({json.dumps(text)})"


def ask(page: Chromium, query: str) -> None:
    script = f"document.getElementById('query').value = {json.dumps(query)}"
    page.evaluate(f"{script}; document.getElementById('ask').requestSubmit()")


def has_change(page: Chromium, service: Service) -> bool:
    """Push hot sensors until the page shows a change: changes before it has connected are not shown."""
    for number in range(40):
        service.push(f"s{number}", 40)
        time.sleep(0.5)
        if page.evaluate(has_text("#changes", ":alarm(:s")):
            return True
    return False


def test_the_page_shows_the_service_and_follows_it(service, open_page):
    service.push("a", 20)
    service.push("a", 21)
    page = open_page(service)
    page.wait_for("document.body?.className === 'live'")
    page.wait_for(has_text("#repairs", "21 replaces 20"))
    page.evaluate("document.querySelector('#repairs details').open = true")
    page.wait_for(has_text("#repairs .tree", "contradiction"))
    label = "document.querySelector('#window-plot svg').getAttribute('aria-label')"
    page.wait_for(f"{label}.includes('1 assertion; repairs removed 1')")

    assert has_change(page, service)
    service.push("b", 31)
    page.wait_for(has_text("#conclusions", ":alarm(:b)"))
    page.wait_for(has_text("#changes", ":alarm(:b)"))
    page.wait_for(has_text("#answers", ":b\t31"))
    page.evaluate("document.querySelector('#conclusions details').open = true")
    page.wait_for(has_text("#conclusions .tree", "alarm"))

    service.push("<img src=x onerror=document.title=1>", "<b>warm</b>")
    page.wait_for(has_text("#dead", "malformed"))
    page.evaluate("document.querySelector('#dead details').open = true")
    page.wait_for(has_text("#dead", "<b>warm</b>"))
    assert page.evaluate("document.querySelectorAll('main b, main img').length") == 0
    assert [url for url in page.requests if not url.startswith((service.url, "data:"))] == []
    assert page.problems == []


def test_queries_are_answered_and_errors_are_at_the_caret(service, open_page):
    service.push("a", 31)
    page = open_page(service)
    page.wait_for("document.body?.className === 'live'")
    ask(page, "SELECT ?s ?v { ?s :value ?v }")
    page.wait_for(has_text("#ask-status", "1 row in"))
    assert page.text("#ask-result table").split() == ["s", "v", ":a", "31"]
    ask(page, "ASK { ?s a :Hot }")
    page.wait_for(has_text("#ask-status", "True"))
    ask(page, "CONSTRUCT { ?s a :Warm } WHERE { ?s a :Hot }")
    page.wait_for(has_text("#ask-result", "Warm"))
    query = "SELECT *\n{ ?s :value }"
    ask(page, query)
    page.wait_for(has_text("#ask-error", "line 2, column 13"))
    assert page.evaluate("document.getElementById('query').selectionStart") == query.index("}")
    for kind, triple, shown in (
        ("explain", ":a a :Hot", ".tree"),
        ("why-not", ":b a :Hot", "pre:not(.error)"),
    ):
        page.evaluate(f"document.getElementById('triple').value = {json.dumps(triple)}")
        page.evaluate(f"document.querySelector('#explain [value={kind}]').click()")
        page.wait_for(f"document.querySelector('#explanation {shown}') !== null")


def test_the_page_goes_on_after_a_restart(service, open_page):
    service.push("a", 20)
    page = open_page(service)
    page.wait_for("document.body?.className === 'live'")
    service.stop()
    page.wait_for(has_text("#status", "Not connected"), 30)
    service.start()
    page.wait_for("document.body?.className === 'live'", 40)
    service.push("c", 35)
    page.wait_for(has_text("#conclusions", ":alarm(:c)"))
    assert has_change(page, service)


def test_the_page_asks_for_a_token(tmp_path, open_page):
    service = Service(tmp_path / "site", "{read: '${PAGE_TOKEN}'}", PAGE_TOKEN="secret")
    try:
        page = open_page(service)
        page.wait_for("document.getElementById('token-form')?.hidden === false")
        assert "token is needed" in page.text("#status")
        for token, state in (("wrong", "lost"), ("secret", "live")):
            field = f"document.getElementById('token').value = {json.dumps(token)}"
            page.evaluate(f"{field}; document.getElementById('token-form').requestSubmit()")
            page.wait_for(f"document.body?.className === '{state}'")
        page.wait_for("document.getElementById('token-form').hidden")
        assert has_change(page, service)
    finally:
        service.stop()


@pytest.mark.parametrize("width", [320, 390, 1300])
def test_controls_have_names_and_nothing_is_wider_than_the_screen(service, open_page, width):
    page = open_page(service, width=width)
    page.wait_for("document.body?.className === 'live'")
    service.push("a", 31)
    page.wait_for(has_text("#conclusions", ":alarm(:a)"))
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    nodes = page.send("Accessibility.getFullAXTree")["nodes"]
    roles = {"button", "textbox", "combobox", "slider", "region", "image"}
    controls = [node for node in nodes if node.get("role", {}).get("value") in roles and not node["ignored"]]
    unnamed = [node for node in controls if not node.get("name", {}).get("value")]
    assert len(controls) > 10 and unnamed == []
