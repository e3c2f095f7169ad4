"""Reads a plan file or a state file, detecting which it is."""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from gpucluster.program.readers.ended import Ended, ended_by
from gpucluster.program.readers.errors import NotReadable
from gpucluster.program.readers.plan_file import is_plan, read_plan, read_standing
from gpucluster.program.readers.state_file import is_state, read_state
from gpucluster.program.resources import Resources
from gpucluster.program.values import is_object
from gpucluster.textio.json_text import BadJson, parse

__all__ = ["NotReadable", "Read", "read_file", "read_text"]

_HOW = "give the output of `pulumi preview --json --show-sames` or of `pulumi stack export`"


@dataclass(frozen=True, slots=True)
class Read:
    """A file that was read.

    is_plan: whether its steps show the effect on existing resources: `ended`.
    standing: reads the resources that exist before the update, as far as a plan's steps show them.
    """

    resources: Resources
    is_plan: bool
    ended: tuple[Ended, ...] = ()
    standing: Callable[[], Resources] = field(default=lambda: Resources([]), repr=False, compare=False)


def read_text(text: str, what: str) -> Resources:
    """The resources in the text of a plan or state file. NotReadable describes a problem; `what` names the file."""
    return read_file(text, what).resources


def read_file(text: str, what: str) -> Read:
    """The same, with the plan's deletions and replacements."""
    with _uncollected():
        return _read(_document(text, what), what)


def _read(document: Any, what: str) -> Read:
    if is_plan(document):
        return Read(read_plan(document, what), True, ended_by(document), partial(read_standing, document, what))
    if is_state(document):
        return Read(read_state(document, what), False)
    names = ", ".join(sorted(map(str, document))[:5]) if is_object(document) else ""
    found = f"an object with {names}" if names else "an empty object" if is_object(document) else "no object"
    raise NotReadable(f"{what} is neither a plan nor a state (found {found}); {_HOW}")


@contextmanager
def _uncollected() -> Generator[None]:
    """Without garbage collection, which would scan the read data repeatedly: all of it is kept."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _document(text: str, what: str) -> Any:
    if not text.strip():
        raise NotReadable(f"{what} is empty; {_HOW}")
    try:
        return parse(text)
    except BadJson as error:
        raise NotReadable(f"{what} {error}; {_HOW}") from None
