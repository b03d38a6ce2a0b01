"""Slow, literal definitions of what the engine computes: its oracle in tests.

Each module states one notion as its source defines it, by naive fixpoints and by enumeration of subsets, and
shares nothing with the engine but `pantarhei.language` and `pantarhei.errors`. Import from the modules:
`closure` (OWL 2 RL materialization), `window` (canonical window models), `conflicts` (conflict sets),
`repairs` (window repairs). All of them compare literals by value and answer in the canonical literals of
`canonical`.
"""
