"""What a refusal of Google's means, in a reader's words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, cast

import requests
from google.auth.exceptions import DefaultCredentialsError, GoogleAuthError, RefreshError, TransportError
from googleapiclient.errors import HttpError
from pydantic import Field, ValidationError

from gpucluster.operate.clients.cannot_ask import CannotAsk
from gpucluster.operate.clients.gcp.client import Reading

LOGIN: Final = "gcloud auth application-default login"


class _Detail(Reading):
    reason: str = ""
    metadata: Mapping[str, str] = Field(default_factory=dict[str, str])


class _Error(Reading):
    code: int = 0
    message: str = ""
    status: str = ""
    errors: tuple[_Detail, ...] = ()
    details: tuple[_Detail, ...] = ()


class _Refusal(Reading):
    error: _Error


def explained(error: Exception) -> CannotAsk | None:
    """None for an exception of another kind."""
    match error:
        case DefaultCredentialsError():
            return CannotAsk("there are no application default credentials", "log in", LOGIN)
        case RefreshError() if error.retryable:
            return CannotAsk("the service that issues tokens does not answer", "ask again in a minute")
        case RefreshError():
            return CannotAsk(f"login not accepted: {_why(error)}", "log in again", LOGIN)
        case TransportError() | requests.RequestException():
            return CannotAsk(f"no answer: {_line(_host(error))}", "check the network and the proxy, and ask again")
        case GoogleAuthError():
            return CannotAsk(
                f"the application default credentials cannot be used: {_line(error)}", "log in again", LOGIN
            )
        case HttpError():
            return _refusal(error)
        case ValidationError():
            return _odd(error)
        case _:
            return None


def _odd(error: ValidationError) -> CannotAsk:
    """The SDK passes on what is not JSON as it is."""
    at = ".".join(map(str, error.errors()[0]["loc"]))
    if not at:
        return CannotAsk("an answer is not JSON: a proxy may have sent it", "check the network and the proxy")
    return CannotAsk(f"an answer of Google has another form than its API documents, at {at}")


def missing_api(error: Exception) -> str:
    """The name of the API that is not enabled, such as compute.googleapis.com; empty if that is not the reason."""
    if not isinstance(error, HttpError):
        return ""
    found = _read(error)
    for detail in found.details:
        if detail.reason == "SERVICE_DISABLED":
            return detail.metadata.get("service", "")
    named = re.search(r"apis?/api/([a-z]+\.googleapis\.com)", found.message)
    return named[1] if named and any(one.reason == "accessNotConfigured" for one in found.errors) else ""


def denied(error: Exception) -> bool:
    """Whether the caller may not, or the thing does not exist, which Google often does not tell apart."""
    return isinstance(error, HttpError) and _status(error) in (403, 404) and not missing_api(error)


_PROJECT: Final = r"projects/((?:[a-z0-9-]+(?:\.[a-z0-9-]+)+:)?[a-z][a-z0-9-]*)"
"""In an address, where a method may follow its colon; an old project begins with a domain and a colon."""


def _refusal(error: HttpError) -> CannotAsk:
    found, status = _read(error), _status(error)
    if api := missing_api(error):
        where = re.search(_PROJECT, cast(Any, error).uri or "")
        project = f" --project={where[1]}" if where else ""
        return CannotAsk(
            f"{api} is not enabled", "enable it, and ask again in a minute", f"gcloud services enable {api}{project}"
        )
    reasons = {one.reason for one in (*found.details, *found.errors)}
    if status == _THROTTLED or reasons & _RATES:
        return CannotAsk("Google answers that there are too many requests (429)", "ask again in a minute")
    return _BY_STATUS.get(status, _other)(found, status)


_THROTTLED: Final = 429
_RATES: Final = frozenset({"rateLimitExceeded", "userRateLimitExceeded", "RATE_LIMIT_EXCEEDED", "quotaExceeded"})


def _login(found: _Error, _: int) -> CannotAsk:
    why = found.message.split(". ")[0].rstrip(".")
    return CannotAsk(f"login not accepted: {why}", "log in again", LOGIN)


def _denied(found: _Error, _: int) -> CannotAsk:
    permission = next((one.metadata["permission"] for one in found.details if "permission" in one.metadata), "")
    named = re.search(r"(?:Required|Permission) '?([\w.]+)'? (?:permission|denied)", found.message)
    permission = permission or (named[1] if named else "")
    if "USER_PROJECT_DENIED" in {one.reason for one in found.details}:
        permission = "serviceusage.services.use"
    if permission:
        return CannotAsk(f"you lack {permission}", f"ask for a role that has {permission}")
    return CannotAsk(
        f"denied: {found.message.split('. ')[0].rstrip('.') or 'no reason is given'}", "ask for the permission"
    )


def _absent(found: _Error, _: int) -> CannotAsk:
    return CannotAsk(f"not found: {found.message.split('. ')[0].rstrip('.')}")


def _other(found: _Error, status: int) -> CannotAsk:
    why = f": {found.message.splitlines()[0]}" if found.message else ""
    fix = "ask again in a minute" if status >= 500 else ""
    return CannotAsk(f"Google answers with {status}{why}", fix)


_BY_STATUS: Final[Mapping[int, Callable[[_Error, int], CannotAsk]]] = {401: _login, 403: _denied, 404: _absent}


def _status(error: HttpError) -> int:
    return int(cast(Any, error).resp.status)


def _read(error: HttpError) -> _Error:
    try:
        return _Refusal.model_validate_json(cast(Any, error).content).error
    except ValidationError:
        return _Error(code=_status(error))


def _why(error: RefreshError) -> str:
    """google.auth gives the message, and the answer of the token service as a second value."""
    answer: Any = error.args[-1] if error.args else ""
    if isinstance(answer, dict):
        fields = cast("dict[str, str]", answer)
        return (fields.get("error_description") or fields.get("error", "")).removesuffix(".")
    return _line(error).removesuffix(".")


def _host(error: Exception) -> str:
    """requests wraps the reason in those of urllib3, which have addresses of objects."""
    request = getattr(error, "request", None)
    host = re.search(r"host='([^']+)'", str(error))
    name = host[1] if host else re.sub("^https?://([^/]+).*", r"\1", getattr(request, "url", "") or "")
    kind = "in time" if isinstance(error, requests.Timeout) else ""
    return f"{name} does not answer {kind}".rstrip() if name else str(error)


def _line(error: object) -> str:
    return (str(error).strip().splitlines() or ["no reason is given"])[0]
