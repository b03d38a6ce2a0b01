"""Running service: reads messages from brokers into a journal, drives a reasoner, and writes its changes to
sinks.

`writer` owns the reasoner and the journal; `reader` replays the journal in a process of its own and answers
HTTP requests. docs/service.md describes the guarantees.
"""
