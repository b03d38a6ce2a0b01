"""The command line: `pantarhei run`, `explain`, `timeline`, `check` and `demo`."""

from pantarhei.cli.commands import app, main

__all__ = ["app", "main"]
