"""Proofs in the format that options of `pantarhei explain` choose."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rdflib import Graph

from pantarhei.cli.run_options import Explaining
from pantarhei.proofs.notebook import html_page

if TYPE_CHECKING:
    import pantarhei as pr


def written(proofs: tuple[pr.Proof, ...], options: Explaining) -> str:
    """Write proofs in the format of the options."""
    match options.form:
        case "json":
            said = [proof.to_json() for proof in proofs]
            return json.dumps(said if options.all else said[0], ensure_ascii=False, indent=2) + "\n"
        case "rdf":
            graph = Graph()
            for proof in proofs:
                one = proof.to_rdf()
                for prefix, iri in one.namespaces():
                    graph.bind(prefix, iri)
                graph += one
            return graph.serialize(format="turtle")
        case "dot":
            return "".join(proof.to_dot() for proof in proofs)
        case "svg":
            return proofs[0].to_svg() + "\n"
        case "html":
            return html_page(options.triple, proofs)
    return "\n".join(_texts(proofs))


def _texts(proofs: tuple[pr.Proof, ...]) -> Iterator[str]:
    for number, proof in enumerate(proofs, 1):
        if len(proofs) > 1:
            yield f"Explanation {number} of {len(proofs)}"
        yield f"{proof}\n"
