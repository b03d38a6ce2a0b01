"""OWL input: ontologies as RDF to axioms in normal form, and the admission report."""
