"""Names that may exist once.

Source: Google Cloud APIs, error reason `alreadyExists`; hashicorp/terraform-provider-google-beta
container/resource_container_node_pool.go for its own words.
"""

from __future__ import annotations

from typing import Final

from gpucluster.sandbox.clouds.cloud import CloudError
from gpucluster.sandbox.clouds.gcp.model import Thing
from gpucluster.sandbox.clouds.gcp.rules.rule import refused, rule

__all__: list[str] = []

# Grants and enabled services add to what is there: asking twice is no error.
_ADDITIVE: Final = ("iAMMember", "iAMBinding", "bucketIAMMember", "bucketIAMBinding", "projects/service:")
_OF_THEIR_OWN: Final = frozenset({"gcp:servicenetworking/connection:Connection"})


@rule("*")
def path_is_free(thing: Thing) -> None:
    """One thing per path; a bucket's name is taken everywhere."""
    if thing.previous or thing.token in _OF_THEIR_OWN or any(word in thing.token for word in _ADDITIVE):
        return
    is_bucket = thing.token == "gcp:storage/bucket:Bucket"
    found = [entry for entry in thing.ledger.with_id(thing.id, {thing.token}) if entry.id == thing.id]
    if not found:
        return
    if thing.token == "gcp:container/nodePool:NodePool":
        raise CloudError(f"resource - {thing.id} - already exists")
    if is_bucket:
        message = "Your previous request to create the named bucket succeeded and you already own it."
        raise refused(thing, message, status=409, reason="conflict")
    raise refused(thing, f"The resource '{thing.id}' already exists", status=409, reason="alreadyExists")
