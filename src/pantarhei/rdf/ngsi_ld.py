"""NGSI-LD entities as JSON-LD documents with named graphs: one for each time of attributes.

An attribute with its value is one statement about the entity, timed at its `observedAt`; so is the entity's
type. What is said of an attribute besides (units, datasets, attributes of its own) is not asserted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final
from urllib.parse import quote

VOCABULARY: Final = "https://uri.etsi.org/ngsi-ld/default-context/"
"""What the names of attributes and types begin with that no context maps."""
_XSD: Final = "http://www.w3.org/2001/XMLSchema#"
_TIMES: Final = {"DateTime": "dateTime", "Date": "date", "Time": "time"}
_NO_ATTRIBUTES: Final = frozenset(
    {"@context", "id", "@id", "type", "@type", "scope", "createdAt", "modifiedAt", "deletedAt", "expiresAt"}
)


class _Number(str):
    """A number as it is written."""


_DECODER = json.JSONDecoder(parse_int=_Number, parse_float=_Number, parse_constant=_Number)


def timed_graphs(document: bytes) -> Iterator[bytes | ValueError]:
    """The documents that entities are, in the order of their times, and what of them is left out.

    Args:
        document: an entity, or a notification with several.

    >>> error, *graphs = timed_graphs(b'''{"id": "urn:s", "type": "Sensor",
    ...     "warm": {"type": "Property", "value": 21.5, "observedAt": "2026-03-02T10:00:00Z"},
    ...     "name": {"type": "Property", "value": "s"}}''')
    >>> len(graphs), str(error)
    (1, 'the attribute name of urn:s has no observedAt')
    """
    try:
        value = _DECODER.decode(document.decode())
    except (ValueError, RecursionError) as error:
        yield ValueError(f"it is no JSON: {error}")
        return
    data = value.get("data") if isinstance(value, dict) else None
    for each in data if isinstance(data, list) else [value]:
        context = value.get("@context") if isinstance(each, dict) and "@context" not in each else None
        yield from _of_entity(each, context)


def _of_entity(entity: Any, context: Any) -> Iterator[bytes | ValueError]:
    name = (entity.get("id") or entity.get("@id")) if isinstance(entity, dict) else None
    if not isinstance(name, str):
        yield ValueError('it is no entity of NGSI-LD, which has an "id"')
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
    for at in sorted(observed, key=_order):
        graph = {"@id": name, "@type": types, **observed[at]}
        yield json.dumps(
            {
                "@context": contexts,
                "@id": f"urn:observed:{quote(at, safe='')}",
                "@graph": [graph],
            }
        ).encode()


def _order(at: str) -> tuple[float, str]:
    try:
        return datetime.fromisoformat(at).timestamp(), at
    except (ValueError, OverflowError):
        return float("inf"), at


def _observed(attribute: Any) -> tuple[str, list[Any]]:
    """When an attribute is observed, and its values in JSON-LD.

    Raises:
        ValueError: it is no attribute with a time.
    """
    if not isinstance(attribute, dict):
        raise ValueError('is no object with "value" or "object" and "observedAt"')
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
        raise ValueError("has an object that is no IRI")
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
    raise ValueError("has a compound value, which is no literal")
