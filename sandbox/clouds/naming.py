"""Random names and ids, the same again for the same seed where the engine gives one."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from typing import Any, Final

from gpucluster.sandbox.type_guards import items

DEFAULTS_KEY: Final = "__defaults"
"""Input under which the bridged providers list the properties they filled in themselves."""


def random_hex(length: int) -> str:
    """`length` random hexadecimal digits."""
    return secrets.token_hex((length + 1) // 2)[:length]


def hex_suffix(seed: bytes, length: int) -> str:
    """`length` hexadecimal digits made from the engine's random seed; random when it gave none.

    The engine sends one seed per resource in each Check of an operation, so that the name of a preview is the name of
    the update that follows.
    """
    return hashlib.sha256(seed).hexdigest()[:length] if seed else random_hex(length)


def is_generated(inputs: Mapping[str, Any], prop: str) -> bool:
    """Whether the provider, not the program, chose this input."""
    return prop in items(inputs.get(DEFAULTS_KEY))
