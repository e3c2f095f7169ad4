"""Unique names, and label requirements of all Google Cloud services.

Source: Google Cloud APIs, error reason `alreadyExists`; hashicorp/terraform-provider-google-beta
container/resource_container_node_pool.go for its own text.

Source: Resource Manager documentation, "Labels overview", requirements for labels.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from gpucluster.core.text.type_guards import mapping
from gpucluster.sandbox.clouds.cloud import CloudError
from gpucluster.sandbox.clouds.gcp.machines import NODE_POOL
from gpucluster.sandbox.clouds.gcp.model import ManagedResource, refused, rule

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


_MOST: Final = 64
_LENGTH: Final = 63
_KEY: Final = r"[^\W\d_][-\w]*"
_VALUE: Final = r"[-\w]*"


@rule("*")
def labels_are_within_limits(managed: ManagedResource) -> None:
    """At most 64 labels; keys and values of up to 63 lower-case letters, digits, underscores and dashes.

    A key begins with a letter. Letters of other scripts than Latin are allowed.
    """
    _check(managed, managed.labels)


@rule(NODE_POOL)
def labels_of_machines_are_within_limits(managed: ManagedResource) -> None:
    """The same for labels of a node pool's machines and disks."""
    _check(managed, mapping(mapping(managed.inputs.get("nodeConfig")).get("resourceLabels")))


def _check(managed: ManagedResource, labels: Mapping[str, Any]) -> None:
    if len(labels) > _MOST:
        raise _refused(managed, f"{len(labels)} labels; a resource may have {_MOST}")
    for key, value in labels.items():
        text = str(value)
        if not 1 <= len(key) <= _LENGTH or not re.fullmatch(_KEY, key) or key != key.lower():
            allowed = f"a lower-case letter, then lower-case letters, digits, _ and -, {_LENGTH} characters at most"
            raise _refused(managed, f"label key '{key}' is not allowed; allowed: {allowed}")
        if len(text) > _LENGTH or not re.fullmatch(_VALUE, text) or text != text.lower():
            allowed = f"lower-case letters, digits, _ and -, {_LENGTH} characters at most"
            raise _refused(managed, f"value '{text}' of label '{key}' is not allowed; allowed: {allowed}")


def _refused(managed: ManagedResource, message: str) -> Exception:
    return refused(managed, f"Invalid value for field 'labels': {message}", reason="invalid")
