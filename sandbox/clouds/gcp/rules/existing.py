"""Unique names.

Source: Google Cloud APIs, error reason `alreadyExists`; hashicorp/terraform-provider-google-beta
container/resource_container_node_pool.go for its own words.
"""

from __future__ import annotations

from typing import Final

from gpucluster.sandbox.clouds.cloud import CloudError
from gpucluster.sandbox.clouds.gcp.model import ManagedResource
from gpucluster.sandbox.clouds.gcp.rules.rule import refused, rule

# A duplicate is no error: a policy may have the grant, the API may be enabled, and a service has one identity in a
# project. Sources: hashicorp/terraform-provider-google-beta tpgiamresource/resource_iam_member.go (MergeBindings);
# Service Usage API, services.generateServiceIdentity.
_ADDITIVE: Final = ("IAMMember", "IAMBinding", "projects/service:Service", "projects/serviceIdentity:ServiceIdentity")
"""Ends of their types."""
_OF_THEIR_OWN: Final = frozenset({"gcp:servicenetworking/connection:Connection"})


@rule("*")
def path_is_free(managed: ManagedResource) -> None:
    """One resource per path; a bucket's name is unique worldwide."""
    if managed.previous or managed.token in _OF_THEIR_OWN or managed.token.endswith(_ADDITIVE):
        return
    is_bucket = managed.token == "gcp:storage/bucket:Bucket"
    found = [entry for entry in managed.ledger.with_id(managed.id, {managed.token}) if entry.id == managed.id]
    if not found and not managed.ledger.is_retired(managed.token, managed.id):
        return
    if managed.token == "gcp:container/nodePool:NodePool":
        raise CloudError(f"resource - {managed.id} - already exists")
    if is_bucket:
        message = "Your previous request to create the named bucket succeeded and you already own it."
        raise refused(managed, message, status=409, reason="conflict")
    raise refused(managed, f"The resource '{managed.id}' already exists", status=409, reason="alreadyExists")
