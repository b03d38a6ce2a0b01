"""Configuration of the service: sections as pydantic models, read from a YAML file.

Unknown keys are errors that name the file, the line and the nearest key. `${NAME}` in a text is replaced by
the environment variable; passwords and tokens are accepted only in this form. Errors show the names of
environment variables, not their values.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, get_args

import pydantic
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, ValidationError
from pydantic_core import CoreSchema, core_schema

from pantarhei.errors import ConfigError, MappingError, OptionError, TimestampError
from pantarhei.errors.service_errors import ConfigProblem
from pantarhei.io.mapping.mapping_document import DocumentNode, read_document
from pantarhei.model.durations import A_DURATION, parse_duration
from pantarhei.model.message_text import did_you_mean
from pantarhei.window.retention import parse_bytes

Location: TypeAlias = tuple[str | int, ...]


LONGEST = timedelta(days=10_000)
"""Longest duration. It can be added to the times of messages."""


class _Environment(str):
    """Text that contains the value of an environment variable; its representation is the text in the file."""

    __slots__ = ("written",)
    written: str

    def __repr__(self) -> str:
        return repr(self.written)


class _Problem(ValueError):
    """Problem of a section; the arguments are the keys of a value in it, and the text without them."""


def _duration(given: object, least: timedelta = timedelta(0)) -> timedelta:
    try:
        found = given if isinstance(given, timedelta) else parse_duration(str(given))
    except TimestampError:
        raise ValueError(A_DURATION) from None
    if not least <= found <= LONGEST:
        raise ValueError(f"{A_DURATION}, {'above zero and ' if least else ''}at most {LONGEST.days:,} days")
    return found


def _size(given: object) -> int:
    try:
        found = parse_bytes(str(given))
    except OptionError as error:
        raise ValueError(error.expected) from None
    if not found:
        raise ValueError("a number of bytes above zero")
    return found


_LITERAL = re.compile(
    r"://[^/:@]*:(?!\$\{)[^/@]+@ | [?&][\w.-]*(password|secret|token)=(?!\$\{)", re.IGNORECASE | re.VERBOSE
)
"""Password in a URL that is not an environment variable."""
_SECRET_KEY = re.compile(r"password|passphrase|secret|key\.pem|oauthbearer\.config")
"""Part of the name of each option of librdkafka that is a secret."""
_NO_LITERAL = "needs an environment variable, such as ${PASSWORD}; secrets are not written into files"


def _secret(given: object) -> str:
    if not isinstance(given, _Environment):
        raise _Problem(_NO_LITERAL)
    return str(given)


def _address(given: object) -> str:
    if not isinstance(given, str):
        raise ValueError("a text")
    if _LITERAL.search(given.written if isinstance(given, _Environment) else given):
        raise _Problem(_NO_LITERAL)
    return given


def _settings(given: object) -> object:
    for name, value in given.items() if isinstance(given, Mapping) else ():
        if _SECRET_KEY.search(name) and not isinstance(value, _Environment):
            raise _Problem(name, _NO_LITERAL)
    return given


def _list(given: object) -> object:
    return given if isinstance(given, list | tuple) else [given]


def _check_filters(topics: dict[str, str]) -> dict[str, str]:
    for topic in topics:
        if not re.fullmatch(r"(?!$)((\+|[^+#/]*)/)*(\+|#|[^+#/]*)", topic):
            raise _Problem(topic, "is not a topic filter; + replaces one level, and # all levels at the end")
    return topics


Span = Annotated[timedelta, BeforeValidator(lambda given: _duration(given, timedelta.resolution))]
SpanOrZero = Annotated[timedelta, BeforeValidator(_duration)]
Size = Annotated[int, BeforeValidator(_size)]
Count = Annotated[int, Field(ge=1)]
Secret = Annotated[SecretStr, BeforeValidator(_secret)]
Address = Annotated[str, pydantic.PlainValidator(_address)]
"""URL or servers; keeps the representation of environment variables."""
Settings = Annotated[dict[str, str], BeforeValidator(_settings)]
Texts = Annotated[tuple[str, ...], BeforeValidator(_list)]
Files = Annotated[Texts, Field(min_length=1)]
Topics = Annotated[dict[str, str], Field(min_length=1)]
"""Format by topic: the path of a mapping, or `jsonld`, `turtle`, `ntriples`, `nquads`, `trig`."""


class ConfigSection(BaseModel):
    """Section of the configuration; unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class WindowSection(ConfigSection):
    """Window: `range`, distance `slide` of its ends, and length `tick` of the ticks of temporal rules, by
    default the slide.
    """

    range: Span
    slide: Span | None = None
    tick: Span | None = None
    closed: Literal["both", "right"] = "both"


class ClockSection(ConfigSection):
    """Time of the steps.

    `time`: the time in the message, or that of its arrival. `order: arrival` never waits: the time of a step
    is the newest time seen, and messages at most `allowed_lateness` older count as present. `order: event`
    sorts messages by time, and holds each back until the watermark, the least newest time of the sources that
    are not idle minus `allowed_lateness`, has passed it. Messages further ahead of the machine's clock than
    `max_ahead` are refused. After `idle` without messages, time follows the machine's clock; `batch` is the
    longest time that a message waits for others.
    """

    time: Literal["message", "arrival"] = "message"
    order: Literal["arrival", "event"] = "arrival"
    allowed_lateness: SpanOrZero = timedelta(seconds=5)
    max_ahead: SpanOrZero | None = timedelta(seconds=5)
    idle: SpanOrZero | None = timedelta(seconds=2)
    batch: SpanOrZero = timedelta(milliseconds=10)


class ReasoningSection(ConfigSection):
    """Options of the reasoner, as in `StreamReasoner`."""

    repair: Literal["exact", "grounded", "algorithm3", "off"] = "exact"
    keep: Literal["newest", "every"] = "newest"
    unique_names: bool = True
    numbers: Literal["by_datatype", "by_value"] = "by_datatype"
    conclusions: Literal["graph", "default"] = "graph"
    max_facts: Count | None = None
    max_bytes: Size | None = None
    on_limit: Literal["error", "drop"] = "drop"


class MQTTAccess(ConfigSection):
    """Access to an MQTT broker."""

    username: str | None = None
    password: Secret | None = None
    ca: Path | None = None
    cert: Path | None = None
    key: Path | None = None


class MQTTSource(MQTTAccess):
    """Subscription to an MQTT broker with QoS 1 and a persistent session."""

    mqtt: Address
    topics: Annotated[Topics, AfterValidator(_check_filters)]
    client: str | None = None
    qos: Literal["0", "1"] = "1"


class KafkaSource(ConfigSection):
    """Topics of a Kafka cluster, read from the offsets in the journal."""

    kafka: Address
    topics: Topics
    group: str = "pantarhei"
    start: Literal["earliest", "latest"] = "latest"
    settings: Settings = {}


class RedisSource(ConfigSection):
    """Redis Streams, read from the ids in the journal."""

    redis: Address
    topics: Topics
    password: Secret | None = None
    start: Literal["earliest", "latest"] = "latest"


class HTTPSource(ConfigSection):
    """Messages of `POST /push/{topic}`."""

    http: Topics


class FilesSource(ConfigSection):
    """Files and folders that grow; with `then`, that source begins after the end of the files."""

    files: Files
    mapping: str
    then: str | None = None
    follow: bool = True


class StdinSource(ConfigSection):
    """Lines of standard input."""

    stdin: str


class SinkSection(ConfigSection):
    """Sink of the changes with the names `of`; `*` are all queries and the conclusions, `repairs` and
    `dead_letters` are named.
    """

    of: Texts = ("*",)


class SQLSink(SinkSection):
    """Table of a database, written exactly once."""

    sql: Address
    table: str = "changes"


class FileSink(SinkSection):
    """File that is appended to, in NDJSON or CSV by its suffix, written exactly once."""

    file: Path


class ParquetFolderSink(SinkSection):
    """Folder of Parquet files, one for each period `roll`."""

    parquet: Path
    roll: Span = timedelta(hours=1)


class MQTTSink(SinkSection, MQTTAccess):
    """Topic of the broker of an MQTT source, or of the broker with this URL."""

    mqtt: Address
    topic: str
    client: str | None = None


class KafkaSink(SinkSection):
    """Topic of the cluster of a Kafka source, or of the cluster with these servers."""

    kafka: Address
    topic: str
    key: Literal["id", "name"] = "id"
    transactional: bool = False
    settings: Settings = {}


class WebhookSink(SinkSection):
    """URL that receives changes by POST, signed if there is a secret, repeated for `retry` if it fails."""

    webhook: Address
    secret: Secret | None = None
    retry: SpanOrZero = timedelta(minutes=5)


def _by_kind(*sections: type[ConfigSection]) -> Mapping[str, type[ConfigSection]]:
    """Return sections by their first required key, by which they are distinguished."""
    return {
        next(name for name, field in each.model_fields.items() if field.is_required()): each
        for each in sections
    }


SOURCES = _by_kind(MQTTSource, KafkaSource, RedisSource, HTTPSource, FilesSource, StdinSource)
SINKS = _by_kind(SQLSink, FileSink, ParquetFolderSink, MQTTSink, KafkaSink, WebhookSink)


class _OneOf(NamedTuple):
    """Annotation of a section whose class is the one of its kind."""

    kinds: Mapping[str, type[ConfigSection]]

    def __hash__(self) -> int:  # needed in unions
        return id(self.kinds)

    def __get_pydantic_core_schema__(
        self, source: object, handler: pydantic.GetCoreSchemaHandler
    ) -> CoreSchema:
        schemas = {name: handler.generate_schema(section) for name, section in self.kinds.items()}
        return core_schema.tagged_union_schema(schemas, discriminator=self.kind)

    def kind(self, given: object) -> str | None:
        """Return the kind of a section, or of the dictionary for one; None if it is unknown."""
        keys = given if isinstance(given, Mapping) else ()
        return next((name for name, each in self.kinds.items() if name in keys or type(given) is each), None)


class QuerySection(ConfigSection):
    """Registered query: a file or a text, and the options of `StreamReasoner.register`."""

    sparql: str
    on: str = "change"
    window: Span | None = None
    emit: Literal["delta", "istream", "dstream", "rstream"] = "delta"


def _query(given: object) -> object:
    return {"sparql": given} if isinstance(given, str) else given


class DeadLettersSection(ConfigSection):
    """File of dead letters, one JSON object each, and the time for which they are kept."""

    file: Path
    keep: Span = timedelta(days=7)


DEAD_LETTERS = _by_kind(DeadLettersSection, MQTTSink, KafkaSink, WebhookSink)
_KINDS: Mapping[str | int, tuple[int, Mapping[str, type[ConfigSection]]]] = {
    "sources": (2, SOURCES),
    "sinks": (2, SINKS),
    "dead_letters": (1, DEAD_LETTERS),
}
"""By key, the place of the kind in the locations of pydantic, and the sections by kind."""


class StateSection(ConfigSection):
    """Folder of journal and checkpoints.

    `checkpoint`: the longest time between checkpoints; one is written earlier if a replay would take two
    seconds. `sync`: the shortest time between flushes of the journal to the disk, for which messages wait.
    `keep`: the shortest time for which the journal is kept; it is never shorter than the window and the
    longest window of a rule.
    """

    folder: Path = Path("state")
    checkpoint: Span = timedelta(minutes=1)
    sync: SpanOrZero = timedelta(milliseconds=10)
    keep: SpanOrZero = timedelta(minutes=20)


class TokensSection(ConfigSection):
    """Bearer tokens for reading, pushing messages, and registering queries; without one, it is open."""

    read: Secret | None = None
    push: Secret | None = None
    admin: Secret | None = None


class QueryLimitsSection(ConfigSection):
    """Limits of a SPARQL query over HTTP."""

    timeout: Span = timedelta(seconds=10)
    rows: Count = 100_000
    bytes: Size = 256_000_000
    at_once: Count = 2


class TLSSection(ConfigSection):
    """Files in PEM: the certificate of the server with its chain, and its key."""

    cert: Path
    key: Path


class HTTPSection(ConfigSection):
    """HTTP server. An address other than the machine's own needs tokens."""

    listen: str = "127.0.0.1:8190"
    readers: Annotated[int, Field(ge=0)] = 1
    tls: TLSSection | None = None
    tokens: TokensSection = TokensSection()
    origins: Texts = ()
    query: QueryLimitsSection = QueryLimitsSection()
    body: Size = 1_000_000
    clients: Count = 200

    @property
    def address(self) -> tuple[str, int]:
        """Host and port."""
        host, _, port = self.listen.rpartition(":")
        return host.strip("[]"), int(port)

    @property
    def url(self) -> str:
        """URL of the page."""
        return f"http{'' if self.tls is None else 's'}://{self.listen}"

    @pydantic.field_validator("listen")
    @classmethod
    def _check_listen(cls, listen: str) -> str:
        host, _, port = listen.rpartition(":")
        if not host or not port.isdecimal() or int(port) > 65535:
            raise ValueError("HOST:PORT, such as 127.0.0.1:8190")
        return listen


class LogSection(ConfigSection):
    """Format and level of the log."""

    format: Literal["text", "json"] = "text"
    level: Literal["debug", "info", "warning", "error"] = "info"


def followed(sources: Mapping[str, ConfigSection]) -> list[tuple[str, str]]:
    """Return the names of files that another source waits for, each with the name of that source."""
    files = [(name, section) for name, section in sources.items() if isinstance(section, FilesSource)]
    return [(name, section.then) for name, section in files if section.then is not None]


def _check_order(sources: dict[str, Any]) -> dict[str, Any]:
    """Check that each source named by `then` exists and waits for one source, which starts without it."""
    after: dict[str, str] = {}
    for name, then in followed(sources):
        if then not in sources:
            raise _Problem(name, "then", f"is not the name of a source{did_you_mean(then, sources)}")
        if then in after:
            raise _Problem(then, f"waits for {after[then]} and for {name}; name it once")
        after[then] = name
    for name in after:
        for _ in range(len(after) + 1):
            name = after.get(name, "")
        if name:
            raise _Problem(name, "waits for itself; remove one of the keys then")
    return sources


class ServiceConfig(ConfigSection):
    """Configuration of the service; build with `read_config`. Paths are absolute."""

    name: str = "pantarhei"
    ontology: Files
    background: Texts = ()
    language: Texts = ()
    rules: str | None = None
    prefixes: dict[str, str] = {}
    window: WindowSection
    clock: ClockSection = ClockSection()
    reasoning: ReasoningSection = ReasoningSection()
    sources: Annotated[
        dict[str, Annotated[ConfigSection, _OneOf(SOURCES)]],
        Field(min_length=1),
        AfterValidator(_check_order),
    ]
    queries: dict[str, Annotated[QuerySection, BeforeValidator(_query)]] = {}
    sinks: dict[str, Annotated[SinkSection, _OneOf(SINKS)]] = {}
    dead_letters: Annotated[ConfigSection, _OneOf(DEAD_LETTERS)] | None = None
    state: StateSection = StateSection()
    upgrade: Literal["replay", "fresh", "refuse"] = "replay"
    http: HTTPSection | None = HTTPSection()
    log: LogSection = LogSection()
    folder: Annotated[Path, AfterValidator(Path.absolute)]

    @pydantic.field_validator("http")
    @classmethod
    def _check_tokens(cls, http: HTTPSection | None, info: pydantic.ValidationInfo) -> HTTPSection | None:
        """Check that other machines need tokens for all that they can reach."""
        if http is None or re.fullmatch(r"localhost|::1|127(\.\d+){3}", http.address[0]):
            return http
        has_push = any(isinstance(each, HTTPSource) for each in info.data.get("sources", {}).values())
        needed = ["read", "push", "admin"] if has_push else ["read", "admin"]
        if missing := [f"tokens.{name}" for name in needed if getattr(http.tokens, name) is None]:
            advice = f"set {' and '.join(missing)}, or listen at 127.0.0.1"
            raise _Problem("listen", f"is reachable from other machines; {advice}")
        return http

    def path(self, given: str | os.PathLike[str]) -> Path:
        """Return a path of the configuration, relative to the folder of its file."""
        return self.folder / given


def read_config(path: Path, environment: Mapping[str, str] | None = None) -> ServiceConfig:
    """Read a configuration file.

    Args:
        environment: the environment variables; by default those of the process.

    Raises:
        MissingFileError: the file does not exist.
        ConfigError: the configuration is invalid; the error lists all problems with their lines.
    """
    try:
        source, root = read_document(path)
    except MappingError as error:
        problem = ConfigProblem(error.line, "", error.problem, error.expected)
        raise ConfigError(str(path), (problem,)) from None
    reader = _Reader(source, os.environ if environment is None else environment)
    given = reader.value(root, ())
    if reader.problems:
        raise ConfigError(source, tuple(reader.problems))
    if not isinstance(given, dict):
        problem = ConfigProblem(root.line, "", "it is not a dictionary", "keys such as ontology and window")
        raise ConfigError(source, (problem,))
    try:
        return ServiceConfig.model_validate({**given, "folder": path.absolute().parent})
    except ValidationError as error:
        problems = [reader.problem(each) for each in error.errors(include_url=False)]
        raise ConfigError(source, tuple(sorted(problems, key=lambda each: each.line or 0))) from None


_VARIABLE = re.compile(r"\$\{([^}]*)\}")
_EMPTY = ("", "~", "null", "none")


class _Reader:
    """Converts a document to values, and problems of pydantic to problems with lines.

    Args:
        source: the file.
        environment: the environment variables.
    """

    def __init__(self, source: str, environment: Mapping[str, str]) -> None:
        self._source, self._environment = source, environment
        self._lines: dict[Location, int | None] = {}
        self.problems: list[ConfigProblem] = []

    def value(self, node: DocumentNode, at: Location) -> Any:
        """Return the value of a node: a text, None, a list or a dictionary."""
        self._lines.setdefault(at, node.line)
        if isinstance(node.content, str):
            return None if node.content.lower() in _EMPTY else self._text(node.content, node, at)
        if isinstance(node.content, list):
            return [self.value(each, (*at, place)) for place, each in enumerate(node.content)]
        for key, line in node.lines.items():
            self._lines[(*at, key)] = line
        return {key: self.value(each, (*at, key)) for key, each in node.content.items()}

    def _text(self, text: str, node: DocumentNode, at: Location) -> str:
        if "${" not in text:
            return text

        def of_environment(match: re.Match[str]) -> str:
            found = self._environment.get(match[1], "")
            if not found.strip():  # an empty token would permit everything
                state = "empty" if match[1] in self._environment else "not set"
                problem = f"refers to the environment variable {match[1]}, which is {state}"
                others = [name for name in self._environment if name != match[1]]
                advice = f"export {match[1]}=… before the start{did_you_mean(match[1], others)}"
                self.problems.append(ConfigProblem(node.line, _key(at), problem, advice))
            return found

        found = _Environment(_VARIABLE.sub(of_environment, text))
        found.written = text
        return found

    def problem(self, error: Mapping[str, Any]) -> ConfigProblem:
        """Return an error of pydantic as a problem with the line of its value."""
        location: Location = tuple(error["loc"])
        place, kinds = _KINDS.get(location[0], (len(location), {}))
        at = location[:place] + location[place + 1 :]  # without the kind
        given, kind = error.get("input"), str(error["type"])
        if kind == "extra_forbidden":
            known = _keys_of(location[:-1])
            problem = f"is not a key{did_you_mean(str(at[-1]), known)}"
            expected = f"one of {', '.join(known)}"
        elif kind == "missing":
            problem, expected = "is required", ""
        elif kind.startswith("union_tag"):
            problem, expected = f"needs exactly one of the keys {', '.join(kinds)}", ""
        elif kind == "model_type":
            problem, expected = f"needs the keys {', '.join(_keys_of(location))}", ""
        elif kind == "too_short":
            problem, expected = "is empty", "one or more"
        elif kind == "literal_error":
            expected = str(error["ctx"]["expected"]).replace("'", "")
            problem = f"is {given!r}{did_you_mean(str(given), re.split(r', | or ', expected))}"
        elif kind == "value_error" and isinstance(cause := error["ctx"]["error"], _Problem):
            *within, problem = cause.args
            at, expected = (*at, *within), ""
        else:
            expected = str(error["msg"]).removeprefix("Value error, ").removeprefix("Input should be ")
            problem = f"is {given!r}"[:80]
        return ConfigProblem(self._line(at), _key(at), problem, expected)

    def _line(self, at: Location) -> int | None:
        while at not in self._lines and at:
            at = at[:-1]
        return self._lines.get(at)


def _keys_of(location: Location) -> list[str]:
    """Return the keys of the section at a location."""
    section: type[ConfigSection] = ServiceConfig
    for place, name in enumerate(location):
        if location[0] in _KINDS and place == _KINDS[location[0]][0]:
            section = _KINDS[location[0]][1][str(name)]
        elif name in section.model_fields:
            parts = _parts(section.model_fields[str(name)].annotation)
            sections = (part for part in parts if isinstance(part, type) and issubclass(part, ConfigSection))
            section = next(sections, section)
    return [name for name in section.model_fields if (section, name) != (ServiceConfig, "folder")]


def _parts(annotation: object) -> Iterator[object]:
    yield annotation
    for each in get_args(annotation):
        yield from _parts(each)


def _key(at: Location) -> str:
    return ".".join(map(str, at))
