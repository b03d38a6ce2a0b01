"""One ABox closed by itself: the foundation that all rest on, and canonical models on it (PB26 Def. 8)."""
