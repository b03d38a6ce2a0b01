"""Foundation of rules and background, and canonical models of single ABoxes built on it (PB26 Def. 8)."""
