"""`owl:imports`, resolved from a catalog the caller gives and from nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from rdflib import OWL, RDF, URIRef

from pantarhei.errors import MissingImportError, OptionError
from pantarhei.language.term import Triple
from pantarhei.owl.document import SUFFIXES, Document, read_document


@dataclass(frozen=True, slots=True)
class Imports:
    """Where imports are found, and whether a missing one is skipped.

    Args:
        files: from ontology IRI to path.
        folders: folders in which a file may be named after the last part of the IRI, or declare the IRI.
    """

    files: Mapping[str, Path] = field(default_factory=dict)
    folder: Path | None = None
    skip_missing: bool = False

    @classmethod
    def of(cls, catalog: Mapping[str, str | Path] | str | Path | None, skip_missing: bool = False) -> Imports:
        """The imports of a catalog as the caller gives it.

        Raises:
            OptionError: it is no catalog.
        """
        if isinstance(catalog, str | Path) and Path(catalog).is_dir():
            return cls({}, Path(catalog), skip_missing)
        given = {} if catalog is None else catalog
        if not isinstance(given, Mapping):
            expected = "a folder, or in Python a mapping from IRIs to paths"
            raise OptionError("catalog", repr(str(given)), expected)
        return cls({str(iri): Path(path) for iri, path in given.items()}, None, skip_missing)


class WrittenAt(NamedTuple):
    """Where something is written: the file, None for an object; and the line, None if its syntax has none."""

    source: str | None
    line: int | None


@dataclass(frozen=True, slots=True)
class DocumentSet:
    """A document with all it imports, and the imports skipped.

    Args:
        triples: those of all documents, each once.
        documents: the document itself first.
    """

    triples: tuple[Triple, ...]
    documents: tuple[Document, ...]
    skipped: tuple[str, ...]

    @property
    def prefixes(self) -> Mapping[str, str]:
        """The prefixes of the document itself."""
        return self.documents[0].prefixes

    def places(self, triples: Iterable[Triple]) -> dict[Triple, WrittenAt]:
        """Where each of these triples is written, by the first document that says it.

        Costs a pass over the documents, unless there is one alone and its syntax has no lines.
        """
        wanted, found = set(triples), dict[Triple, WrittenAt]()
        only, *others = self.documents
        if not others and only.lines is None:
            return dict.fromkeys(wanted, WrittenAt(only.source, None))
        predicates = {predicate for _, predicate, _ in wanted}  # looked up in a fifth of a triple's time
        for document in self.documents:
            for number, triple in enumerate(document.triples):
                if triple[1] in predicates and triple in wanted:
                    wanted.remove(triple)
                    line = None if document.lines is None else document.lines[number]
                    found[triple] = WrittenAt(document.source, line)
        return found


def read_with_imports(source: object, format: str | None, imports: Imports) -> DocumentSet:
    """The triples of `source` and of everything it imports; each document is read once.

    Raises:
        MissingImportError: an import is not in the catalog, and missing ones are not skipped.
    """
    first = read_document(source, format)
    documents = [first]
    name = str(source) if isinstance(source, str | Path) else "the given graph"
    waiting = [(iri, name) for iri in _imported(first.triples)]
    seen: set[str] = _ontology_names(first.triples)
    skipped: list[str] = []
    while waiting:
        iri, importing = waiting.pop(0)
        if iri in seen:
            continue
        seen.add(iri)
        path = _find(iri, imports)
        if path is None:
            if not imports.skip_missing:
                raise MissingImportError(iri, importing)
            skipped.append(iri)
            continue
        document = read_document(path)
        documents.append(document)
        waiting += [(further, str(path)) for further in _imported(document.triples)]
    triples = first.triples
    if len(documents) > 1:
        triples = tuple(dict.fromkeys(chain.from_iterable(document.triples for document in documents)))
    return DocumentSet(triples, tuple(documents), tuple(skipped))


# A look-up in a set compares terms that are alike only; `==` of rdflib's terms costs three times as much.
_IMPORTS = frozenset({OWL.imports})
_ONTOLOGY = frozenset({OWL.Ontology})


def _imported(triples: Iterable[Triple]) -> list[str]:
    return [str(o) for _, p, o in triples if p in _IMPORTS and isinstance(o, URIRef)]


def _ontology_names(triples: Iterable[Triple]) -> set[str]:
    return {str(s) for s, p, o in triples if o in _ONTOLOGY and p == RDF.type}


def _find(iri: str, imports: Imports) -> Path | None:
    if iri in imports.files:
        return imports.files[iri]
    if imports.folder is None:
        return None
    name = iri.rstrip("/#").replace("#", "/").rsplit("/", 1)[-1]
    candidates = (imports.folder / (name + suffix) for suffix in ("", *SUFFIXES))
    return next((path for path in candidates if name and path.is_file()), None)
