"""Stream reasoning with OWL 2 RL: a sliding window's materialization, kept up incrementally and repaired newest-wins."""

__version__ = "0.1.0"
