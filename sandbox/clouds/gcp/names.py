"""`pulumiLabels` and `effectiveLabels`: a resource's own labels, which override the provider's default labels.

Source: hashicorp/terraform-provider-google-beta google-beta/tpgresource/labels.go@93c65b2d (setLabelsFields), and
pulumi/pulumi-gcp patches/0006 for the name of the label of attribution.

Source: pulumi/pulumi-gcp provider/resources.go@ed6078aa: `SetAutonaming(255, "-")` for every type with an input `name`,
and the explicit entries repeated here. A generated name is the logical name, a dash and seven hexadecimal digits.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from gpucluster.core.catalog.tables import read_rows
from gpucluster.core.text.type_guards import is_object, mapping
from gpucluster.sandbox.clouds.cloud import Resource
from gpucluster.sandbox.clouds.model import DEFAULTS_KEY, hex_suffix, is_generated
from gpucluster.sandbox.clouds.types.validate import Failure
from gpucluster.sandbox.clouds.types.values import UNKNOWN, Secret, plain

_ATTRIBUTION: Final = "goog-pulumi-provisioned"
CREATION_ONLY: Final = "CREATION_ONLY"
STRATEGIES: Final = (CREATION_ONLY, "PROACTIVE")
"""When the label of attribution is added: to new resources, or to all."""


def label_input(resource: Resource) -> str | None:
    """The input with the labels of a type; None for types that the provider does not label automatically."""
    if "effectiveLabels" not in resource.type.outputs:
        return None
    return next((name for name in ("resourceLabels", "labels") if name in resource.type.inputs), None)


def all_labels(resource: Resource, name: str, default_labels: Mapping[str, str], strategy: str | None) -> Any:
    """The labels of a resource, secret as the provider marks them; unknown if one of the resource's labels is.

    strategy: None if the provider adds no label of attribution.
    """
    own = plain(resource.inputs.get(name))
    if own is UNKNOWN or (is_object(own) and UNKNOWN in own.values()):
        return UNKNOWN
    before = mapping(plain(resource.outputs.get("effectiveLabels")))
    added = strategy is not None and (_ATTRIBUTION in before or not resource.outputs or strategy != CREATION_ONLY)
    attribution = {_ATTRIBUTION: "true"} if added else {}
    return Secret({**default_labels, **attribution, **mapping(own)})


_RANDOM: Final = 7


@dataclass(frozen=True)
class _Rule:
    property: str
    longest: int
    shape: Callable[[str], str] = str


_LOWER: Final = _Rule("name", 63, str.lower)
_RULES: Final[Mapping[str, _Rule]] = {
    **dict.fromkeys(
        (
            "gcp:compute/backendService:BackendService",
            "gcp:compute/httpHealthCheck:HttpHealthCheck",
            "gcp:compute/httpsHealthCheck:HttpsHealthCheck",
            "gcp:compute/network:Network",
            "gcp:compute/router:Router",
            "gcp:compute/routerNat:RouterNat",
            "gcp:compute/securityPolicy:SecurityPolicy",
            "gcp:compute/subnetwork:Subnetwork",
            "gcp:compute/targetHttpProxy:TargetHttpProxy",
            "gcp:compute/targetHttpsProxy:TargetHttpsProxy",
            "gcp:compute/uRLMap:URLMap",
        ),
        _LOWER,
    ),
    "gcp:projects/iAMCustomRole:IAMCustomRole": _Rule("roleId", 255),
    "gcp:serviceaccount/account:Account": _Rule("accountId", 30),
    "gcp:storage/bucket:Bucket": _Rule("name", 222),
}
_OTHERS: Final = _Rule("name", 255)


@cache
def _constants() -> Mapping[str, Mapping[str, Any]]:
    """Type -> input -> its default in the provider's schema.

    `defaults.csv` contains the inputs of the first level; a value is JSON.
    """
    found: dict[str, dict[str, Any]] = {}
    for row in read_rows("sandbox/clouds/gcp/defaults.csv"):
        found.setdefault(row["type"], {})[row["property"]] = json.loads(row["value"])
    return found


def name_property(resource: Resource) -> str | None:
    """The input with the name of a type, None for types without one."""
    if resource.token in _RULES:
        return _RULES[resource.token].property
    return "name" if "name" in resource.type.inputs and resource.type.inputs["name"].type == "str" else None


def too_long(resource: Resource) -> list[Failure]:
    """The error for a logical name without room for the random digits."""
    rule = _RULES.get(resource.token, _OTHERS)
    if not _is_left_out(resource) or len(resource.logical_name) + 1 + _RANDOM <= rule.longest:
        return []
    reason = f"name '{resource.logical_name}-' plus {_RANDOM} random chars is longer than maximum length {rule.longest}"
    return [Failure(rule.property, reason)]


def with_defaults(resource: Resource, seed: bytes) -> dict[str, Any]:
    """The inputs with a name and the provider's defaults if the program has none.

    A generated name stays in updates.
    """
    inputs = dict(resource.inputs)
    filled = {key: value for key, value in _constants().get(resource.token, {}).items() if inputs.get(key) is None}
    prop = name_property(resource)
    if prop is not None and _is_left_out(resource):
        if is_generated(resource.old_inputs, prop):
            filled[prop] = resource.old_inputs[prop]
        else:
            shape = _RULES.get(resource.token, _OTHERS).shape
            filled[prop] = f"{shape(resource.logical_name)}-{hex_suffix(seed, _RANDOM)}"
    return {**inputs, **filled, DEFAULTS_KEY: sorted(filled)} if filled else inputs


def _is_left_out(resource: Resource) -> bool:
    prop = name_property(resource)
    return prop is not None and resource.inputs.get(prop) is None and resource.inputs.get(f"{prop}Prefix") is None
