"""Terms to numbers and back: the types of facts as numbers, and what the numbers mean."""
