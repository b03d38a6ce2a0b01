"""Readers of tables, block by block: CSV, JSON, Parquet, and objects with Arrow's C stream interface."""
