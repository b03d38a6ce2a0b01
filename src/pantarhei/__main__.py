"""Entry point of `python -m pantarhei`, the command line."""

from pantarhei.cli import main

main()
