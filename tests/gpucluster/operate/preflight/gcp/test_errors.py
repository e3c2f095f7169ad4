"""Each refusal of Google's in a reader's words."""

from __future__ import annotations

from typing import Any

import pytest
from google.auth.exceptions import RefreshError

from gpucluster.operate.clients.gcp.errors import explained
from tests.gpucluster.operate.preflight.gcp.asked import one
from tests.gpucluster.operate.preflight.gcp.google import Call, Google, Refused, api_off

OLD = {
    "error": {
        "code": 403,
        "message": "It has not been used: https://console.developers.google.com/apis/api/compute.googleapis.com/overview",
        "errors": [{"reason": "accessNotConfigured"}],
    }
}


@pytest.mark.parametrize(
    ("refusal", "found", "fix"),
    [
        (
            Refused(401, "Request had invalid authentication credentials. Expected OAuth 2 access token."),
            "login not accepted: Request had invalid authentication credentials",
            "log in again",
        ),
        (
            Refused(403, "Permission denied.", reason="IAM_PERMISSION_DENIED", permission="compute.networks.get"),
            "you lack compute.networks.get",
            "ask for a role that has compute.networks.get",
        ),
        (
            Refused(403, "Required 'compute.networks.get' permission for 'projects/p/global/networks/n'"),
            "you lack compute.networks.get",
            "ask for a role that has compute.networks.get",
        ),
        (
            Refused(403, "Caller does not have required permission", reason="USER_PROJECT_DENIED"),
            "you lack serviceusage.services.use",
            "ask for a role that has serviceusage.services.use",
        ),
        (Refused(403, "Not now."), "denied: Not now", "ask for the permission"),
        (
            api_off("compute.googleapis.com"),
            "compute.googleapis.com is not enabled",
            "enable it, and ask again in a minute",
        ),
        (Refused(403, body=OLD), "compute.googleapis.com is not enabled", "enable it, and ask again in a minute"),
        (
            Refused(429, "Quota exceeded", reason="RATE_LIMIT_EXCEEDED"),
            "Google answers that there are too many requests (429)",
            "ask again in a minute",
        ),
        (Refused(503, "Backend Error"), "Google answers with 503: Backend Error", "ask again in a minute"),
        (Refused(400, "Invalid value"), "Google answers with 400: Invalid value", ""),
        (Refused(502, body=b"<html>"), "Google answers with 502", "ask again in a minute"),
        (
            Refused(200, body=b"<html>"),
            "an answer is not JSON: a proxy may have sent it",
            "check the network and the proxy",
        ),
        (
            Refused(200, body={"mtu": "wide"}),
            "an answer of Google has another form than its API documents, at mtu",
            "",
        ),
    ],
)
def test_it_is_explained(google: Google, refusal: Refused, found: str, fix: str) -> None:
    def refuse(_: Call) -> Any:
        raise refusal

    google.answers["compute.networks.get"] = refuse
    answer = one("network", "projects/my-project/global/networks/office", 8244)
    assert (str(answer.verdict), answer.found, answer.fix, answer.blocks) == ("can't tell", found, fix, True)


def test_a_token_service_that_is_down_is_no_expired_login() -> None:
    found = explained(RefreshError("Internal failure", retryable=True))
    assert found is not None
    assert (found.reason, found.command) == ("the service that issues tokens does not answer", "")


def test_another_exception_is_not_explained() -> None:
    assert explained(KeyError("x")) is None


def test_throttling_that_passes_leaves_no_trace(google: Google) -> None:
    allowed = google.answers["compute.networks.get"]

    def throttled(call: Call) -> Any:
        if sum(before.id == call.id for before in google.calls) < 3:
            raise Refused(429, "Quota exceeded")
        return allowed(call)

    google.answers["compute.networks.get"] = throttled
    assert one("network", "projects/my-project/global/networks/office", 8244).found == "8,244"
