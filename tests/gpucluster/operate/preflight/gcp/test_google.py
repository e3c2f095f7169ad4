"""The loopback server refuses what Google's documents do not have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from googleapiclient.errors import HttpError

from gpucluster.errors import Fault
from gpucluster.operate.clients.gcp.client import Reading
from tests.gpucluster.operate.preflight.gcp.asked import client
from tests.gpucluster.operate.preflight.gcp.google import Google

PERMISSIONS = "cloudresourcemanager.projects.testIamPermissions"


def _post(path: str, body: Any) -> Callable[[], Any]:
    return lambda: client().session.post(f"https://cloudresourcemanager.googleapis.com/v3/{path}", json=body)


def _get(address: str) -> Callable[[], Any]:
    return lambda: client().session.get(f"https://{address}")


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        (_get("compute.googleapis.com/compute/v1/projects/p/regions/r/quotas"), "no document has GET"),
        (
            _get("compute.googleapis.com/compute/v1/projects/p/regions/r?region=r&fieldz=x"),
            "has no parameter ['fieldz']",
        ),
        (_get("container.googleapis.com/v1/clusters/p/locations/r/serverConfig"), "no document has GET"),
        (
            _get("serviceusage.googleapis.com/v1beta1/projects/p/services/s/consumerQuotaMetrics/m?view=ALL"),
            "view of serviceusage.services.consumerQuotaMetrics.get is ['ALL']",
        ),
        (_post("projects/p:testIamPermissions", {"permission": ["x"]}), "body has no permission"),
        (_post("projects/p:testIamPermissions", {"permissions": "x"}), "body.permissions is 'x', not of type array"),
    ],
)
def test_it_refuses_a_request(google: Google, request_: Callable[[], Any], why: str) -> None:
    assert request_().status_code == 501
    assert why in google.wrong[0]
    google.wrong.clear()


@pytest.mark.parametrize(
    ("found", "why"),
    [
        ({"quota": []}, "has no quota"),
        ({"quotas": [{"metric": "NETWORKS", "limit": "5"}]}, "limit is '5', not of type number"),
        ({"quotas": [{"metric": "NVIDIA_H100_MEGA_GPUS", "limit": 5}]}, "which the document does not list"),
        ({"id": "many"}, "id is 'many', not a whole number"),
    ],
)
def test_it_refuses_an_answer(google: Google, found: Any, why: str) -> None:
    google.answers["compute.regions.get"] = lambda _: found
    with pytest.raises(HttpError, match="501"):
        client().ask("compute:v1", "regions.get", Reading, project="p", region="r")
    assert why in google.wrong[0]
    google.wrong.clear()


def test_the_client_refuses_to_write() -> None:
    with pytest.raises(Fault, match=r"compute\.networks\.delete is a DELETE"):
        client().ask("compute:v1", "networks.delete", Reading, project="p", network="n")
