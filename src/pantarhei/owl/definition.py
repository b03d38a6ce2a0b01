"""Datatype definitions put in the place of the names they define."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from rdflib import URIRef

from pantarhei.owl import axiom as owl
from pantarhei.owl.axiom import Axiom, DataRange
from pantarhei.owl.expression import parts, rewritten

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

    def inlined(part: object) -> object:
        match part:
            case owl.Datatype(iri):
                return definitions.get(iri, part)
            case owl.DatatypeRestriction(datatype):
                base = definitions.get(datatype.iri)
                return replace(part, datatype=base) if isinstance(base, owl.Datatype) else part
        return None

    return rewritten(value, inlined) if definitions else value
