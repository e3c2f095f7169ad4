"""What the provider itself refuses while it plans, before any API is asked: names above all.

Source: hashicorp/terraform-provider-google-beta@93c65b2d, google-beta/verify/validation.go and the `ValidateFunc` of
each resource.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from gpucluster.sandbox.clouds.cloud import Resource
from gpucluster.sandbox.clouds.validate import Failure

__all__ = ["refused_inputs"]

_GCE_NAME: Final = r"^(?:[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?)$"
_ACCOUNT_ID: Final = r"^[a-z]([-a-z0-9]{4,28}[a-z0-9])$"
_ROLE_ID: Final = r"^[a-zA-Z0-9_\.]{3,64}$"

# Type -> the input that names it and the expression it must match.
_NAMES: Final[Mapping[str, tuple[str, str]]] = {
    **{
        f"gcp:compute/{kind[0].lower()}{kind[1:]}:{kind}": ("name", _GCE_NAME)
        for kind in ("Network", "Subnetwork", "Firewall", "Address", "Reservation", "RouterNat", "Router")
    },
    "gcp:serviceaccount/account:Account": ("accountId", _ACCOUNT_ID),
    "gcp:projects/iAMCustomRole:IAMCustomRole": ("roleId", _ROLE_ID),
}


def refused_inputs(resource: Resource) -> list[Failure]:
    """Every refused input of this resource, in order."""
    found = list(_cluster_name(resource)) if resource.token == "gcp:container/cluster:Cluster" else []
    prop, pattern = _NAMES.get(resource.token, ("", ""))
    value = resource.inputs.get(prop)
    if isinstance(value, str) and not re.fullmatch(pattern, value):
        found.append(Failure(prop, f'"{prop}" ("{value}") doesn\'t match regexp "{pattern}"'))
    return found


def _cluster_name(resource: Resource) -> Iterator[Failure]:
    name = resource.inputs.get("name")
    if not isinstance(name, str):
        return
    if len(name) > 40:
        yield Failure("name", '"name" cannot be longer than 40 characters')
    if not re.fullmatch("[a-z0-9-]+", name):
        yield Failure("name", '"name" can only contain lowercase letters, numbers and hyphens')
    if not re.match("[a-z]", name):
        yield Failure("name", '"name" must start with a letter')
    if not re.search("[a-z0-9]$", name):
        yield Failure("name", '"name" must end with a number or a letter')
