"""Engine: the state of a reasoner or a graph, its steps, consumers and checkpoints."""
