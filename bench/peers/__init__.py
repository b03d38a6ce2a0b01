"""Other reasoners on the same work, each in a process of its own.

`process` runs them in turn with this engine, `answers` compares their results, `datalog` writes our rules in
their languages. The modules named after a reasoner run in its process: `python -m bench.peers.nemo JOB`.
"""
