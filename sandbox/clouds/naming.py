"""Random names and ids, reproducible from the engine's seed if it sends one."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from typing import Any, Final

from gpucluster.sandbox.type_guards import items

DEFAULTS_KEY: Final = "__defaults"
"""Input in which the bridged providers list the properties with their own defaults."""


def random_hex(length: int) -> str:
    """`length` random hexadecimal digits."""
    return secrets.token_hex((length + 1) // 2)[:length]


def hex_suffix(seed: bytes, length: int) -> str:
    """`length` hexadecimal digits from the engine's random seed; random without a seed.

    The engine sends one seed per resource in each Check of an operation, so that a preview and the following update
    have the same name.
    """
    return hashlib.sha256(seed).hexdigest()[:length] if seed else random_hex(length)


def is_generated(inputs: Mapping[str, Any], prop: str) -> bool:
    """Whether the provider, not the program, chose this input."""
    return prop in items(inputs.get(DEFAULTS_KEY))
