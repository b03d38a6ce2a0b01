"""Other reasoners on the same work, each in a process of its own.

`process` runs them in turns with ours, `answers` compares what they found, `datalog` writes our rules in
their languages; the modules named after a reasoner are what runs in its process: `python -m bench.peers.nemo
JOB`.
"""
