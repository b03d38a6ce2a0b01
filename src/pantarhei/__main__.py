"""`python -m pantarhei` is `pantarhei`."""

from pantarhei.cli import main

main()
