"""Versions that Kubernetes objects name: of charts, of images, of the machine images of Karpenter's nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from gpucluster.policies.clouds.kubernetes.containers import containers
from gpucluster.program.resources import UNKNOWN, Resource
from gpucluster.program.values import items, text

__all__ = ["CHARTS", "NODE_CLASS", "Unpinned", "unpinned"]

CHARTS: Final = ("kubernetes:helm.sh/v3:Release", "kubernetes:helm.sh/v4:Chart")
NODE_CLASS: Final = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"

_LATEST: Final = "latest"
_LOCAL: Final = (".", "/")


@dataclass(frozen=True)
class Unpinned:
    """floating: what may change by itself, in words. unknown: what is not known yet."""

    floating: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def unpinned(resource: Resource) -> Unpinned:
    """What a resource names without a version."""
    if resource.type in CHARTS:
        return _chart(resource)
    if resource.type == NODE_CLASS:
        return _machine_image(resource)
    images = {name: text(container, "image") for name, container in containers(resource.inputs)}
    floating = [f"image of container `{name}` {problem}" for name, image in images.items() if (problem := _why(image))]
    hidden = [f"the image of container `{name}` is" for name, image in images.items() if image is UNKNOWN]
    return Unpinned(tuple(floating), tuple(hidden))


def _chart(resource: Resource) -> Unpinned:
    version, chart = text(resource.inputs, "version"), text(resource.inputs, "chart")
    if isinstance(chart, str) and (chart.startswith(_LOCAL) or chart.endswith(".tgz")):
        return Unpinned()
    if version is UNKNOWN:
        return Unpinned(unknown=("the version of its chart is",))
    return Unpinned() if version else Unpinned(("a chart without version: the newest on the day it is installed",))


def _machine_image(resource: Resource) -> Unpinned:
    terms = items(resource.inputs, "spec", "amiSelectorTerms")
    aliases = [UNKNOWN] if terms is UNKNOWN else [text(term, "alias") for term in terms]
    latest = [f"machine image `{alias}`" for alias in aliases if isinstance(alias, str) and alias.endswith("@latest")]
    return Unpinned(tuple(latest), ("its machine image is",) if UNKNOWN in aliases else ())


def _why(image: Any) -> str | None:
    """Why an image may change; None when it does not, or is not known."""
    if not isinstance(image, str) or "@sha256:" in image:
        return None
    tag = image.rpartition("/")[2].partition(":")[2]
    if not tag:
        return "has no tag, which means latest"
    return "has the tag latest" if tag == _LATEST else None
