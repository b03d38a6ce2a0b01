"""Tables a block of rows at a time: CSV, JSON lines, Parquet, and what speaks Arrow."""
