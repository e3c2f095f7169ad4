"""What readers raise."""

from __future__ import annotations

from gpucluster.errors import InputError


class NotReadable(InputError):
    """The user's file cannot be read; the message says what is wrong and what to give instead."""
