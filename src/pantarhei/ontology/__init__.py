"""Loaded ontologies: rules and background, the report of axioms, and entailment."""

from pantarhei.ontology.ontology import Ontology, load_ontology

__all__ = ["Ontology", "load_ontology"]
