"""Grants of roles.

Sources: IAM documentation, "Principal identifiers" and "Create and manage custom roles"; the errors are those quoted in
terraform-google-modules/terraform-google-kubernetes-engine issue 916 and of the IAM API.
"""

from __future__ import annotations

import re
from typing import Final

from gpucluster.core.text.type_guards import mapping
from gpucluster.sandbox.clouds.gcp.machines import CLUSTER, NODE_POOL
from gpucluster.sandbox.clouds.gcp.model import ManagedResource, refused, rule
from gpucluster.sandbox.clouds.store.ledger import Entry

_GRANTS: Final = (
    "gcp:kms/cryptoKeyIAMMember:CryptoKeyIAMMember",
    "gcp:projects/iAMMember:IAMMember",
    "gcp:serviceaccount/iAMMember:IAMMember",
    "gcp:storage/bucketIAMMember:BucketIAMMember",
)
_ACCOUNT: Final = "gcp:serviceaccount/account:Account"
_ROLE: Final = "gcp:projects/iAMCustomRole:IAMCustomRole"


@rule(*_GRANTS)
def principal_exists(managed: ManagedResource) -> None:
    """A service account of a simulated project exists, and so does the identity pool of its clusters.

    Accounts that Google creates, and those of other projects, are not checked.
    """
    kind, _, address = str(managed.inputs["member"]).partition(":")
    pool = re.fullmatch(r"([^.]+)\.svc\.id\.goog\[[^/]+/[^]]+\]", address)
    if kind == "serviceAccount" and pool:
        clusters = managed.ledger.mentioning({CLUSTER}, f"{pool[1]}.svc.id.goog")
        if not any(_has_pool(entry, pool[1]) for entry in clusters):
            message = (
                f"Identity Pool does not exist ({pool[1]}.svc.id.goog). Please check that you specified a valid "
                "resource "
                "name as returned in the `name` attribute in the configuration API."
            )
            raise refused(managed, message)
        return
    own = re.fullmatch(r"[^@]+@([^.]+)\.iam\.gserviceaccount\.com", address)
    if kind == "serviceAccount" and own and own[1] == managed.project and not _is_account(managed, own[1], address):
        raise refused(managed, f"Service account {address} does not exist.")


@rule("gcp:serviceaccount/iAMMember:IAMMember")
def account_exists(managed: ManagedResource) -> None:
    """The account of a grant exists."""
    path = str(managed.inputs["serviceAccountId"])
    if path.startswith(f"projects/{managed.project}/") and managed.at(_ACCOUNT, path) is None:
        raise refused(managed, f"Unknown service account {path}", status=404, reason="notFound")


@rule(*_GRANTS)
def custom_role_exists(managed: ManagedResource) -> None:
    """A custom role of this project exists."""
    role = str(managed.inputs["role"])
    if role.startswith(f"projects/{managed.project}/roles/") and managed.at(_ROLE, role) is None:
        raise refused(managed, f"The role {role} does not exist", status=404, reason="notFound")


def _is_account(managed: ManagedResource, project: str, address: str) -> bool:
    return managed.at(_ACCOUNT, f"projects/{project}/serviceAccounts/{address}") is not None


def _has_pool(cluster: Entry, project: str) -> bool:
    config = mapping(cluster.inputs.get("workloadIdentityConfig"))
    return config.get("workloadPool") == f"{project}.svc.id.goog"


@rule(CLUSTER, NODE_POOL)
def account_of_the_nodes_exists(managed: ManagedResource) -> None:
    """The service account of nodes exists; accounts of other projects and Google's own are not checked."""
    address = str(mapping(managed.inputs.get("nodeConfig")).get("serviceAccount") or "")
    project = re.fullmatch(r"[^@]+@([^.]+)\.iam\.gserviceaccount\.com", address)
    if project and project[1] == managed.project and not _is_account(managed, project[1], address):
        raise refused(managed, f'Service account "{address}" does not exist.')
