"""Compilation of rules to the programs that the kernel's join machine runs."""
