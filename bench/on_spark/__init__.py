"""Benchmarks of `pantarhei.spark`: executors, the driver's part, micro-batches.

python -m bench.on_spark [--only NAME] [--quick] [--no-write]
"""
