"""The one comment on a pull request: created once, updated in place, unchanged if equal or newer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from gpucluster.program.values import is_object
from gpucluster.pull_request.github.api import Api
from gpucluster.pull_request.github.pulls import Pull, head_of

Posted = Literal["created", "updated", "unchanged", "outdated"]
"""`outdated`: the pull request has a newer commit, or a newer run has commented; nothing was changed."""

_MARKER: Final = re.compile(r"<!-- gpucluster pr-check head=([0-9a-f]{40,64}) run=(\d{1,20})\.(\d{1,9}) -->\s*\Z")


@dataclass(frozen=True, kw_only=True)
class Marker:
    """The last, invisible line of the comment: its commit, and the run that wrote it."""

    head: str
    run: int
    attempt: int = 1

    def __str__(self) -> str:
        return f"<!-- gpucluster pr-check head={self.head} run={self.run}.{self.attempt} -->"

    @classmethod
    def of(cls, text: str) -> Marker | None:
        """The marker at the end of a comment; None for a comment that is not ours."""
        found = _MARKER.search(text)
        return found and cls(head=found[1], run=int(found[2]), attempt=int(found[3]))


def post(api: Api, pull: Pull, text: str, marker: Marker, *, author: str) -> Posted:
    """Writes the comment. author: the allowed author of the existing one; others can write a marker, too."""
    there = _ours(api, pull, author)
    if head_of(api, pull) != marker.head or (there is not None and _newer(there[1], marker)):
        return "outdated"
    body = {"body": f"{text}\n\n{marker}"}
    if there is None:
        api.post(f"/issues/{pull.number}/comments", body)
        return "created"
    number, _, shown = there
    if _without_marker(shown) == text.strip():
        return "unchanged"
    api.patch(f"/issues/comments/{number}", body)
    return "updated"


def _ours(api: Api, pull: Pull, author: str) -> tuple[int, Marker, str] | None:
    """Number, marker and text of the existing comment."""
    for item in api.pages(f"/issues/{pull.number}/comments"):
        marker = Marker.of(str(item.get("body", "")))
        if marker is not None and _login(item) == author and isinstance(item.get("id"), int):
            return item["id"], marker, str(item["body"])
    return None


def _newer(old: Marker, new: Marker) -> bool:
    """Whether the existing comment is about the same commit and from a later run."""
    return old.head == new.head and (old.run, old.attempt) > (new.run, new.attempt)


def _without_marker(text: str) -> str:
    return _MARKER.sub("", text.replace("\r\n", "\n")).strip()


def _login(item: Mapping[str, Any]) -> str:
    user = item.get("user")
    return str(user.get("login")) if is_object(user) else ""
