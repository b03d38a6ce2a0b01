"""The ontology side: RDF in, axioms in normal form and the report of what became of them out."""
