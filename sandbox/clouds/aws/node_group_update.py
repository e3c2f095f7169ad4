"""The two requests that the provider makes for an update of a managed node group.

Source: hashicorp/terraform-provider-aws@012e0a32:internal/service/eks/node_group.go, resourceNodeGroupUpdate ("Do any
version update first").
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gpucluster.sandbox.clouds.cloud import Resource
from gpucluster.sandbox.clouds.modelled import changed_inputs
from gpucluster.sandbox.clouds.values import UNKNOWN, plain
from gpucluster.sandbox.type_guards import mapping

_NODE_GROUP: Final = "aws:eks/nodeGroup:NodeGroup"
_VERSION: Final = frozenset({"launchTemplate", "releaseVersion", "version"})


def version_first(resource: Resource) -> tuple[Mapping[str, Any], str] | None:
    """The inputs after UpdateNodegroupVersion, with the number of nodes of before, and what is lost by that; None if
    UpdateNodegroupConfig has nothing left to do, or the version stays.
    """
    changed = changed_inputs(resource)
    if resource.token != _NODE_GROUP or not changed & _VERSION or changed <= _VERSION:
        return None
    kept = {key: value for key, value in resource.old_inputs.items() if key not in _VERSION}
    first = {**kept, **{key: value for key, value in resource.inputs.items() if key in _VERSION}}
    before, after = _nodes(first), _nodes(resource.inputs)
    if before is None or after is None or after >= before:
        return first, ""
    what = ", ".join(sorted(changed & _VERSION))
    return first, (
        f"UpdateNodegroupVersion ({what}) replaces all {before} nodes before UpdateNodegroupConfig removes "
        f"{before - after} of them; scale down in an update of its own"
    )


def _nodes(inputs: Mapping[str, Any]) -> int | None:
    """None if it is not known yet."""
    scaling = plain(inputs.get("scalingConfig"))
    found = UNKNOWN if scaling is UNKNOWN else mapping(scaling).get("desiredSize")
    return None if found is UNKNOWN else int(found or 0)
