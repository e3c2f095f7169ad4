"""AKS' requirements for a node pool with the image of a snapshot.

Source: MicrosoftDocs/azure-aks-docs@fb060abe articles/aks/node-pool-snapshot.md. AKS' codes and words are unknown here.
"""

from __future__ import annotations

import datetime
import re

from packaging.version import Version

from gpucluster.core.catalog.kubernetes_versions import minor
from gpucluster.core.text.type_guards import mapping
from gpucluster.sandbox.clouds.azure.model import ManagedResource
from gpucluster.sandbox.clouds.azure.pools import AGENT_POOL, SNAPSHOT, image_date, node_image
from gpucluster.sandbox.clouds.azure.rules.rule import kept_from, refused, rule

_OLDEST = datetime.timedelta(days=90)


@rule(AGENT_POOL)
def snapshot_fits(managed: ManagedResource) -> None:
    """A snapshot of the same family of machines, not older than the pool, with an image of at most 90 days."""
    id_ = mapping(managed.inputs.get("creationData")).get("sourceResourceId")
    found = managed.at(SNAPSHOT, id_) if id_ else None
    if found is None or (managed.previous and "creationData" not in managed.changed):
        return
    version, image = (str(found.outputs.get(name)) for name in ("kubernetesVersion", "nodeImageVersion"))
    size, source = str(managed.inputs.get("vmSize")), str(found.outputs.get("vmSize"))
    if _family(size) != _family(source):
        raise refused("InvalidParameter", f"snapshot {found.name} is of {source}, another family than {size}")
    if image_date(node_image(found.outputs.get("osSku"), version)) - image_date(image) > _OLDEST:
        raise refused("InvalidParameter", f"image {image} of snapshot {found.name} is older than 90 days")
    current, before = (str(managed.previous.get(name) or "") for name in _CURRENT)
    if before and (Version(current) > Version(version) or image_date(before) > image_date(image)):
        raise refused(
            "InvalidParameter", f"snapshot {found.name}, {version} on {image}, is older than {current} on {before}"
        )
    wish = managed.inputs.get("orchestratorVersion")
    if wish is not None and minor(str(wish)) != minor(version):
        raise kept_from(managed, f"snapshot {found.name} has Kubernetes {version}, and the pool requests {wish}")


_CURRENT = ("currentOrchestratorVersion", "nodeImageVersion")


def _family(size: str) -> tuple[str, ...]:
    """Series, accelerator and version: of Standard_ND96isr_H100_v5 ND and H100_v5."""
    match = re.fullmatch(r"(?i)Standard_([A-Z]+)\d[^_]*_?(.*)", size)
    return tuple(part.lower() for part in match.groups()) if match else (size,)
