"""One Helm release of a pinned chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import pulumi

from gpucluster.components.kubernetes.objects.charts import Chart


class Release(pulumi.CustomResource):
    """name: of the release; by default the provider chooses one.

    A class with its own constructor, so that the engine names the line that declares it.
    """

    name: pulumi.Output[str]

    def __init__(self, name: str, inputs: Mapping[str, Any], opts: pulumi.ResourceOptions) -> None:
        super().__init__("kubernetes:helm.sh/v3:Release", name, dict(inputs), opts)


def release(
    name: str,
    chart: Chart,
    *,
    namespace: pulumi.Input[str],
    values: Mapping[str, Any],
    registry: str | None = None,
    after: Sequence[pulumi.Resource],
    opts: pulumi.ResourceOptions,
    release_name: str | None = None,
    skip_crds: bool = False,
    adopts: bool = False,
) -> Release:
    """A release that waits until its pods are ready, and is rolled back if they never are.

    registry: mirror of its image; None to pull it from its publisher. adopts: whether it takes over objects of its
    chart that already exist in the cluster.
    """
    return Release(
        name,
        {
            "name": release_name,
            "chart": chart.chart,
            "version": chart.version,
            "repositoryOpts": {"repo": chart.repository} if chart.repository else None,
            "namespace": namespace,
            "values": dict(values) if registry is None else _merged(values, chart.image_from(registry)),
            "skipCrds": skip_crds,
            "takeOwnership": True if adopts else None,
            "atomic": True,
            "timeout": 600,
            "compat": "true",  # as the SDK's class writes it
        },
        pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=list(after))),
    )


def _merged(values: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Values with others replacing them, at any depth."""
    found = dict(values)
    for key, value in more.items():
        both = isinstance(found.get(key), Mapping) and isinstance(value, Mapping)
        found[key] = _merged(found[key], cast("Mapping[str, Any]", value)) if both else value
    return found
