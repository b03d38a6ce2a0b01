"""Rules without strata: all their answer streams (LA17 Definition 5), by clingo."""
