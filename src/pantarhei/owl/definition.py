"""Datatype definitions put in the place of the names they define."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import TypeVar, cast

from rdflib import URIRef

from pantarhei.owl import axiom as owl
from pantarhei.owl.axiom import Axiom, DataRange
from pantarhei.owl.expression import parts

T = TypeVar("T")


def datatype_definitions(axioms: Iterable[Axiom]) -> dict[URIRef, DataRange]:
    """What each defined datatype is, in terms of datatypes that are not defined.

    Of several definitions of one datatype the first counts, and none that leads back to itself.

    >>> from rdflib import XSD
    >>> name, integer = owl.Datatype(URIRef("urn:x/count")), owl.Datatype(XSD.integer)
    >>> {str(n): str(r) for n, r in datatype_definitions([owl.DatatypeDefinition(name, integer)]).items()}
    {'urn:x/count': 'integer'}
    """
    written: dict[URIRef, DataRange] = {}
    for axiom in axioms:
        if isinstance(axiom, owl.DatatypeDefinition):
            written.setdefault(axiom.datatype.iri, axiom.range)
    resolved: dict[URIRef, DataRange] = {}
    for name in written:
        _resolve(name, written, resolved, ())
    return resolved


def _resolve(
    name: URIRef,
    written: Mapping[URIRef, DataRange],
    resolved: dict[URIRef, DataRange],
    above: tuple[URIRef, ...],
) -> bool:
    """Whether `name` is, or could be, resolved."""
    if name in resolved or name not in written:
        return True
    if name in above:
        return False
    needed = [part.iri for part in parts(written[name]) if isinstance(part, owl.Datatype)]
    if not all(_resolve(other, written, resolved, (*above, name)) for other in needed):
        return False
    resolved[name] = inline_datatypes(written[name], resolved)
    return True


def data_ranges(value: object) -> Iterator[DataRange]:
    """The outermost data ranges in an axiom or expression."""
    return (part for part in parts(value, whole=DataRange) if isinstance(part, DataRange))


def inline_datatypes(value: T, definitions: Mapping[URIRef, DataRange]) -> T:
    """An axiom or expression with each defined datatype replaced by what it is.

    But in a restriction it stays unless it is another name of a datatype: OWL 2 has no facets for what is
    defined (structural specification, section 9.4).
    """
    if not definitions:
        return value
    if isinstance(value, owl.Datatype):
        return cast(T, definitions.get(value.iri, value))
    if isinstance(value, owl.DatatypeRestriction):
        base = inline_datatypes(cast(DataRange, value.datatype), definitions)
        return cast(T, replace(value, datatype=base)) if isinstance(base, owl.Datatype) else value
    if isinstance(value, tuple):
        return cast(T, tuple(inline_datatypes(part, definitions) for part in value))
    if is_dataclass(value) and not isinstance(value, type):
        changed = {
            f.name: new
            for f in fields(value)
            if (new := inline_datatypes(old := getattr(value, f.name), definitions)) is not old
        }
        return cast(T, replace(value, **changed)) if changed else value
    return value
