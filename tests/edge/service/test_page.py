"""The live page in headless Chromium: it loads, updates, asks, and survives a restart of the service."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

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
            ["sh", "-c", script, "sh", command, *options, f"--user-data-dir={folder}", "about:blank"],
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
            assert time.monotonic() < end, f"{script}: {self.text('#status')}, {self.problems}"
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
