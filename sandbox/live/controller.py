"""A program that runs with the API server of a cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Controller:
    """name: also of its log. environment: in addition to PATH. ready: the port whose /readyz answers when it works.

    folder: its working folder; by default that of its log.
    """

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    ready: int | None = None
    folder: str | None = None
