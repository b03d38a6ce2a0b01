"""Where the stages of a step meet: history, ticks, limits, compaction and checkpoints of one reasoner."""
