"""Why something holds: the rule instances behind a fact in, proofs out."""
