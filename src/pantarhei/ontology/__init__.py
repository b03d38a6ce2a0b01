"""Loaded ontologies: rules and background, the report of axioms, and entailment."""
