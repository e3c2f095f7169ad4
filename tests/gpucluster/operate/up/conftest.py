"""A copy of the project with a sandbox of its own."""

from __future__ import annotations

from tests.stacks.conftest import project

__all__ = ["project"]
