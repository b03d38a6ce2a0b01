"""Proofs: extraction from lineages, and rendering as text, JSON, RDF and pictures."""
