"""What literals mean: their values, datatypes, data ranges and built-ins."""
