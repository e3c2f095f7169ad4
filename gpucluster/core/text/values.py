"""Plain values as users write them, for messages."""

from __future__ import annotations

import datetime
import re
from typing import Final

PROJECT_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,100}")
"""Names of projects that Pulumi's backends accept. Source: pulumi/pulumi, sdk/go/common/tokens, ValidateProjectName."""
_LONGEST: Final = 60


def shown_value(value: object) -> str:
    """A plain value in YAML notation; mappings and lists are only described."""
    if value is None:
        return "null"
    if isinstance(value, dict):
        return "a mapping" if value else "an empty mapping"
    if isinstance(value, list | tuple):
        return "a list" if value else "an empty list"
    if isinstance(value, bool):
        return str(value).lower()
    return cut(value.isoformat() if isinstance(value, datetime.date) else repr(value))


def cut(text: str) -> str:
    """A text cut to the length for a message."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
