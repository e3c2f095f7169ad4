"""Builds it: `python -m tests.stacks.older_api_server`."""

from __future__ import annotations

from tests.stacks.older_api_server import build

print(build().folder)
