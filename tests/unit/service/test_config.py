"""Configuration: errors with lines and nearest keys, secrets of the environment, template and reference."""

from __future__ import annotations

import copy
import functools
import itertools
import json
import pickle
import re
from datetime import timedelta
from importlib.resources import files
from pathlib import Path
from typing import get_args

import pytest
import yaml

pytest.importorskip("pydantic")

from pantarhei.errors import CheckFailedError, ConfigError, PantarheiError
from pantarhei.service.config import (
    LONGEST,
    SINKS,
    SOURCES,
    ConfigSection,
    DeadLettersSection,
    QuerySection,
    ServiceConfig,
    read_config,
)
from pantarhei.service.connections import make_sinks, make_sources
from pantarhei.service.journal_driver import JournalDriver, read_knowledge
from pantarhei.service.supervisor import check_service
from service_tools import site, write_site

ROOT = Path(__file__).parents[3]
SMALL = """
ontology: o.ttl
window: {range: 10m}
sources:
  plant: {mqtt: "mqtt://localhost", topics: {a: a.yaml}}
"""
SECRETS = "MQTT_PASSWORD REDIS_PASSWORD HOOK_SECRET READ_TOKEN PUSH_TOKEN ADMIN_TOKEN DB_PASSWORD"
ENVIRONMENT = dict.fromkeys(SECRETS.split(), "value")


TOPICS = "topics: {a: m}"
SECRET_PLACES = {
    "http.tokens.read": 'http: {tokens: {read: "SECRET"}}',
    "http.tokens.push": 'http: {tokens: {push: "SECRET"}}',
    "http.tokens.admin": 'http: {tokens: {admin: "SECRET"}}',
    "sources.m.password": f'  m: {{mqtt: "mqtt://b", password: "SECRET", {TOPICS}}}',
    "sources.r.password": f'  r: {{redis: "redis://h", password: "SECRET", {TOPICS}}}',
    "sources.k.settings.sasl.password": f'  k: {{kafka: h, settings: {{sasl.password: "SECRET"}}, {TOPICS}}}',
    "sinks.m.password": 'sinks: {m: {mqtt: "mqtt://b", topic: a, password: "SECRET"}}',
    "sinks.w.secret": 'sinks: {w: {webhook: "http://h", secret: "SECRET"}}',
    "sinks.k.settings.ssl.key.pem": 'sinks: {k: {kafka: h, topic: a, settings: {ssl.key.pem: "SECRET"}}}',
    "dead_letters.secret": 'dead_letters: {webhook: "http://h", secret: "SECRET"}',
}
"""Sections with a secret, by the key of the secret."""


def read(folder, text, environment=ENVIRONMENT):
    path = folder / "site.yaml"
    path.write_text(text, encoding="utf-8")
    return read_config(path, environment)


def sections(section=ServiceConfig):
    """Yield the sections of the configuration, each once."""
    yield section
    for field in section.model_fields.values():
        for part in (field.annotation, *get_args(field.annotation)):
            if isinstance(part, type) and issubclass(part, ConfigSection):
                yield from sections(part)
    if section is ServiceConfig:
        yield from (QuerySection, DeadLettersSection, *SOURCES.values(), *SINKS.values())


KEYS = {name for section in sections() for name in section.model_fields}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("windwo: {range: 5m}", "line 6: windwo is not a key (did you mean window?)"),
        ("clock: {allowed_latenes: 5s}", "did you mean allowed_lateness?"),
        ("clock: {order: evnt}", "did you mean event?"),
        ("clock: {idle: soon}", "clock.idle is 'soon'; expected"),
        ("queries: {hot: {sparql: a.rq, windw: 1m}}", "did you mean window?"),
        ("sinks: {store: {sqll: a}}", "sinks.store needs exactly one of the keys sql, file"),
        ("sinks: {store: {sql: a, tabel: b}}", "sinks.store.tabel is not a key (did you mean table?)"),
        (
            "http: {listen: '0.0.0.0:80'}",
            "http.listen is reachable from other machines; set tokens.read and tokens.admin",
        ),
        ("http: {listen: '0.0.0.0'}", "http.listen is '0.0.0.0'; expected HOST:PORT"),
        (
            "dead_letters: {kafka: 'k:9092', topc: dead}",
            "dead_letters.topc is not a key (did you mean topic?)",
        ),
        ("dead_letters: {kafka: 'k:9092'}", "dead_letters.topic is required"),
        ("dead_letters: {fil: dead.ndjson}", "dead_letters needs exactly one of the keys file"),
        ("http: {tls: {cert: a.pem}}", "http.tls.key is required"),
        ("http: {tokens: {read: written}}", "secrets are not written into files"),
        ("http: {tokens: {read: '${MISSING}'}}", "environment variable MISSING, which is not set"),
        ("http: {tokens: a}", "http.tokens needs the keys read, push, admin"),
        ("queries: {hot: [a.rq]}", "queries.hot needs the keys sparql, on, window, emit"),
        ("name: [a", "line "),
    ],
)
def test_an_invalid_configuration_names_line_and_nearest_key(tmp_path, line, expected):
    with pytest.raises(ConfigError) as raised:
        read(tmp_path, SMALL + line)
    assert expected in str(raised.value)
    assert str(tmp_path / "site.yaml") in str(raised.value)
    assert "written" not in str(raised.value).replace("not written into", "")
    assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value)


def test_all_problems_are_reported_in_the_order_of_their_lines(tmp_path):
    with pytest.raises(ConfigError) as raised:
        read(tmp_path, SMALL + "upgrade: never\nclock: {batch: x, tiem: message}\n")
    assert [problem.line for problem in raised.value.problems] == [6, 7, 7]


def test_secrets_are_not_in_the_text_of_a_configuration(tmp_path):
    text = SMALL.replace("topics", 'password: "${MQTT_PASSWORD}", topics')
    config = read(tmp_path, text, {"MQTT_PASSWORD": "hidden-word"})
    assert config.sources["plant"].password.get_secret_value() == "hidden-word"
    assert "hidden-word" not in repr(config) + config.model_dump_json()


LITERALS = [
    *(text.replace("SECRET", "written") for text in SECRET_PLACES.values()),
    f'  r: {{redis: "redis://:written@h", {TOPICS}}}',
    f'  r: {{redis: "redis://${{NAME}}:written@h", {TOPICS}}}',
    f'  m: {{mqtt: "mqtts://me:written@h", {TOPICS}}}',
    'sinks: {s: {sql: "postgresql://me:written@h/d"}}',
    'sinks: {s: {sql: "postgresql://me@h/d?user=me&password=written"}}',
    'sinks: {m: {mqtt: "mqtt://:written@h", topic: a}}',
    'sinks: {w: {webhook: "https://me:written@h"}}',
    'dead_letters: {webhook: "https://h/?access_token=written"}',
    f'  k: {{kafka: h, settings: {{sasl.oauthbearer.client.secret: "written"}}, {TOPICS}}}',
    f'  k: {{kafka: h, settings: {{ssl.key.password: "written"}}, {TOPICS}}}',
]


@pytest.mark.parametrize("text", LITERALS)
def test_a_secret_in_the_file_is_an_error_that_does_not_show_it(tmp_path, text):
    with pytest.raises(ConfigError, match="secrets are not written into files") as raised:
        read(tmp_path, SMALL + text, {"NAME": "value"})
    assert "written" not in str(raised.value).replace("not written into", "")
    read(tmp_path, SMALL + text.replace("written", "${NAME}"), {"NAME": "value"})


@pytest.mark.parametrize(
    "text",
    [
        f'  r: {{redis: "redis://me@h:6379/0", {TOPICS}}}',
        f"  k: {{kafka: 'a:9092,b:9092', settings: {{ssl.key.location: a.pem}}, {TOPICS}}}",
        'sinks: {s: {sql: "postgresql://me@h/d?sslkey=a.pem"}}',
        'sinks: {s: {sql: "sqlite:///a:b@c.db"}}',
        'sinks: {w: {webhook: "https://[::1]:80/a@b"}}',
    ],
)
def test_an_address_without_a_password_is_valid(tmp_path, text):
    read(tmp_path, SMALL + text)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        *((f"window: {{range: {span}}}", "window.range") for span in ("0s", "10001d", "100000000d", "PT0S")),
        *(
            (f"clock: {{{name}: 10001d}}", f"clock.{name}")
            for name in ("allowed_lateness", "max_ahead", "idle")
        ),
        ("clock: {batch: 100000000d}", "clock.batch"),
        ("state: {checkpoint: 0s}", "state.checkpoint"),
        ("queries: {a: {sparql: a.rq, window: 0s}}", "queries.a.window"),
        ("sinks: {s: {parquet: a, roll: 0s}}", "sinks.s.roll"),
        ("http: {query: {timeout: 0s}}", "http.query.timeout"),
        *(
            (f"http: {{query: {{{name}: {n}}}}}", f"http.query.{name}")
            for name in ("rows", "at_once")
            for n in (-1, 0)
        ),
        ("http: {query: {bytes: 0MB}}", "http.query.bytes"),
        ("http: {body: 0}", "http.body"),
        ("http: {clients: 0}", "http.clients"),
        ("http: {readers: -1}", "http.readers"),
        ("reasoning: {max_facts: 0}", "reasoning.max_facts"),
        ("reasoning: {max_bytes: 0}", "reasoning.max_bytes"),
        ("ontology: []", "ontology"),
        ("sources: {}", "sources"),
        ("sources: {f: {files: [], mapping: m}}", "sources.f.files"),
        *(
            (f"sources: {{s: {{{kind}, topics: {{}}}}}}", "sources.s.topics")
            for kind in ("mqtt: a", "redis: a", "kafka: a")
        ),
        ("sources: {s: {http: {}}}", "sources.s.http"),
    ],
)
def test_values_without_sense_are_errors(tmp_path, text, key):
    known = yaml.safe_load(SMALL) | yaml.load(text, yaml.BaseLoader)
    with pytest.raises(ConfigError) as raised:
        read(tmp_path, yaml.dump(known))
    assert [problem.key for problem in raised.value.problems] == [key]


def test_spans_can_be_zero_where_nothing_then_waits(tmp_path):
    zeros = [
        "clock: {allowed_lateness: 0s, max_ahead: 0s, idle: 0s, batch: 0s}",
        "state: {sync: 0s, keep: 0s}",
    ]
    assert read(tmp_path, SMALL + "\n".join(zeros)).clock.batch == timedelta(0)
    assert read(tmp_path, SMALL.replace("10m", "10000d")).window.range == LONGEST


@pytest.mark.parametrize("topic", ["a/#/b", "#/a", "a#", "a/b#", "+a", "a/b+/c", "++", ""])
def test_an_invalid_topic_filter_is_an_error(tmp_path, topic):
    text = SMALL.replace("{a: a.yaml}", json.dumps({topic: "a.yaml"}))
    with pytest.raises(ConfigError, match="is not a topic filter"):
        read(tmp_path, text)


@pytest.mark.parametrize("topic", ["#", "+", "a/#", "+/#", "/", "a//b", "/+/b/#", "$share/g/a", "a b", "é"])
def test_a_valid_topic_filter_is_accepted(tmp_path, topic):
    text = SMALL.replace("{a: a.yaml}", json.dumps({topic: "a.yaml"}))
    assert list(read(tmp_path, text).sources["plant"].topics) == [topic]


@pytest.mark.parametrize("value", ["", " ", "\n"])
@pytest.mark.parametrize("before", ["", "Bearer "])
@pytest.mark.parametrize("place", sorted(SECRET_PLACES))
def test_an_empty_environment_variable_is_an_error_in_each_place(tmp_path, place, before, value):
    text = SMALL + SECRET_PLACES[place].replace("SECRET", f"{before}${{NAME}}")
    with pytest.raises(ConfigError) as raised:
        read(tmp_path, text, {"NAME": value})
    (problem,) = raised.value.problems
    assert problem.key == place
    assert "the environment variable NAME, which is empty; expected export NAME=" in str(raised.value)
    assert "did you mean" not in str(raised.value)
    read(tmp_path, text, {"NAME": "value"})


@pytest.mark.parametrize(
    ("sparql", "problem"),
    [
        ("no.rq", "is no.rq, which cannot be read: No such file"),
        (".", "is ., which cannot be read: Is a directory"),
        ("latin.rq", "is latin.rq, which cannot be read: it is not UTF-8; expected a file in UTF-8"),
        ("utf16.rq", "is utf16.rq, which cannot be read: it is not UTF-8"),
        ("bytes.rq", "is bytes.rq, which cannot be read: it is not UTF-8"),
        ("empty.rq", "is invalid: the query is empty"),
        ("SELECT {", "is invalid: malformed query, line 1"),
        ("SELECT * { ?s no:such ?o }", "is invalid: malformed query, line 1"),
    ],
)
def test_a_query_that_cannot_be_used_is_named(tmp_path, sparql, problem):
    for name, content in (("latin", b"# \xe9"), ("utf16", "ASK {}".encode("utf-16")), ("bytes", b"\xff\0")):
        (tmp_path / f"{name}.rq").write_bytes(content)
    (tmp_path / "empty.rq").write_text("")
    config = site(tmp_path, "{push: {http: {a: m.yaml}}}")
    query = QuerySection(sparql=sparql)
    config = config.model_copy(update={"queries": {**config.queries, "odd": query}})
    with pytest.raises(ConfigError) as raised:
        JournalDriver.fresh(read_knowledge(config))
    assert f"queries.odd {problem}" in str(raised.value)
    with pytest.raises(CheckFailedError, match=r"queries\.odd"):
        check_service(config, lambda line: None)


FILES = {
    "ontology": "ontology: bad",
    "background": "background: bad",
    "rules": "rules: bad",
    "mapping": "sources: {push: {http: {a: bad}}}",
    "standard input": "sources: {push: {stdin: bad}}",
    "certificate": "http: {tls: {cert: bad, key: bad}}",
    "authority": 'sources: {plant: {mqtt: "mqtts://127.0.0.1:1", ca: bad, topics: {a: m.yaml}}}',
}


@pytest.mark.parametrize("kind", ["missing", "folder", "bytes"])
@pytest.mark.parametrize("place", FILES)
def test_each_file_that_cannot_be_read_is_named(tmp_path, place, kind):
    path = write_site(tmp_path, "{push: {http: {a: m.yaml}}}")
    document = yaml.load(path.read_text(), yaml.BaseLoader) | yaml.load(FILES[place], yaml.BaseLoader)
    path.write_text(yaml.dump(document))
    if kind == "folder":
        (tmp_path / "bad").mkdir()
    elif kind == "bytes":
        (tmp_path / "bad").write_bytes(b"\xff\xfe\0\x01")
    with pytest.raises(CheckFailedError) as raised:
        check_service(read_config(path), lambda line: None)
    assert str(tmp_path / "bad") in raised.value.problems[0]


# -- template ----------------------------------------------------------------------------------------

TEMPLATE = files("pantarhei.service").joinpath("template.yaml").read_text(encoding="utf-8")
OPTION = re.compile(r"^( *)#: ( *)", re.MULTILINE)
ADVANCED = {
    "dead",
    "group",
    "key",
    "keep",
    "unique_names",
    "numbers",
    "conclusions",
    "settings",
    "transactional",
}
"""Keys that docs/service.md alone describes."""


def test_the_template_is_valid_and_has_each_key(tmp_path):
    assert isinstance(read(tmp_path, TEMPLATE), ServiceConfig)
    given = set(re.findall(r"(\w+)(?=:(?:\s|$))", TEMPLATE))
    assert KEYS - given - ADVANCED == set()


LINES = TEMPLATE.splitlines()
OPTIONS = [n for n, line in enumerate(LINES) if OPTION.match(line) and not line.startswith("#:  ")]


@pytest.mark.parametrize("line", OPTIONS)
def test_each_option_of_the_template_is_valid(tmp_path, line):
    """An option with the key of an active line replaces that line; lines `#:  ` below it belong to it."""
    block = [LINES[line]]
    if block[0].startswith("#:"):
        block += itertools.takewhile(lambda each: each.startswith("#:  "), LINES[line + 1 :])
    block = [OPTION.sub(r"\1\2", each) for each in block]
    key = block[0].partition(":")[0] + ":"
    before, after = (
        [each for each in part if not each.startswith(key)] for part in (LINES[:line], LINES[line:])
    )
    read(tmp_path, "\n".join([*before, *block, *after]))


def test_a_template_is_not_written_over_a_file(tmp_path):
    from pantarhei.cli.serve_command import serve
    from pantarhei.errors import OptionError

    path = tmp_path / "site.yaml"
    serve(path, False, True)
    assert path.read_text(encoding="utf-8") == TEMPLATE
    with pytest.raises(OptionError):
        serve(path, False, True)


# -- reference ---------------------------------------------------------------------------------------

PAGE = (ROOT / "docs" / "service.md").read_text(encoding="utf-8").partition("\n## Configuration\n")[2]
REFERENCE = "".join(re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))


def test_the_reference_is_a_valid_configuration(tmp_path):
    assert isinstance(read(tmp_path, REFERENCE), ServiceConfig)


def places(given, at=()):
    """Yield the paths of all values of a document."""
    yield at
    for key in range(len(given)) if isinstance(given, list) else given if isinstance(given, dict) else ():
        yield from places(given[key], (*at, key))


WRAPPED = [
    "${NAME}",
    *(pytest.param(each, marks=pytest.mark.long) for each in (["${NAME}"], {"a": "${NAME}"})),
]


@pytest.mark.parametrize("wrapped", WRAPPED)
def test_no_error_shows_the_value_of_an_environment_variable(tmp_path, wrapped):
    """In each place of the reference, also as a list and as a dictionary."""
    reference, errors = yaml.load(REFERENCE, yaml.BaseLoader), 0
    small, environment = yaml.load(SMALL, yaml.BaseLoader), ENVIRONMENT | {"NAME": "HIDDEN"}
    for first, *at, last in [each for each in places(reference) if len(each) > 1]:
        kept = {first: copy.deepcopy(reference[first])}
        if first in ("sources", "sinks", "queries") and at:
            kept = {first: {at[0]: kept[first][at[0]]}}
        functools.reduce(lambda part, key: part[key], at, kept[first])[last] = wrapped
        try:
            config = read(tmp_path, yaml.dump(small | kept), environment)
            if last in ("mqtt", "kafka", "redis", "sql", "webhook"):
                make_sources(config), make_sinks(config)
        except PantarheiError as error:
            errors += 1
            assert "HIDDEN" not in str(error), (first, at, last)
    assert errors > 50


def marks(text):
    """Return the first word of the comment of each key, by its path."""
    found, path = {}, []
    for line in text.splitlines():
        if match := re.match(r"( *)([\w-]+):", line):
            path = [*path[: len(match[1]) // 2], match[2]]
            comment = re.search(r"  # (\w+)", line)
            found[tuple(path)] = comment[1] if comment else ""
    return found


def test_the_reference_has_each_key_with_its_default(tmp_path):
    comments = marks(REFERENCE)
    seen = set()

    def check(section, given, path):
        seen.add(type(section))
        for name, field in type(section).model_fields.items():
            place, value = (*path, name), getattr(section, name)
            if place == ("folder",):
                continue
            assert name in given, f"{'.'.join(place)} is not in docs/service.md"
            if isinstance(value, ConfigSection):
                check(value, given[name], place)
            elif place in (("sources",), ("sinks",), ("queries",)):
                for each, part in value.items():
                    if isinstance(given[name][each], dict):
                        check(part, given[name][each], (name, each))
            elif field.is_required():
                assert comments[place] == "required", place
            elif field.default is None:
                assert comments[place] == "unset", place
            else:
                assert (comments[place] in ("required", "unset", "example"), value) == (
                    False,
                    field.default,
                ), place

    check(read(tmp_path, REFERENCE), yaml.load(REFERENCE, yaml.BaseLoader), ())
    assert seen == set(sections())


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        (
            "{a: {files: x, mapping: m, then: c}, cc: {stdin: m}}",
            "a.then is not the name of a source .did you mean cc",
        ),
        ("{a: {files: x, mapping: m, then: a}}", "a waits for itself"),
        (
            "{a: {files: x, mapping: m, then: b}, b: {files: x, mapping: m, then: a}}",
            "waits for itself",
        ),
        (
            "{a: {files: x, mapping: m, then: c}, b: {files: x, mapping: m, then: c}, c: {stdin: m}}",
            "c waits for a and for b",
        ),
    ],
)
def test_a_source_waits_for_one_other_source_that_exists(tmp_path, sources, expected):
    with pytest.raises(ConfigError, match=expected):
        read(tmp_path, f"ontology: o.ttl\nwindow: {{range: 10m}}\nsources: {sources}\n")
