"""Rules: normal axioms in, rules and constraints out."""
