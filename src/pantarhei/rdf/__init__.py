"""Bytes and terms in, triples out: reading RDF, and the guards against hostile bytes."""
