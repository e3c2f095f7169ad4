"""Random names and ids, the same again for the same seed where the engine gives one."""

from __future__ import annotations

import hashlib
import secrets

__all__ = ["hex_suffix", "random_hex"]


def random_hex(length: int) -> str:
    """`length` random hexadecimal digits."""
    return secrets.token_hex((length + 1) // 2)[:length]


def hex_suffix(seed: bytes, length: int) -> str:
    """`length` hexadecimal digits made from the engine's random seed; random when it gave none.

    The engine sends one seed per resource in each Check of an operation, so that the name of a preview is the name of
    the update that follows.
    """
    return hashlib.sha256(seed).hexdigest()[:length] if seed else random_hex(length)
