"""Readers: each turns one form of a stack into `cost.resources.Resources`.

`plan_file` and `state_file` read what the engine writes, `program` sees the running program. `read_text` tells the two
files apart.
"""

from __future__ import annotations

from gpucluster.cost.sources.files import NotReadable, read_text

__all__ = ["NotReadable", "read_text"]
