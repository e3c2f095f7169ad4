"""The namespace training jobs run in and the claims they mount: the same names on every cloud."""

from __future__ import annotations

from collections.abc import Mapping

import pulumi
from pulumi_kubernetes.core.v1 import Namespace
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

from components.kubernetes.volume import Volume, claimed

__all__ = ["CLAIM", "HOME_CLAIM", "NAMESPACE", "Workspace"]

NAMESPACE = "training"
CLAIM = "shared"
HOME_CLAIM = "home"


class Workspace(pulumi.ComponentResource):
    """Outputs: namespace, claim; homeClaim where there is a home file system."""

    def __init__(
        self,
        name: str,
        *,
        shared: Volume,
        home: Volume | None,
        labels: Mapping[str, str],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpucluster:kubernetes:Workspace", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        namespace = Namespace(
            f"{name}-namespace",
            metadata=ObjectMetaArgs(
                name=NAMESPACE, labels={**labels, "pod-security.kubernetes.io/enforce": "baseline"}
            ),
            opts=here,
        )
        inside = namespace.metadata.name
        claim = claimed(name, shared, claim=CLAIM, namespace=inside, labels=labels, opts=here)
        outputs: dict[str, pulumi.Output[str]] = {"namespace": inside, "claim": claim.metadata.name}
        if home is not None:
            second = claimed(f"{name}-home", home, claim=HOME_CLAIM, namespace=inside, labels=labels, opts=here)
            outputs["homeClaim"] = second.metadata.name
        self.register_outputs(outputs)
