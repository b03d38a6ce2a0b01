"""The operators of the algebra, evaluated by column."""
