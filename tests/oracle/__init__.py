"""Slow, literal definitions of what the engine computes: its oracle in tests.

Each module states one notion as its source defines it, by naive fixpoints and by enumeration of subsets.
They share nothing with the engine but `pantarhei.model`, `pantarhei.values` and `pantarhei.errors`.
Import from the modules: `materialization` (OWL 2 RL), `window` (canonical window models), `conflicts`
(conflict sets), `window_repair`, `explanations` (supports, proofs, reasons for absence); these compare
literals by value and answer in the literals of `canonical_literals`. And `answers` (SPARQL), which compares
by value and shows the forms that the data have, and `continuous` (windows and reports of continuous queries),
which takes facts and rows of any kind. And `lars` (temporal rules), which answers in canonical literals too,
and `datalog_mtl`, another reading of rules whose conclusions are all remembered.
"""
