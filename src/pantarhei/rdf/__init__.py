"""RDF input: parsers, terms and triples by column, and guards against hostile documents."""
