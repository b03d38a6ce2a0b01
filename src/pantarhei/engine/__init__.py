"""Where the stages of a step meet: books, ticks, limits, compaction and checkpoints of one reasoner."""
