"""Service accounts, roles, grants and enabled services."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Final

from gpucluster.sandbox.clouds.gcp.identity import number_of
from gpucluster.sandbox.clouds.gcp.model import Thing, models
from gpucluster.sandbox.clouds.naming import random_hex
from gpucluster.sandbox.clouds.values import Secret

__all__: list[str] = []

_AGENTS: Final = {"container.googleapis.com": "container-engine-robot"}
"""API -> the project that its service agents belong to, where it is not `gcp-sa-` and the name of the API (IAM
documentation, "Service agents")."""


def _email(thing: Thing) -> str:
    return f"{thing.name}@{thing.project}.iam.gserviceaccount.com"


@models(
    "gcp:serviceaccount/account:Account", id=lambda thing: f"projects/{thing.project}/serviceAccounts/{_email(thing)}"
)
def account(thing: Thing) -> Mapping[str, Any]:
    """Its unique id has 21 digits (IAM API, ServiceAccount.uniqueId)."""
    number = int(hashlib.sha256(thing.id.encode()).hexdigest(), 16)
    return {
        "email": _email(thing),
        "member": f"serviceAccount:{_email(thing)}",
        "name": thing.id,
        "project": thing.project,
        "uniqueId": thing.keep("uniqueId", lambda: f"1{number % 10**20:020d}"),
    }


@models("gcp:serviceaccount/key:Key", id=lambda thing: f"{_account_path(thing)}/keys/{random_hex(40)}")
def key(thing: Thing) -> Mapping[str, Any]:
    """A private key that opens nothing."""
    return {
        "name": thing.id,
        "privateKey": thing.keep("privateKey", lambda: Secret("the key of a sandbox opens nothing")),
        "publicKey": thing.keep("publicKey", lambda: random_hex(32)),
        "validAfter": "2026-01-01T00:00:00Z",
        "validBefore": "9999-12-31T23:59:59Z",
    }


def _account_path(thing: Thing) -> str:
    given = str(thing.inputs["serviceAccountId"])
    return given if given.startswith("projects/") else f"projects/{thing.project}/serviceAccounts/{given}"


@models("gcp:serviceaccount/iAMMember:IAMMember", id="{serviceAccountId}/{role}/{member}")
def account_member(_: Thing) -> Mapping[str, Any]:
    return {"etag": random_hex(8)}


@models("gcp:serviceaccount/iAMBinding:IAMBinding", id="{serviceAccountId}/{role}")
def account_binding(_: Thing) -> Mapping[str, Any]:
    return {"etag": random_hex(8)}


@models("gcp:projects/iAMMember:IAMMember", id="{project}/{role}/{member}")
def project_member(_: Thing) -> Mapping[str, Any]:
    return {"etag": random_hex(8)}


@models("gcp:projects/iAMBinding:IAMBinding", id="{project}/{role}")
def project_binding(_: Thing) -> Mapping[str, Any]:
    return {"etag": random_hex(8)}


@models("gcp:projects/iAMCustomRole:IAMCustomRole", id="projects/{project}/roles/{name}")
def custom_role(thing: Thing) -> Mapping[str, Any]:
    return {"deleted": False, "name": thing.id, "project": thing.project}


@models("gcp:projects/service:Service", id="{project}/{service}")
def service(thing: Thing) -> Mapping[str, Any]:
    return {"project": thing.project}


@models("gcp:projects/serviceIdentity:ServiceIdentity", id="projects/{project}/services/{service}")
def service_identity(thing: Thing) -> Mapping[str, Any]:
    """The account that Google's service acts as in this project."""
    api = str(thing.inputs["service"])
    agents = _AGENTS.get(api) or f"gcp-sa-{api.removesuffix('.googleapis.com')}"
    email = f"service-{number_of(thing.project)}@{agents}.iam.gserviceaccount.com"
    return {"email": email, "member": f"serviceAccount:{email}", "project": thing.project}
