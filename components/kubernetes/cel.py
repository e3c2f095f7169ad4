"""Words of CEL, the language of admission policies. Imports no Pulumi."""

from __future__ import annotations

import json
from collections.abc import Sequence


def text(value: str) -> str:
    """A string."""
    return f"'{value}'"


def texts(values: Sequence[str]) -> str:
    """A list of strings."""
    return json.dumps(list(values)).replace('"', "'")


def starts(variable: str, prefixes: Sequence[str]) -> str:
    """Whether a variable starts with one of some prefixes."""
    return " || ".join(f"{variable}.startsWith({text(prefix)})" for prefix in prefixes)
