"""Reads a plan file or a state file, whichever it is."""

from __future__ import annotations

import json
from typing import Any

from cost.resources import Resources
from cost.shape import is_object
from cost.sources.errors import NotReadable
from cost.sources.plan_file import is_plan, read_plan
from cost.sources.state_file import is_state, read_state

__all__ = ["NotReadable", "read_text"]

_HOW = "give the output of `pulumi preview --json --show-sames` or of `pulumi stack export`"


def read_text(text: str, what: str) -> Resources:
    """The resources in the text of a plan or state file. NotReadable says what is wrong; `what` names the file."""
    if not text.strip():
        raise NotReadable(f"{what} is empty; {_HOW}")
    try:
        document: Any = json.loads(text)
    except json.JSONDecodeError as error:
        raise NotReadable(f"{what} is not JSON (line {error.lineno}: {error.msg}); {_HOW}") from None
    except RecursionError:
        raise NotReadable(f"{what} is nested too deeply to be a plan or state; {_HOW}") from None
    if is_plan(document):
        return read_plan(document, what)
    if is_state(document):
        return read_state(document, what)
    names = ", ".join(sorted(map(str, document))[:5]) if is_object(document) else ""
    found = f"an object with {names}" if names else "an empty object" if is_object(document) else "no object"
    raise NotReadable(f"{what} is neither a plan nor a state (found {found}); {_HOW}")
