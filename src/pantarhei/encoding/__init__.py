"""Dictionary encoding: terms to numbers and back, facts as rows of numbers."""
