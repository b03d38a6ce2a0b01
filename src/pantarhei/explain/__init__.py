"""Why something does not hold, and what became of what did: reasons out."""
