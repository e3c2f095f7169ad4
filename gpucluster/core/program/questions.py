"""What a plan needs to know, and only an account or the machine that runs `up` can answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Question:
    """about: the kind of the question, by which it is asked; each cloud lists its own. subject: what is asked about, by
    the cloud's own name: a quota's code, a machine type, a role. needed: the amount, with its unit, or the value that
    the plan needs; None if the subject only has to exist. place: region or zone, empty for the whole account. title:
    the subject in a reader's words, if its name says little. details: what the way to ask needs besides.

    note: the sentence of the plan in place of the question until it has been asked; several may share one. decides:
    `up` fails if the answer is no; otherwise it goes on without what is missing.
    """

    about: str
    subject: str
    needed: int | str | None = None
    unit: str = ""
    place: str = ""
    title: str = ""
    details: Mapping[str, str] = field(default_factory=dict[str, str])
    note: str = ""
    decides: bool = True
