"""Random calls of the engine's whole interface, right ones and wrong ones, in a process that may die of them.

Run it from the repository's root:

    PYTHONPATH=tests python -m fuzz --seconds 3600 --seed 0

Case number i of seed s is always the same sequence of calls: what fails is repeated with ``--seed s --case i``.
"""
