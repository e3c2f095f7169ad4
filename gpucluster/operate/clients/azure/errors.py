"""What an exception of Azure's SDK means to a reader."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from azure.core.exceptions import (
    AzureError,
    ClientAuthenticationError,
    HttpResponseError,
    ServiceRequestError,
    ServiceRequestTimeoutError,
    ServiceResponseError,
)

from gpucluster.operate.clients.azure.clients import READ_SECONDS
from gpucluster.operate.clients.cannot_ask import CannotAsk

# A login that was good once. Source: Microsoft Entra documentation, "Microsoft Entra authentication and authorization
# error codes" (50078, 50173, 70043, 700082, 700084).
_EXPIRED: Final = frozenset({"50078", "50173", "70043", "700082", "700084"})
_AGAIN: Final = "log in again"
_THROTTLED, _FORBIDDEN, _FAILED = 429, 403, 500


def explained(error: Exception) -> CannotAsk | None:
    """None for an exception that is not of Azure."""
    if isinstance(error, ServiceRequestTimeoutError | ServiceResponseError):
        return CannotAsk(f"Azure has not answered in {READ_SECONDS} s", "try again")
    if isinstance(error, ServiceRequestError):
        return CannotAsk(
            "Azure can't be reached from this machine",
            "check its network and proxy",
            "curl -I https://management.azure.com",
        )
    if isinstance(error, HttpResponseError) and error.status_code is not None:
        return _answer(error, error.status_code)
    if isinstance(error, ClientAuthenticationError):
        return _no_token(str(error))
    return CannotAsk(_first(str(error)), "") if isinstance(error, AzureError) else None


def _no_token(message: str) -> CannotAsk:
    """Microsoft Entra ID, or the CLI, gives no token."""
    if (found := re.search(r"AADSTS(\d+)", message)) is not None:
        if found[1] in _EXPIRED:
            return CannotAsk(f"your login to Azure has expired (AADSTS{found[1]})", _AGAIN, "az login")
        return CannotAsk(f"Microsoft Entra ID refuses the login: {_sentence(message, found[0])}", _AGAIN, "az login")
    if (found := re.search(r"[Ss]ubscription '([^']*)' not found", message)) is not None:
        return _unseen(found[1])
    return CannotAsk("no login to Azure", "log in", "az login")


def _answer(error: HttpResponseError, status: int) -> CannotAsk:
    code = error.error.code if error.error is not None and error.error.code else ""
    message = _first(error.error.message if error.error is not None and error.error.message else error.message)
    if code == "InvalidAuthenticationTokenTenant":
        tenants = re.findall(r"https://sts\.windows\.net/([0-9a-f-]{36})", error.message)
        tenant = f" --tenant {tenants[-1]}" if tenants else ""
        return CannotAsk("your login is in another tenant than the subscription", "log in there", f"az login{tenant}")
    if isinstance(error, ClientAuthenticationError):
        return CannotAsk(f"Azure no longer accepts your login ({code or status})", _AGAIN, "az login")
    if code == "SubscriptionNotFound":
        found = re.search(r"[0-9a-f-]{36}", message)
        return _unseen(found[0] if found else "")
    if code == "MissingSubscriptionRegistration":
        found = re.search(r"namespace '([\w.]+)'", message)
        name = found[1] if found else ""
        return CannotAsk(
            f"the resource provider {name} is not registered".replace("  ", " "),
            "register it",
            f"az provider register --wait --namespace {name}" if name else "",
        )
    if status == _THROTTLED:
        headers: Mapping[str, str] = getattr(error.response, "headers", {})
        wait = headers.get("Retry-After")
        return CannotAsk(
            "Azure throttles this login", f"ask again in {wait} s" if wait else "ask again in some minutes"
        )
    if status == _FORBIDDEN:
        return _forbidden(message, code)
    if status >= _FAILED:
        return CannotAsk(f"Azure fails itself: {status} {code}".rstrip(), "try again")
    return CannotAsk(f"Azure answers {status} {code}: {message}" if code else f"Azure answers {status}: {message}")


def _forbidden(message: str, code: str) -> CannotAsk:
    found = re.search(r"perform action '([^']+)'(?: over scope '([^']+)')?", message)
    who = re.search(r"object id '([0-9a-f-]{36})'", message)
    if found is None:
        return CannotAsk(f"this login has no right to ask it ({code or _FORBIDDEN})", "ask for the role Reader")
    action, scope = found[1], found[2]
    return CannotAsk(
        f"this login has no right to {action}" + (f" on {scope}" if scope else ""),
        "ask an owner for the role Reader",
        f"az role assignment create --role Reader --assignee {who[1]} --scope {scope}" if who and scope else "",
    )


def _unseen(subscription: str) -> CannotAsk:
    return CannotAsk(
        f"this login has no subscription {subscription}".rstrip(),
        "write one that it has as gpucluster:subscription, or log in as one that has it",
        "az account list --output table",
    )


def _sentence(message: str, start: str) -> str:
    """From a code to the end of its line."""
    return _first(message[message.index(start) :])


def _first(text: str) -> str:
    return (text.strip().splitlines() or ["no message"])[0]
