"""A client of GitHub's REST API: pages, limits, and errors with the change to make."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import requests

from gpucluster.core.program.values import is_list, is_object
from gpucluster.errors import Exit, Fault

_TRIES: Final = 4
_LONGEST_WAIT: Final = 120
"""Maximum total seconds of waiting for a limit; a run that waits longer costs more than a restart."""

_TIMEOUT: Final = 30
_MOST_PAGES: Final = 100


class ApiError(Fault):
    """GitHub did not fulfil a request; the message contains the request and the reason."""


class Forbidden(ApiError):
    """The token has no permission for it."""

    exit_code = Exit.INPUT


class Api:
    """
    url: of the API, `https://api.github.com` or that of a server.
    repository: `owner/name`.
    token: of the workflow; sent only to `url`.
    wait: sleeps for seconds. now: seconds since the epoch.
    """

    def __init__(
        self,
        url: str,
        repository: str,
        token: str,
        *,
        wait: Callable[[float], None] = time.sleep,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._url = f"{url.rstrip('/')}/repos/{repository}"
        self._origin = url.rstrip("/")
        self._wait, self._now = wait, now
        self._session = requests.Session()
        self._session.trust_env = False
        self._session.headers.update(
            {
                "Accept": "application/vnd.github+json",
                "Authorization": f"Bearer {token}",
                "X-GitHub-Api-Version": "2022-11-28",
            }
        )

    def get(self, path: str, **parameters: str) -> Mapping[str, Any]:
        """One object."""
        return _object(self._ask("GET", f"{self._url}{path}", parameters=parameters))

    def pages(self, path: str, **parameters: str) -> Iterator[Mapping[str, Any]]:
        """Every item of a list, page after page."""
        url: str | None = f"{self._url}{path}"
        parameters = {**parameters, "per_page": "100"}
        for _ in range(_MOST_PAGES):
            if url is None:
                return
            answer = self._ask("GET", url, parameters=parameters)
            found = answer.json()
            if not is_list(found):
                raise ApiError(f"GET {path}: GitHub's answer is not a list")
            yield from (item for item in found if is_object(item))
            url, parameters = answer.links.get("next", {}).get("url"), {}
            if url is not None and not url.startswith(f"{self._origin}/"):
                raise ApiError(f"GET {path}: the next page is at another server")

    def post(self, path: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Creates an object."""
        return _object(self._ask("POST", f"{self._url}{path}", body=body))

    def patch(self, path: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Changes an object."""
        return _object(self._ask("PATCH", f"{self._url}{path}", body=body))

    def _ask(
        self,
        method: str,
        url: str,
        *,
        parameters: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> requests.Response:
        """The answer to one request. Requests that GitHub refuses for a limit, or temporarily cannot serve, are
        retried.

        A POST is retried only if it was refused: after a fault it is unknown whether it was executed.
        """
        what = f"{method} {url.removeprefix(self._origin)}"
        waited = 0.0
        problem = ""
        for number in range(1, _TRIES + 1):
            pause = float(2**number)
            try:
                answer = self._session.request(
                    method, url, params=parameters, json=body, timeout=_TIMEOUT, allow_redirects=False
                )
            except requests.RequestException as error:
                problem = f"{what}: no answer ({type(error).__name__})"
                again = method != "POST"
            else:
                if answer.status_code in (200, 201):
                    return answer
                problem = f"{what}: {answer.status_code}: {_message(answer)}"
                limited = self._pause(answer)
                if limited is None and answer.status_code in (401, 403, 404):
                    raise Forbidden(f"{problem}; the token needs `pull-requests: write` in this repository")
                pause = pause if limited is None else limited
                again = limited is not None or (answer.status_code >= 500 and method != "POST")
            waited += pause
            if not again or number == _TRIES or waited > _LONGEST_WAIT:
                break
            self._wait(pause)
        raise ApiError(problem)

    def _pause(self, answer: requests.Response) -> float | None:
        """Seconds until a limit ends; None if another reason caused the refusal."""
        headers = answer.headers
        if answer.status_code not in (403, 429):
            return None
        if (after := headers.get("retry-after", "")).isdigit():
            return float(after)
        if headers.get("x-ratelimit-remaining") == "0" and (reset := headers.get("x-ratelimit-reset", "")).isdigit():
            return max(float(reset) - self._now(), 1.0)
        limited = answer.status_code == 429 or "rate limit" in _message(answer).lower()
        return 60.0 if limited else None


def _object(answer: requests.Response) -> Mapping[str, Any]:
    found = answer.json()
    if not is_object(found):
        raise ApiError(f"{answer.request.method} {answer.request.path_url}: GitHub's answer is not an object")
    return found


def _message(answer: requests.Response) -> str:
    """GitHub's own message, cut to a line."""
    try:
        found = answer.json()
    except ValueError:
        return "no reason given"
    words = [str(found.get("message", ""))] if is_object(found) else []
    errors = found.get("errors") if is_object(found) else None
    words += [str(item.get("message", item) if is_object(item) else item) for item in errors] if is_list(errors) else []
    return " ".join(" ".join(filter(None, words)).split())[:300] or "no reason given"


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
    there = _existing(api, pull, author)
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


def _existing(api: Api, pull: Pull, author: str) -> tuple[int, Marker, str] | None:
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
