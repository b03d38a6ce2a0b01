"""Check of a service: files, sources, sinks and the address, without running it."""

from __future__ import annotations

from collections.abc import Callable

from pantarhei.errors import CheckFailedError, ConnectionFailedError, PantarheiError
from pantarhei.model.message_text import counted
from pantarhei.service.config import HTTPSection, ServiceConfig
from pantarhei.service.connections import make_sinks, make_sources
from pantarhei.service.journal_driver import JournalDriver, read_knowledge
from pantarhei.service.sinks.sink import Sink
from pantarhei.service.sources.source import Source
from pantarhei.service.supervisor import listen


def check_service(config: ServiceConfig, say: Callable[[str], object] = print) -> None:
    """Check each part of a service, and print a line for each.

    Raises:
        CheckFailedError: parts cannot be used; the error lists all of them.
    """
    problems: list[str] = []

    def check(part: str, run: Callable[[], str | None]) -> None:
        try:
            say(f"{part}: {run() or 'connected'}")
        except ConnectionFailedError as error:  # names the part
            problems.append(str(error))
        except (PantarheiError, OSError) as error:
            problems.append(f"{part}: {error}")

    check("reasoner", lambda: _check_reasoner(config))
    connected: list[Source | Sink] = []
    try:
        connected = [*make_sources(config), *make_sinks(config)]
    except (PantarheiError, OSError) as error:
        problems.append(str(error))
    for each in connected:
        check(each.name, each.check)
    if (http := config.http) is not None:
        check("http", lambda: _check_address(http))
    if problems:
        raise CheckFailedError(tuple(problems))


def _check_reasoner(config: ServiceConfig) -> str:
    knowledge = read_knowledge(config)
    driver = JournalDriver.fresh(knowledge)
    rules = knowledge.rules
    parts = [
        counted(len(knowledge.ontology.rules), "rule"),
        counted(0 if rules is None else len(rules.rules), "temporal rule"),
        counted(len(driver.reasoner.queries), "query", "queries"),
    ]
    warnings = [] if rules is None else [f"\n    warning: {warning}" for warning in rules.warnings]
    return ", ".join(parts) + "".join(warnings)


def _check_address(http: HTTPSection) -> str:
    listen(http).close()
    return f"{http.listen} is free"
