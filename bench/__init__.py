"""Benchmarks of the engine: `python -m bench`.

A workload is a module with a function `measure(quick)` that yields figures. `measuring` defines how times are
measured, `engine` the interfaces to the engine that are measured, `report` the output of the figures. A time
counts only if the answer has been checked.
"""
