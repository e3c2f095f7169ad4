"""Daemons with full access to the machine because nothing else prepares a GPU node: `catalog/node_daemons.csv` and the
pack's configuration. Matched by kind, namespace, name and the source of each image, as anybody can use a name.

The charts of the NVIDIA and EFA device plugins and of NVIDIA's operators are rendered inside the cluster, where no
policy sees their pods; a chart is matched by its values, and by its source and that of its image.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpucluster.catalog.rows import rows
from gpucluster.policies.clouds.kubernetes.charts import RELEASE
from gpucluster.policies.clouds.kubernetes.containers import containers
from gpucluster.program.resources import UNKNOWN, Resource, Unknown
from gpucluster.program.values import at, is_object, items, text
from gpucluster.record import record


@record(kw_only=True)
class Allowed:
    """images: repositories, without tag and digest; for a chart, its own as well. reason: why access is allowed."""

    images: tuple[str, ...]
    reason: str


def allowed_daemons(configured: Any) -> dict[str, Allowed]:
    """The allowed ones, by `identity`. configured: the rule's setting in the pack's configuration."""
    known = {
        row["object"]: Allowed(images=tuple(row["images"].split()), reason=row["reason"])
        for row in rows("node_daemons")
    }
    given: Mapping[str, Any] = configured if is_object(configured) else {}
    for name, of in given.items():
        images = items(of, "images")
        if images is not UNKNOWN:
            known[name] = Allowed(images=tuple(map(str, images)), reason=str(at(of, "reason")))
    return known


def identity(resource: Resource) -> str | None:
    """`kind namespace/name` of an object, `Release chart` of a chart; None while unknown."""
    if resource.type == RELEASE:
        chart = text(resource.inputs, "chart")
        return f"Release {chart.rpartition('/')[2]}" if isinstance(chart, str) else None
    name = text(resource.inputs, "metadata", "name")
    namespace = text(resource.inputs, "metadata", "namespace")
    if not isinstance(name, str) or namespace is UNKNOWN:
        return None
    return f"{resource.type.rpartition(':')[2]} {namespace or 'default'}/{name}"


def images_of(resource: Resource) -> list[str | Unknown]:
    """The repositories of all its images, without tag and digest."""
    if resource.type == RELEASE:
        ways = (("repositoryOpts", "repo"), ("values", "image", "repository"))
        given = [found for way in ways if (found := text(resource.inputs, *way)) is not None]
        return given or ["no repository"]
    images = [text(container, "image") for _, container in containers(resource.inputs)]
    return [UNKNOWN if image is UNKNOWN else _repository(image or "no image") for image in images]


def _repository(image: str) -> str:
    name = image.partition("@")[0]
    host, slash, path = name.rpartition("/")
    return f"{host}{slash}{path.partition(':')[0]}"
