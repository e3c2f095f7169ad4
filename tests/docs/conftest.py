"""The wheel as a user gets it, for the commands of the pages."""

from __future__ import annotations

from tests.packaging.conftest import source, wheel

__all__ = ["source", "wheel"]
