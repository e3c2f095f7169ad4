"""Objects of the node-health controller, which keeps jobs off broken nodes: a one-file program in its own namespace."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import pulumi

from gpucluster.components.kubernetes.objects.charts import mirrored
from gpucluster.components.kubernetes.objects.manifest import manifests
from gpucluster.components.kubernetes.objects.namespace import (
    CLUSTER_CRITICAL,
    critical_pods,
    namespace,
    only_these_ports,
)
from gpucluster.components.kubernetes.objects.objects import Declared
from gpucluster.components.kubernetes.telemetry.plan import NODE_HEALTH
from gpucluster.components.planning.names import NODE_HEALTH_PORT

NAME: Final = NODE_HEALTH.name
"""Name of the namespace and of everything in it."""
IMAGE: Final = (
    "public.ecr.aws/docker/library/python:3.13-slim"
    "@sha256:6771159cd4fa5d9bba1258caf0b82e6b73458c694d178ad97c5e925c2d0e1a91"
)
"""Python and its standard library. Docker's official image, from a registry without pull limits per address.

Source: tag and digest as public Dockerfiles pair them, by this registry and by Docker Hub.
"""

_MANIFEST: Final = Path(__file__).parents[1] / "jobs/manifests/node-health.yaml"
_PROGRAM: Final = "controller.py"


class NodeHealth(pulumi.ComponentResource):
    """Outputs: namespace. `ready`: the namespace object."""

    ready: list[pulumi.Resource]

    def __init__(
        self,
        name: str,
        settings: str,
        *,
        tolerations: Sequence[Mapping[str, str]],
        registry: str | None,
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """settings: as `plan.settings_json` writes them. tolerations: of controllers. registry: mirror of the image,
        None to pull it from its publisher. after: nodes for it.
        """
        super().__init__("gpucluster:kubernetes:NodeHealth", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        space = Declared(f"{name}-namespace", namespace(NAME, "restricted"), here)
        inside = space.object_name
        self.ready = [space]
        quota = critical_pods(f"{name}-quota", CLUSTER_CRITICAL, namespace=inside, opts=here)
        only_these_ports(f"{name}-network", [NODE_HEALTH_PORT], namespace=inside, opts=here)
        program = Path(__file__).with_name(_PROGRAM).read_text(encoding="utf-8")
        values = {
            "namespace": inside,
            "program": program,
            "settings": settings,
            "read": hashlib.sha256(f"{program}{settings}".encode()).hexdigest()[:16],
            "image": mirrored(IMAGE, registry),
            "port": str(NODE_HEALTH_PORT),
            "port_number": NODE_HEALTH_PORT,
            "tolerations": [dict(item) for item in tolerations],
        }
        *others, deployment = manifests(_MANIFEST, values)
        before = [
            Declared(f"{name}-{part}", manifest, here)
            for part, manifest in zip(("account", "files", "role", "binding"), others, strict=True)
        ]
        Declared(
            f"{name}-program",
            deployment,
            pulumi.ResourceOptions(parent=self, depends_on=[*before, quota, *after]),
        )
        self.register_outputs({"namespace": inside})
