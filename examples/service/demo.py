"""Demonstration: starts mosquitto, `pantarhei serve` and the simulator, and ends all on Ctrl-C.

    make serve-demo

Configuration, state and tables are in build/serve-demo, which each start makes anew.
"""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import IO

HERE = Path(__file__).parent
FOLDER = Path("build/serve-demo")
PATIENCE = 60.0
"""Seconds to wait for the service."""

NO_BROKER = """mosquitto is not installed. Install it, then start again:
    apt-get install mosquitto      (Debian, Ubuntu)
    brew install mosquitto         (macOS)
    docker run -p 1883:1883 eclipse-mosquitto:2    and name it: make serve-demo BROKER=127.0.0.1:1883"""


def find_mosquitto() -> str | None:
    """Return the path of mosquitto; Debian installs it outside of the path of most users."""
    return shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")


def free_port(wanted: int) -> int:
    """Return a port if it is free, else one that the system chooses."""
    for port in (wanted, 0):
        try:
            with socket.create_server(("127.0.0.1", port)) as opened:
                return int(opened.getsockname()[1])
        except OSError:
            continue
    raise OSError("no port is free")


def begin(*command: str, log: IO[bytes] | None = None) -> subprocess.Popen[bytes]:
    """Start a process that Ctrl-C does not reach: this program ends it."""
    return subprocess.Popen(command, start_new_session=True, stderr=log)


def prepare(broker: str, listen: str) -> Path:
    """Copy the example to `FOLDER`, with these addresses; return the path of the configuration."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    shutil.copytree(HERE, FOLDER, ignore=shutil.ignore_patterns("state", "*.db*", "*.ndjson", "__pycache__"))
    site = FOLDER / "site.yaml"
    text = site.read_text(encoding="utf-8").replace("127.0.0.1:1883", broker)
    text = text.replace("127.0.0.1:8190", listen).replace("level: info", "level: warning")
    site.write_text(text, encoding="utf-8")
    return site


def await_service(url: str, service: subprocess.Popen[bytes]) -> bool:
    """Wait until the service is ready. Returns False if it ends or takes too long."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and service.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/ready", timeout=5):
                return True
        except OSError:
            time.sleep(0.2)
    return False


def main() -> int:
    """Run the demonstration; return the exit code."""
    for number in (signal.SIGINT, signal.SIGTERM):  # a shell lets background processes ignore SIGINT
        signal.signal(number, signal.default_int_handler)
    running: list[subprocess.Popen[bytes]] = []
    broker = sys.argv[1] if len(sys.argv) > 1 else ""
    listen = f"127.0.0.1:{free_port(8190)}"
    try:
        if not broker:
            mosquitto = find_mosquitto()
            if mosquitto is None:
                print(NO_BROKER, file=sys.stderr)
                return 1
            broker = f"127.0.0.1:{free_port(1883)}"
            site = prepare(broker, listen)
            with (FOLDER / "mosquitto.log").open("wb") as log:
                running.append(begin(mosquitto, "-p", broker.rpartition(":")[2], log=log))
        else:
            site = prepare(broker, listen)
        service = begin(sys.executable, "-m", "pantarhei", "serve", str(site))
        running.append(service)
        if not await_service(f"http://{listen}", service):
            print("the service did not start", file=sys.stderr)
            return 1
        host, _, port = broker.rpartition(":")
        running.append(begin(sys.executable, str(HERE / "simulate.py"), "--host", host, "--port", port))
        print(f"the page:    http://{listen}/")
        print(f"the alarms:  sqlite3 {FOLDER}/alarms.db 'select * from changes where name = \"alarms\"'")
        print("Ctrl-C ends the service, the simulator and the broker.", flush=True)
        return service.wait()
    except KeyboardInterrupt:
        return 0
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        for process in reversed(running):
            process.terminate()
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()


if __name__ == "__main__":
    sys.exit(main())
