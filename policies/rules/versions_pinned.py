"""Versions in the cluster do not change without an update.

Helm reads a chart's version as a range (Renovate page "helm Versioning"; README of Masterminds/semver): `1.2`,
`^1.2.3` and `*` mean the newest version in it. The tag of an image can be moved; tags of one or two numbers are, by
convention, with each matching release (Tugboat page "Docker Image Version Tags Primer"); a full version, the
month of a release and the id of a commit or build are not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from gpucluster.core.program.resources import UNKNOWN, Resource
from gpucluster.core.program.values import all_items, text
from gpucluster.policies.clouds.kubernetes.charts import RELEASES
from gpucluster.policies.clouds.kubernetes.objects import containers, unrendered
from gpucluster.policies.engine.rule import CannotTell, Finding, Severity, Stack, StackRule, Violation


def check(stack: Stack) -> Iterator[Finding]:
    yield from unrendered(stack.resources)
    for resource in stack.resources:
        if not resource.type.startswith("kubernetes:"):
            continue
        found = _unpinned(resource)
        if found.floating:
            yield Violation(resource, "; ".join(found.floating))
        if found.unknown:
            yield CannotTell(resource, f"{' and '.join(found.unknown)} not known yet")


_NODE_CLASS: Final = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"

_EXACT: Final = r"=?\s*v?\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?"
_EXACT_TAGS: Final = re.compile(
    r"\d+\.\d+\.\d+"  # a full version, anywhere in the tag
    r"|(?<!\d)(?:20)?[2-9]\d\.(?:0[1-9]|1[0-2])(?!\d)"  # year and month
    r"|(?<![0-9A-Za-z])(?:[0-9a-f]{7,40}|[0-9]{6,})(?![0-9A-Za-z])"  # a commit, a day, a build
)
_LOCAL: Final = (".", "/")


@dataclass(frozen=True)
class _Unpinned:
    """floating: references that may change without an update, as text. unknown: values unknown before the update."""

    floating: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def _unpinned(resource: Resource) -> _Unpinned:
    """References of a resource without a version."""
    if resource.type in RELEASES:
        return _chart(resource)
    if resource.type == _NODE_CLASS:
        return _machine_image(resource)
    images = {name: text(container, "image") for name, container in containers(resource.inputs)}
    floating = [f"image of container `{name}` {problem}" for name, image in images.items() if (problem := _why(image))]
    hidden = [f"the image of container `{name}` is" for name, image in images.items() if image is UNKNOWN]
    return _Unpinned(tuple(floating), tuple(hidden))


def _chart(resource: Resource) -> _Unpinned:
    version, chart = text(resource.inputs, "version"), text(resource.inputs, "chart")
    if isinstance(chart, str) and (chart.startswith(_LOCAL) or chart.endswith(".tgz")):
        return _Unpinned()
    if version is UNKNOWN:
        return _Unpinned(unknown=("the version of its chart is",))
    if version is None:
        return _Unpinned(("a chart without a version: Helm installs the newest one",))
    return _Unpinned() if re.fullmatch(_EXACT, version) else _Unpinned((f"chart version `{version}`, a range",))


def _machine_image(resource: Resource) -> _Unpinned:
    aliases = [text(term, "alias") for term in all_items(resource.inputs, "spec", "amiSelectorTerms")]
    latest = [f"machine image `{alias}`" for alias in aliases if isinstance(alias, str) and alias.endswith("@latest")]
    return _Unpinned(tuple(latest), ("its machine image is",) if UNKNOWN in aliases else ())


def _why(image: Any) -> str | None:
    """Why an image may change; None if it cannot, or is unknown."""
    if not isinstance(image, str) or "@sha256:" in image:
        return None
    tag = image.rpartition("/")[2].partition(":")[2]
    if not tag:
        return "has no tag (defaults to latest)"
    return None if _EXACT_TAGS.search(tag) else f"has the floating tag `{tag}`"


RULE: Final = StackRule(
    name="versions-pinned",
    title="Charts, images and machine images are pinned to a version",
    why="A floating version changes at the next restart: another driver, plugin or fabric library stops a weeks-long "
    "job on every node at once, and no plan shows the change.",
    fix="Give charts a full version such as 1.2.3, not a range; images a digest, or a tag with a full version, year "
    "and month (25.03) or commit; and the alias of an EC2NodeClass a date instead of @latest.",
    reads=f"containers of every Kubernetes object the program declares; {', '.join(RELEASES)}, {_NODE_CLASS}",
    spec="versions",
    severity=Severity.MEDIUM,
    order=170,
    check=check,
)
