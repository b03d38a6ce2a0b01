"""Command `pantarhei serve`: run a service, check its configuration, or write one to begin with."""

from __future__ import annotations

import json
import logging
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pantarhei.errors import MissingPackageError, OptionError

if TYPE_CHECKING:
    from pantarhei.service.config import ServiceConfig


def serve(path: Path, check: bool, init: bool, reader: tuple[int, int, int] | None = None) -> None:
    """Run the service of a configuration.

    Args:
        check: whether to check everything that the service needs, and not to run it.
        init: whether to write a commented configuration to `path`.
        reader: to run a reader of the service: its number, and the descriptors of the listening socket and
            of a file with the knowledge of the writer; None for the service.

    Raises:
        PantarheiError: the configuration is invalid, or the service cannot start.
    """
    if init:
        _write_template(path)
        return
    try:
        from pantarhei.service.config import read_config
    except ImportError as error:
        raise MissingPackageError("serve", "pantarhei serve", str(error)) from None
    if reader is not None:
        from pantarhei.service.journal_reader import run_reader
        from pantarhei.service.start import read_written

        knowledge = read_written(reader[2])
        _begin(knowledge.config)
        run_reader(knowledge, *reader[:2])
        return
    config, path = read_config(path), path.absolute()
    _begin(config)
    if check:
        from pantarhei.service.supervisor import check_service

        check_service(config)
    else:
        from pantarhei.service.supervisor import run_service

        run_service(path, config)


class _JSONLines(logging.Formatter):
    """Formatter that writes each record as a JSON object on one line."""

    def format(self, record: logging.LogRecord) -> str:
        fields = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname.lower(),
            "logger": record.name,
            "process": record.process,
            "message": record.getMessage(),
        }
        if record.exc_info:
            fields["error"] = self.formatException(record.exc_info)
        return json.dumps(fields, ensure_ascii=False)


def _begin(config: ServiceConfig) -> None:
    """Write the log to standard error, repairs from level debug on. Enter the folder of the configuration, so
    that proofs name files as it does.
    """
    os.chdir(config.folder)
    handler = logging.StreamHandler(sys.stderr)
    text = logging.Formatter("%(asctime)s %(levelname)-7s %(message)s")
    handler.setFormatter(_JSONLines() if config.log.format == "json" else text)
    logging.basicConfig(level=config.log.level.upper(), handlers=[handler], force=True)
    if config.log.level != "debug":
        logging.getLogger("pantarhei.repair").setLevel(logging.WARNING)


def _write_template(path: Path) -> None:
    from importlib.resources import files

    if path.exists():
        raise OptionError("init", str(path), "the name of a file that does not exist yet")
    path.write_text(files("pantarhei.service").joinpath("template.yaml").read_text())
    advice = f"edit it, check it with pantarhei serve --check {path}, then run pantarhei serve {path}"
    print(f"{path} is written; {advice}", file=sys.stderr)
