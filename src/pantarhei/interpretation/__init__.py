"""Foundation of rules and background, and canonical models of single ABoxes on it (PB26 Def. 8)."""
