"""The command line: `pantarhei run`, `check` and `demo`."""

from pantarhei.cli.commands import app, main

__all__ = ["app", "main"]
