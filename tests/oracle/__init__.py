"""Literal, slow definitions of what the engine computes: the oracle of the tests.

Each module implements one definition as its source states it, by naive fixpoints and by enumeration of
subsets. The modules share only `pantarhei.model`, `pantarhei.values` and `pantarhei.errors` with the engine.
They are imported one by one:

- `materialization` (OWL 2 RL), `window` (canonical window models), `conflicts` (conflict sets),
  `window_repair`, `explanations` (supports, proofs, reasons for absence): compare literals by value, and
  return the literals of `canonical_literals`;
- `answers` (SPARQL): compares literals by value, and returns the lexical forms of the data;
- `continuous` (windows and reports of continuous queries): accepts facts and rows of any type;
- `lars` (temporal rules): returns canonical literals too;
- `datalog_mtl`: a second semantics for temporal rules whose conclusions are all remembered.
"""
