"""A program that runs beside the API server of a cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Controller:
    """name: of its log too. environment: beside PATH. ready: the port whose /readyz answers once it works.

    folder: that it runs in; that of its log where it is left out.
    """

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    ready: int | None = None
    folder: str | None = None
