"""Published ontologies in functional syntax, as py-horned-owl writes them, say what they say in N-Triples."""

from __future__ import annotations

from pathlib import Path

import pytest
from rdflib import Graph

from pantarhei.owl.axiom_mapping import read_axioms
from pantarhei.owl.document import read_document

FOLDER = Path(__file__).resolve().parents[2].parent / "shared" / "conformance" / "ontologies"
# Of these that library reads everything; of others it leaves out axioms, or refuses them.
NAMES = ("bfo2", "dul", "pizza", "prov", "saref")
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason=f"no ontologies in {FOLDER}")


def axioms(path):
    return {str(axiom) for axiom in read_axioms(read_document(path).triples).axioms}


@pytest.mark.parametrize("name", NAMES)
def test_an_ontology_in_functional_syntax_has_the_same_axioms(name, tmp_path):
    library = pytest.importorskip(
        "pyhornedowl", reason="py-horned-owl is not installed: pantarhei[manchester]"
    )
    written = Graph().parse(FOLDER / f"{name}.nt").serialize(format="xml")
    components = library.open_ontology_from_string(written, "rdf").get_components()
    texts = [text for text in map(str, components) if not text.startswith("<")]
    path = tmp_path / "a.owl"
    path.write_text("\n".join(["Ontology(<http://example.org/o>", *texts, ")"]), "utf-8")
    assert axioms(path) == axioms(FOLDER / f"{name}.nt")
