"""Configuration: errors with lines and nearest keys, secrets of the environment, template and reference."""

from __future__ import annotations

import itertools
import pickle
import re
from importlib.resources import files
from pathlib import Path
from typing import get_args

import pytest
import yaml

pytest.importorskip("pydantic")

from pantarhei.errors import ConfigError
from pantarhei.service.config import (
    SINKS,
    SOURCES,
    ConfigSection,
    DeadLettersSection,
    QuerySection,
    ServiceConfig,
    read_config,
)

ROOT = Path(__file__).parents[3]
SMALL = """
ontology: o.ttl
window: {range: 10m}
sources:
  plant: {mqtt: "mqtt://localhost", topics: {a: a.yaml}}
"""
SECRETS = "MQTT_PASSWORD REDIS_PASSWORD HOOK_SECRET READ_TOKEN PUSH_TOKEN ADMIN_TOKEN DATABASE"
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
        ("sinks: {store: {sqll: a}}", "sinks.store has no known kind; expected one of the keys sql, file"),
        ("sinks: {store: {sql: a, tabel: b}}", "sinks.store.tabel is not a key (did you mean table?)"),
        ("http: {listen: '0.0.0.0:80'}", "reachable from other machines; set tokens.read and tokens.admin"),
        ("http: {listen: '0.0.0.0'}", "http.listen is '0.0.0.0'; expected HOST:PORT"),
        (
            "dead_letters: {kafka: 'k:9092', topc: dead}",
            "dead_letters.topc is not a key (did you mean topic?)",
        ),
        ("dead_letters: {kafka: 'k:9092'}", "dead_letters.topic is missing"),
        ("dead_letters: {fil: dead.ndjson}", "dead_letters has no known kind; expected one of the keys file"),
        ("http: {tls: {cert: a.pem}}", "http.tls.key is missing"),
        ("http: {tokens: {read: written}}", "secrets are not written into files"),
        ("http: {tokens: {read: '${MISSING}'}}", "environment variable MISSING, which is not set"),
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


@pytest.mark.parametrize("value", ["", " ", "\n"])
@pytest.mark.parametrize("before", ["", "Bearer "])
@pytest.mark.parametrize("place", sorted(SECRET_PLACES))
def test_an_empty_environment_variable_is_an_error_in_each_place(tmp_path, place, before, value):
    text = SMALL + SECRET_PLACES[place].replace("SECRET", f"{before}${{NAME}}")
    with pytest.raises(ConfigError) as raised:
        read(tmp_path, text, {"NAME": value})
    (problem,) = raised.value.problems
    assert problem.key == place
    assert "environment variable NAME, which is empty; expected export NAME=" in str(raised.value)
    read(tmp_path, text, {"NAME": "value"})


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
        ("{a: {files: x, mapping: m, then: c}, cc: {stdin: m}}", "a.then names c, which is not a source"),
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
