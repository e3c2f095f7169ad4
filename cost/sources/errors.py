"""What readers raise."""

from __future__ import annotations

__all__ = ["NotReadable"]


class NotReadable(Exception):
    """The user's file cannot be read; the message says what is wrong and what to give instead."""
