"""Mutated files of others for every command that reads some: no traceback, no hang, no code but the documented ones,
and nothing that a terminal, a page or a forge would obey.

`make fuzz` runs 20,000 cases. A case follows from the seed and its number: `python -m tests.fuzz --only NUMBER` runs
one again, prints its command, and leaves its file where something is wrong.
"""
