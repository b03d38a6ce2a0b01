"""What a pattern is matched against: the facts of the window, or of any graph, as columns of numbers."""
