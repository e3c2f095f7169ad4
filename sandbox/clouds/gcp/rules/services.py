"""APIs of a project, which take their time after they are enabled.

Sources: hashicorp/terraform-provider-google issues 2673 (the error, for a key ring in the same apply) and 2129;
hashicorp/terraform-provider-google-beta@93c65b2d transport/error_retry_predicates.go (the provider does not retry it).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from gpucluster.sandbox.clouds.gcp.identity import number_of
from gpucluster.sandbox.clouds.gcp.model import ManagedResource
from gpucluster.sandbox.clouds.gcp.rules.rule import refused
from gpucluster.sandbox.clouds.store.ledger import Entry

_SERVICE: Final = "gcp:projects/service:Service"
# Module of the SDK -> API, if the names differ. Grants and custom roles of projects are of other APIs, which no program
# of ours enables.
_API: Final = {"filestore": "file", "kms": "cloudkms", "serviceaccount": "iam"}


def api_is_enabled(managed: ManagedResource, ineffective: Sequence[Entry]) -> None:
    """The API of a resource is none of those that are still being enabled."""
    module = managed.token.split(":")[1].split("/")[0]
    service = f"{_API.get(module, module)}.googleapis.com"
    if any(entry.type == _SERVICE and entry.inputs.get("service") == service for entry in ineffective):
        number = number_of(managed.project)
        message = (
            f"{service} has not been used in project {number} before or it is disabled. Enable it by visiting "
            f"https://console.developers.google.com/apis/api/{service}/overview?project={number} then retry. If you "
            "enabled this API recently, wait a few minutes for the action to propagate to our systems and retry."
        )
        raise refused(managed, message, status=403, reason="accessNotConfigured")
