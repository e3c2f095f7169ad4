"""Exceptions of boto3 in a reader's words."""

from __future__ import annotations

import re
from typing import Any, Final, cast

from gpucluster.operate.clients.cannot_ask import CannotAsk

_LOGIN: Final = "aws sso login"
_RIGHTS: Final = "allow it"

# Sources: Amazon EC2 API, "Error codes"; AWS STS, IAM and Service Quotas APIs, "Common errors"; botocore 1.44,
# retries/standard.py (throttling).
_EXPIRED: Final = frozenset({"ExpiredToken", "ExpiredTokenException", "RequestExpired"})
_REFUSED: Final = frozenset(
    {
        "AuthFailure",
        "IncompleteSignature",
        "InvalidAccessKeyId",
        "InvalidClientTokenId",
        "InvalidSignatureException",
        "OptInRequired",
        "SignatureDoesNotMatch",
        "UnrecognizedClientException",
    }
)
_DENIED: Final = frozenset(
    {"403", "AccessDenied", "AccessDeniedException", "AuthorizationError", "UnauthorizedOperation"}
)
_THROTTLED: Final = frozenset(
    {
        "EC2ThrottledException",
        "PriorRequestNotComplete",
        "RequestLimitExceeded",
        "RequestThrottled",
        "RequestThrottledException",
        "SlowDown",
        "Throttling",
        "ThrottlingException",
        "ThrottledException",
        "TooManyRequestsException",
    }
)

_LOGGED_OUT: Final = frozenset(
    {"LoginRefreshRequired", "SSOTokenLoadError", "TokenRetrievalError", "UnauthorizedSSOTokenError"}
)
_NO_LOGIN: Final = frozenset({"CredentialRetrievalError", "NoCredentialsError", "PartialCredentialsError"})
_NO_ANSWER: Final = frozenset(
    {
        "ConnectTimeoutError",
        "ConnectionClosedError",
        "EndpointConnectionError",
        "HTTPClientError",
        "ProxyConnectionError",
        "ReadTimeoutError",
        "ResponseStreamingError",
        "SSLError",
    }
)
"""Names of botocore's exceptions."""


def code_of(error: Exception) -> str:
    """The code of AWS' answer; empty for another exception."""
    answer: Any = getattr(error, "response", None)
    if not isinstance(answer, dict):
        return ""
    return str(cast("dict[str, dict[str, Any]]", answer).get("Error", {}).get("Code", ""))


def explained(error: Exception) -> CannotAsk | None:
    """None for an exception that is not of boto3."""
    if isinstance(error, CannotAsk):
        return error
    if not type(error).__module__.startswith(("botocore", "boto3")):
        return None
    return _of_answer(error) if code_of(error) else _of_client(type(error).__name__, error)


def no_login(reason: str) -> CannotAsk:
    """Without usable credentials."""
    return CannotAsk(reason, "log in, or set AWS_PROFILE to a profile that can", _LOGIN)


def _of_answer(error: Exception) -> CannotAsk:
    code, text = code_of(error), _message(error)
    operation = str(getattr(error, "operation_name", "the request"))
    if code in _EXPIRED:
        return CannotAsk(f"the AWS login has expired ({code})", "log in again", _LOGIN)
    if code in _REFUSED:
        fix = "check the profile and its keys, and that the account has enabled the region"
        return CannotAsk(f"AWS does not accept the credentials ({code})", fix, "aws sts get-caller-identity")
    if code in _DENIED:
        named = re.search(r"perform: ([\w-]+:\w+)", text)
        return CannotAsk(f"the login may not call {named[1] if named else operation} ({code})", _RIGHTS)
    if code in _THROTTLED:
        return CannotAsk(f"AWS throttles {operation} ({code})", "ask again in a minute")
    return CannotAsk(f"AWS answers {operation} with {code}{f': {text}' if text else ''}")


def _of_client(name: str, error: Exception) -> CannotAsk:
    if name in _LOGGED_OUT:
        return CannotAsk("the AWS login has expired", "log in again", _LOGIN)
    if name in _NO_LOGIN:
        return no_login("there are no AWS credentials")
    if name == "ProfileNotFound":
        return CannotAsk(_first_line(str(error)), "set AWS_PROFILE to one that `aws configure list-profiles` lists")
    if name == "ResponseParserError":
        return CannotAsk("an answer that is not of AWS, perhaps of a proxy", "check HTTPS_PROXY and AWS_ENDPOINT_URL")
    if name in _NO_ANSWER:
        fix = "check the network, HTTPS_PROXY, and endpoints of a closed network"
        return CannotAsk(f"no answer from AWS: {_first_line(str(error))}", fix)
    return CannotAsk(f"{name}: {_first_line(str(error))}")


def _message(error: Exception) -> str:
    answer = cast("dict[str, dict[str, Any]]", getattr(error, "response", {}))
    text = _first_line(str(answer.get("Error", {}).get("Message", "")))
    return "" if text.startswith("<") else text  # a page of a proxy, not an answer of AWS


def _first_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[0]
