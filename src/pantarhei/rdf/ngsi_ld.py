"""NGSI-LD entities as JSON-LD documents with one named graph for each time of attributes.

An attribute with its value is one statement about the entity, with the time of its `observedAt`; so is the
entity's type. Other members of an attribute (units, datasets, nested attributes) are not asserted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, tzinfo
from math import inf
from typing import Any, Final
from urllib.parse import quote

from pantarhei.errors import TimestampError
from pantarhei.model.time import kind_of, parse_timestamp, ticks_of

VOCABULARY: Final = "https://uri.etsi.org/ngsi-ld/default-context/"
"""Prefix of the names of attributes and types that no context maps."""
_XSD: Final = "http://www.w3.org/2001/XMLSchema#"
_NOTIFICATION: Final = "Notification"
_TIMES: Final = {"DateTime": "dateTime", "Date": "date", "Time": "time"}
_NO_ATTRIBUTES: Final = frozenset(
    {"@context", "id", "@id", "type", "@type", "scope", "createdAt", "modifiedAt", "deletedAt", "expiresAt"}
)


class _Number(str):
    """Number in the digits of its document."""


_DECODER = json.JSONDecoder(parse_int=_Number, parse_float=_Number, parse_constant=_Number)


def timed_graphs(document: bytes, zone: tzinfo | None = None) -> Iterator[bytes | ValueError]:
    """Yield the JSON-LD documents of entities, those of an entity in the order of time, and errors.

    Args:
        document: an entity, or a notification with several.
        zone: zone of times without one; UTC by default. It affects the order only.

    >>> error, *graphs = timed_graphs(b'''{"id": "urn:s", "type": "Sensor",
    ...     "warm": {"type": "Property", "value": 21.5, "observedAt": "2026-03-02T10:00:00Z"},
    ...     "name": {"type": "Property", "value": "s"}}''')
    >>> len(graphs), str(error)
    (1, 'the attribute name of urn:s has no observedAt')
    """
    try:
        value = _DECODER.decode(document.decode())
    except (ValueError, RecursionError) as error:
        yield ValueError(f"it is not JSON: {error}")
        return
    is_notification = isinstance(value, dict) and value.get("type", _NOTIFICATION) == _NOTIFICATION
    data = value.get("data") if is_notification else None
    for each in data if isinstance(data, list) else [value]:
        context = value.get("@context") if isinstance(each, dict) and "@context" not in each else None
        yield from _of_entity(each, context, zone or UTC)


def _of_entity(entity: Any, context: Any, zone: tzinfo) -> Iterator[bytes | ValueError]:
    name = (entity.get("id") or entity.get("@id")) if isinstance(entity, dict) else None
    if not isinstance(name, str):
        yield ValueError('it is not an entity of NGSI-LD; expected an object with an "id"')
        return
    types = entity.get("type", entity.get("@type", []))
    observed: dict[str, dict[str, list[Any]]] = {}
    for attribute, instances in entity.items():
        if attribute in _NO_ATTRIBUTES:
            continue
        for each in instances if isinstance(instances, list) else [instances]:
            try:
                at, values = _observed(each)
                observed.setdefault(at, {}).setdefault(attribute, []).extend(values)
            except ValueError as error:
                yield ValueError(f"the attribute {attribute} of {name} {error}")
    contexts = [{"@vocab": VOCABULARY}, *_several(entity.get("@context", context) or [])]
    for at in sorted(observed, key=lambda at: _order(at, zone)):
        graph = {"@id": name, "@type": types, **observed[at]}
        yield json.dumps(
            {
                "@context": contexts,
                "@id": f"urn:observed:{quote(at, safe='', errors='replace')}",
                "@graph": [graph],
            }
        ).encode()


def _order(at: str, zone: tzinfo) -> float:
    """Return the tick of a time; infinity for a malformed one, which the reader of graphs refuses."""
    try:
        time = parse_timestamp(at, zone, on_cut=str)
        return ticks_of(time, kind_of(time))
    except TimestampError:
        return inf


def _observed(attribute: Any) -> tuple[str, list[Any]]:
    """Return the time at which an attribute is observed, and its values in JSON-LD.

    Raises:
        ValueError: it is not an attribute with a time.
    """
    if not isinstance(attribute, dict):
        raise ValueError('is not an object with "value" or "object" and "observedAt"')
    at = attribute.get("observedAt")
    if not isinstance(at, str) or not at:
        raise ValueError("has no observedAt")
    if "languageMap" in attribute and isinstance(attribute["languageMap"], dict):
        texts = attribute["languageMap"].items()
        return at, [{"@value": text, "@language": language} for language, text in texts]
    if "object" in attribute:
        return at, [_reference(each) for each in _several(attribute["object"])]
    if "value" in attribute:
        return at, [_literal(each) for each in _several(attribute["value"])]
    raise ValueError("has neither a value nor an object")


def _several(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _reference(value: Any) -> dict[str, str]:
    if not isinstance(value, str) or isinstance(value, _Number):
        raise ValueError("has an object that is not an IRI")
    return {"@id": value}


def _literal(value: Any) -> dict[str, Any]:
    if isinstance(value, _Number):
        if value.removeprefix("-").isdigit():
            return {"@value": str(value), "@type": f"{_XSD}integer"}
        datatype = "decimal" if "e" not in value.lower() and value[-1].isdigit() else "double"
        return {"@value": str(value), "@type": f"{_XSD}{datatype}"}
    if isinstance(value, bool):
        return {"@value": str(value).lower(), "@type": f"{_XSD}boolean"}
    if isinstance(value, str):
        return {"@value": value}
    if isinstance(value, dict) and isinstance(value.get("@value"), str) and value.get("@type") in _TIMES:
        return {"@value": value["@value"], "@type": f"{_XSD}{_TIMES[value['@type']]}"}
    raise ValueError("has a compound value; expected a text, a number, a boolean or a time")
