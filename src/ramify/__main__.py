"""``python -m ramify`` is the command ``ramify``."""

from ramify.cli import main

main()
