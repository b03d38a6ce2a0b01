"""`owl:imports`, resolved from the catalog that the caller gives, and from the one beside the importing file.

Who wrote an ontology may have written the catalog beside it: that one is used for files in its folder only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from rdflib import OWL, RDF, URIRef

from pantarhei.errors import MissingImportError, OptionError
from pantarhei.model.term import Triple
from pantarhei.owl.catalog_file import CATALOG_NAME, names_in, read_catalog, why_not_in
from pantarhei.owl.document import Document, read_document
from pantarhei.owl.document_format import SUFFIXES
from pantarhei.owl.sources import sources_of


@dataclass(frozen=True, slots=True)
class Imports:
    """Where imports are found, and whether a missing one is skipped.

    Args:
        files: from ontology IRI to path.
        folder: a folder in which a file may be named after the last part of the IRI, or a catalog names it.
    """

    files: Mapping[str, Path] = field(default_factory=dict)
    folder: Path | None = None
    skip_missing: bool = False

    @classmethod
    def of(cls, catalog: Mapping[str, str | Path] | str | Path | None, skip_missing: bool = False) -> Imports:
        """The imports of a catalog as the caller gives it.

        Raises:
            MalformedInputError, MissingFileError: as `read_catalog`.
            OptionError: it is no catalog.
        """
        if isinstance(catalog, str | Path) and Path(catalog).is_dir():
            return cls({}, Path(catalog), skip_missing)
        if isinstance(catalog, str | Path) and Path(catalog).is_file():
            return cls(read_catalog(Path(catalog)), None, skip_missing)
        given = {} if catalog is None else catalog
        if not isinstance(given, Mapping):
            expected = f"a folder, an XML catalog ({CATALOG_NAME}), or in Python a mapping from IRIs to paths"
            raise OptionError("catalog", repr(str(given)), expected)
        return cls({str(iri): Path(path) for iri, path in given.items()}, None, skip_missing)


class WrittenAt(NamedTuple):
    """Where something is written: the file, None for an object; and the line, None if its syntax has none."""

    source: str | None
    line: int | None


@dataclass(frozen=True, slots=True)
class DocumentSet:
    """Documents with all they import, and the imports skipped.

    Args:
        triples: those of all documents, each once.
        documents: those that were asked for first.
        asked: how many were asked for.
    """

    triples: tuple[Triple, ...]
    documents: tuple[Document, ...]
    skipped: tuple[str, ...]
    asked: int = 1

    @property
    def prefixes(self) -> Mapping[str, str]:
        """The prefixes of what was asked for; of two meanings the first."""
        asked = reversed(self.documents[: self.asked])
        return {prefix: iri for document in asked for prefix, iri in document.prefixes.items()}

    def with_documents(self, further: Iterable[Document]) -> DocumentSet:
        """The same with further documents; what they import and no document is, is skipped."""
        added = tuple(further)
        documents = (*self.documents, *added)
        known = {name for document in documents for name in _ontology_names(document.triples)}
        missing = (iri for document in added for iri in _imported(document.triples) if iri not in known)
        return DocumentSet(
            tuple(dict.fromkeys(chain(self.triples, *(document.triples for document in added)))),
            documents,
            tuple(dict.fromkeys((*self.skipped, *missing))),
            self.asked,
        )

    @property
    def sources(self) -> tuple[str, ...]:
        """The files among the documents."""
        return tuple(document.source for document in self.documents if document.source is not None)

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
    """The triples of `source`, one document or several, and of everything they import; each is read once.

    Raises:
        MissingImportError: an import is in no catalog, and missing ones are not skipped.
        MissingFileError, OptionError: as `sources_of`.
    """
    asked = [(each, read_document(each, format)) for each in sources_of(source)]
    documents = [document for _, document in asked]
    waiting: list[tuple[str, Path | None]] = [
        (iri, each if isinstance(each, Path) else None)
        for each, document in asked
        for iri in _imported(document.triples)
    ]
    seen = {name for document in documents for name in _ontology_names(document.triples)}
    skipped, finder = list[str](), _Finder(imports)
    while waiting:
        iri, importing = waiting.pop(0)
        if iri in seen:
            continue
        seen.add(iri)
        path = finder.find(iri, importing)
        if path is None:
            if not imports.skip_missing:
                name = "the given graph" if importing is None else str(importing)
                raise MissingImportError(iri, name, finder.problem(iri, importing))
            skipped.append(iri)
            continue
        document = read_document(path)
        documents.append(document)
        waiting += [(further, path) for further in _imported(document.triples)]
    triples = documents[0].triples
    if len(documents) > 1:
        triples = tuple(dict.fromkeys(chain.from_iterable(document.triples for document in documents)))
    return DocumentSet(triples, tuple(documents), tuple(skipped), len(asked))


# A look-up in a set compares terms that are alike only; `==` of rdflib's terms costs three times as much.
_IMPORTS = frozenset({OWL.imports})
_ONTOLOGY = frozenset({OWL.Ontology})


def _imported(triples: Iterable[Triple]) -> list[str]:
    return [str(o) for _, p, o in triples if p in _IMPORTS and isinstance(o, URIRef)]


def _ontology_names(triples: Iterable[Triple]) -> set[str]:
    return {str(s) for s, p, o in triples if o in _ONTOLOGY and p == RDF.type}


class _Finder:
    """Finds imports; each catalog beside a file is read once, when first something is not found elsewhere."""

    def __init__(self, imports: Imports) -> None:
        self._imports = imports
        self._beside: dict[Path, Mapping[str, Path]] = {}

    def find(self, iri: str, importing: Path | None) -> Path | None:
        """The file of an imported ontology; None if it is in no catalog."""
        if iri in self._imports.files:
            return self._imports.files[iri]
        found, folder = None, self._imports.folder
        if folder is not None:
            found = _named_after(iri, folder) or self._in_catalog_in(folder).get(iri)
        if found is None and importing is not None:
            found = self._in_catalog_in(importing.parent).get(iri)
        return found

    def problem(self, iri: str, importing: Path | None) -> str:
        """Why an imported ontology is not found."""
        folders = (self._imports.folder, None if importing is None else importing.parent)
        names = list(self._imports.files)
        for folder in folders:
            catalog = None if folder is None else folder / CATALOG_NAME
            if catalog is not None and catalog.is_file():
                if (said := why_not_in(catalog, iri)) is not None:
                    return said
                names += names_in(catalog)
        near = next((name for name in names if _without_ends(name) == _without_ends(iri)), None)
        return "is in no catalog" if near is None else f"is in no catalog; there is <{near}>, another name"

    def _in_catalog_in(self, folder: Path) -> Mapping[str, Path]:
        if folder not in self._beside:
            catalog = folder / CATALOG_NAME
            self._beside[folder] = read_catalog(catalog, within=folder) if catalog.is_file() else {}
        return self._beside[folder]


def _without_ends(iri: str) -> str:
    """An IRI as people confuse it with others: without its scheme, and without a mark at its end."""
    return iri.partition("://")[2].rstrip("/#")


def _named_after(iri: str, folder: Path) -> Path | None:
    name = iri.rstrip("/#").replace("#", "/").rsplit("/", 1)[-1]
    candidates = (folder / (name + suffix) for suffix in ("", *SUFFIXES))
    return next((path for path in candidates if name and path.is_file()), None)
