"""`pulumiLabels` and `effectiveLabels`: a resource's own labels, which override the provider's default labels.

Source: hashicorp/terraform-provider-google-beta google-beta/tpgresource/labels.go@93c65b2d (setLabelsFields), and
pulumi/pulumi-gcp patches/0006 for the name of the label of attribution.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gpucluster.sandbox.clouds.cloud import Resource
from gpucluster.sandbox.clouds.values import UNKNOWN, Secret, plain
from gpucluster.sandbox.type_guards import is_object, mapping

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
    """The labels of a resource, secret as the provider marks them; unknown if one of its own is.

    strategy: None if the provider adds no label of attribution.
    """
    own = plain(resource.inputs.get(name))
    if own is UNKNOWN or (is_object(own) and UNKNOWN in own.values()):
        return UNKNOWN
    before = mapping(plain(resource.outputs.get("effectiveLabels")))
    added = strategy is not None and (_ATTRIBUTION in before or not resource.outputs or strategy != CREATION_ONLY)
    attribution = {_ATTRIBUTION: "true"} if added else {}
    return Secret({**default_labels, **attribution, **mapping(own)})
