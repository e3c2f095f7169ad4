"""References to other resources exist: `references.csv`, one input per row.

Sources: Azure Resource Manager documentation, "Common deployment errors": InvalidResourceReference, ResourceNotFound;
Azure/azure-cli #30560 (LinkedInvalidPropertyId); MicrosoftDocs/azure-docs #33497 (MissingSubscription). Few of them
document that the API answers with ResourceNotFound, and the wording is the sandbox's.

Not checked: other subscriptions and management groups; for inputs of any kind, such as the scope of a role, also groups
that no stack here created, such as those of reservations and of AKS' nodes. None is in the ledger.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from gpucluster.sandbox.clouds.azure.model import ManagedResource, refused, rule, with_same_id
from gpucluster.sandbox.clouds.model import rows_by_type, texts

_ANYTHING: Final = "anything"
_GROUP: Final = "azure-native:resources:ResourceGroup"
_ID: Final = r"(?i)/subscriptions/(?P<subscription>[^/]+)(?P<rest>(/[^/]+/[^/]+)*)"
_PROVIDER: Final = r"(?i)/providers/[^/]+(/[^/]+/[^/]+)+"


@rule("*")
def references_exist(managed: ManagedResource) -> None:
    """References are full ids of resources of the kind of the input."""
    for row in rows_by_type("sandbox/clouds/azure/references.csv").get(managed.token, ()):
        for reference in texts(managed.inputs, row["path"]):
            _judge(managed, row, reference)


def _judge(managed: ManagedResource, row: Mapping[str, str], reference: str) -> None:
    in_path = row["path"] in managed.path.parameters
    id_ = f"/{reference.strip('/')}" if in_path else reference.rstrip("/")
    match = re.fullmatch(_ID, id_)
    if match is None:
        if not re.fullmatch(_PROVIDER, id_):
            raise _malformed(row["path"], reference, in_path=in_path)
    elif match["subscription"].lower() == managed.subscription and not _there(managed, row["kind"], id_, match["rest"]):
        message = f"Resource {reference} referenced by the request was not found. ({row['path']})"
        raise refused(row["code"], message, status=404 if row["code"] == "ResourceNotFound" else 400)


def _malformed(path: str, reference: str, *, in_path: bool) -> Exception:
    if in_path:
        message = f"The request did not have a subscription or a valid tenant level resource provider: '{reference}'"
        return refused("MissingSubscription", f"{message} ({path})", status=404)
    message = (
        f"Property id '{reference}' at path 'properties.{path}' is invalid. Expect fully qualified resource Id that "
        "start with '/subscriptions/{subscriptionId}' or '/providers/{resourceProviderNamespace}/'."
    )
    return refused("LinkedInvalidPropertyId", message)


def _there(managed: ManagedResource, kind: str, id_: str, rest: str) -> bool:
    """rest: the id after the subscription."""
    if kind != _ANYTHING:
        return managed.at(kind, id_) is not None
    return not _is_made_here(managed, rest) or with_same_id(managed.ledger, id_) is not None


def _is_made_here(managed: ManagedResource, rest: str) -> bool:
    """Whether it is in a group of a stack, or in no group and not a subscription."""
    if not rest:
        return False
    _, kind, name, *_ = rest.lower().split("/")
    groups = {entry.name.lower() for entry in managed.ledger.mentioning({_GROUP}, name)}
    return kind != "resourcegroups" or name in groups
