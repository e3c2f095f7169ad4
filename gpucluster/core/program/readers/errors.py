"""Exceptions of the readers."""

from __future__ import annotations

from gpucluster.errors import InputError


class NotReadable(InputError):
    """The user's file cannot be read; the message describes the problem and the expected input."""
