"""Measurements of the engine: `python -m bench`.

A workload is a module with a function `measure(quick)` that gives figures; `measuring` says how times are
taken, `engine` which ways into the engine there are, `report` what becomes of the figures. Every answer is
checked before its time counts.
"""
