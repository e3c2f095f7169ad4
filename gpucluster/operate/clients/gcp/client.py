"""Read-only requests to Google's APIs, with the application default credentials."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from threading import Lock
from typing import Any, Final, TypeVar, cast

import google.auth
import google.auth.credentials
import httplib2
import requests
from google.auth.transport.requests import AuthorizedSession
from googleapiclient import discovery
from googleapiclient.errors import HttpError
from pydantic import BaseModel, ConfigDict, TypeAdapter
from pydantic.alias_generators import to_camel

from gpucluster.errors import Fault

_SECONDS: Final = (5, 20)
"""To connect, and to read."""
_RETRIES: Final = 2
"""After throttling and faults of a service, with growing waits of some seconds."""
_SCOPE: Final = "https://www.googleapis.com/auth/cloud-platform"
_QUESTIONS: Final = frozenset(
    {
        "cloudresourcemanager.projects.testIamPermissions",
        "compute.advice.capacity",
        "compute.advice.calendarMode",
    }
)
"""Methods that read by POST. Sources: Resource Manager API v3 and Compute Engine API v1, discovery documents."""

_Shape = TypeVar("_Shape")


class Reading(BaseModel):
    """Part of an answer, in the names of the API. Whatever else it has is ignored."""

    model_config = ConfigDict(alias_generator=to_camel, frozen=True, strict=False)


class Page(Reading):
    """nextPageToken: of the next page; empty on the last one."""

    next_page_token: str = ""


def credentials_for(project: str) -> Any:
    """The application default credentials. project: its quota pays for requests of a person, whose credentials belong
    to none. Raises DefaultCredentialsError without any.
    """
    for name in ("google.auth", "googleapiclient"):
        # They warn of what is no problem here: a login without its own project, and a retried request.
        logging.getLogger(name).setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found: Any = cast(Any, google.auth).default(scopes=[_SCOPE])[0]
    person = not hasattr(found, "service_account_email")
    with_quota = person and isinstance(found, google.auth.credentials.CredentialsWithQuotaProject)
    return cast(Any, found).with_quota_project(project) if with_quota else found


def session_of(credentials: Any) -> requests.Session:
    """The session of all requests, which adds a token to each."""
    return AuthorizedSession(credentials)


@dataclass(frozen=True, kw_only=True)
class Client:
    """Of one project, for several threads."""

    project: str
    session: requests.Session

    def ask(self, api: str, method: str, shape: type[_Shape], **parameters: Any) -> _Shape:
        """The answer of one request. api: name and version, `compute:v1`. method: `regions.get`. Raises HttpError,
        what google.auth and requests raise, and ValidationError for an answer of another shape.
        """
        request = self._request(api, method, parameters)
        answer = request.execute(http=_Http(self.session), num_retries=_RETRIES)
        return TypeAdapter(shape).validate_python(answer)

    def pages(self, api: str, method: str, shape: type[_Shape], **parameters: Any) -> Iterator[_Shape]:
        """All pages of a list. shape: a Page."""
        return _pages(partial(self.ask, api, method, shape, **parameters))

    def found(self, api: str, method: str, shape: type[_Shape], **parameters: Any) -> _Shape | None:
        """The same as `ask`; None if there is no such thing."""
        try:
            return self.ask(api, method, shape, **parameters)
        except HttpError as error:
            if error.resp.status == _MISSING:
                return None
            raise

    def pages_at(self, url: str, shape: type[_Shape]) -> Iterator[_Shape]:
        """The same of an API whose discovery document the SDK does not bundle."""
        return _pages(partial(self._get, url, shape))

    def _get(self, url: str, shape: type[_Shape], **parameters: str) -> _Shape:
        answer = self.session.get(url, params=parameters, timeout=_SECONDS)
        if not answer.ok:
            raise HttpError(_response(answer), answer.content, uri=url)
        return TypeAdapter(shape).validate_json(answer.content)

    def _request(self, api: str, method: str, parameters: dict[str, Any]) -> Any:
        found = _api(api)
        *folders, name = method.split(".")
        for folder in folders:
            found = getattr(found, folder)()
        request = getattr(found, name)(**parameters)
        if request.method != "GET" and request.methodId not in _QUESTIONS:
            raise Fault(f"this command only reads, and {request.methodId} is a {request.method}")
        return request


def _pages(ask: Callable[..., _Shape]) -> Iterator[_Shape]:
    token: str | None = None
    while token != "":
        page = ask(**({"pageToken": token} if token else {}))
        yield page
        token = getattr(page, "next_page_token", "")


_READING: Final = Lock()


def _api(api: str) -> Any:
    """The methods of an API. One thread reads the documents, of which the largest has 9 MB."""
    with _READING:
        return _document(api)


@cache
def _document(api: str) -> Any:
    name, version = api.split(":")
    return cast(Any, discovery).build(
        name, version, http=_Http(requests.Session()), static_discovery=True, cache_discovery=False
    )


_MISSING: Final = 404


@dataclass(frozen=True)
class _Http:
    """The session in the form that googleapiclient expects of httplib2, with a time limit for each request."""

    session: requests.Session

    def request(
        self, uri: str, method: str = "GET", body: Any = None, headers: Any = None, **more: Any
    ) -> tuple[httplib2.Response, bytes]:
        del more
        answer = self.session.request(method, uri, data=body, headers=headers, timeout=_SECONDS)
        return _response(answer), answer.content


def _response(answer: requests.Response) -> httplib2.Response:
    found = httplib2.Response({name.lower(): value for name, value in answer.headers.items()})
    found.status, found.reason = answer.status_code, answer.reason
    return found


_Item = TypeVar("_Item")
_Result = TypeVar("_Result")
_TOGETHER: Final = 8
"""Requests of one kind of question at a time; `asking` bounds the kinds."""


def each(ask_one: Callable[[_Item], _Result], items: Sequence[_Item]) -> list[_Result]:
    """The result of each item, in their order, several asked at once. Raises what the first that fails raises."""
    with ThreadPoolExecutor(max_workers=_TOGETHER) as pool:
        return list(pool.map(ask_one, items))


def batched(items: Sequence[_Item], size: int) -> Iterator[Sequence[_Item]]:
    """The items in parts of at most this size."""
    return (items[start : start + size] for start in range(0, len(items), size))


def last(path: str) -> str:
    """The name at the end of a path or an address."""
    return path.rsplit("/", 1)[-1]
