"""Axioms in normal form to rules and constraints."""
