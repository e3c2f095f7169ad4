"""Finds the pull request of a run from the event, never from the code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gpucluster.program.values import is_object
from gpucluster.pull_request.github.api import Api


@dataclass(frozen=True, kw_only=True)
class Origin:
    """The origin of a run: `owner/name` of its code's repository, the branch, and the commit."""

    repository: str
    branch: str
    commit: str


@dataclass(frozen=True, kw_only=True)
class Pull:
    """A pull request of the repository."""

    number: int


def find_pull(api: Api, origin: Origin) -> Pull | None:
    """The open pull request whose head is exactly that commit; None if there is none any more."""
    owner = origin.repository.partition("/")[0]
    for item in api.pages("/pulls", state="open", head=f"{owner}:{origin.branch}"):
        head = _part(item, "head")
        same_repository = str(_part(head, "repo").get("full_name")).lower() == origin.repository.lower()
        if same_repository and head.get("sha") == origin.commit and isinstance(item.get("number"), int):
            return Pull(number=item["number"])
    return None


def head_of(api: Api, pull: Pull) -> str:
    """The current commit of a pull request."""
    return str(_part(api.get(f"/pulls/{pull.number}"), "head").get("sha"))


def changed_files(api: Api, pull: Pull) -> list[str]:
    """Paths that a pull request changes, including old paths of moved files."""
    found: list[str] = []
    for item in api.pages(f"/pulls/{pull.number}/files"):
        found += [str(item[key]) for key in ("filename", "previous_filename") if item.get(key)]
    return found


def _part(item: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = item.get(key)
    return found if is_object(found) else {}
