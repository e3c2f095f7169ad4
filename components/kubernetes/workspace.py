"""The namespace training jobs run in and the claims they mount: the same names on every cloud."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import pulumi
from pulumi_kubernetes.core.v1 import Namespace
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

from gpucluster.components.kubernetes.volume import Volume, claimed
from gpucluster.components.names import HOME_CLAIM, NAMESPACE, SHARED_CLAIM

__all__ = ["Workspace"]


class Workspace(pulumi.ComponentResource):
    """namespace: the first object of ours in the cluster; what costs much waits for it, and so for an API in reach.

    Outputs, once the volumes are mounted: namespace, claim; homeClaim where there is a home file system.
    """

    namespace: Namespace
    pod_security: Literal["baseline", "privileged"]

    def __init__(
        self,
        name: str,
        *,
        labels: Mapping[str, str],
        pod_security: Literal["baseline", "privileged"] = "baseline",
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """pod_security: the standard that pods must meet; whatever it is, those that miss `baseline` are warned of."""
        super().__init__("gpucluster:kubernetes:Workspace", name, {}, opts)
        self._name = name
        self._labels = labels
        self.pod_security = pod_security
        self.namespace = Namespace(
            f"{name}-namespace",
            metadata=ObjectMetaArgs(
                name=NAMESPACE,
                labels={
                    **labels,
                    "pod-security.kubernetes.io/enforce": pod_security,
                    **({} if pod_security == "baseline" else {"pod-security.kubernetes.io/warn": "baseline"}),
                },
            ),
            opts=pulumi.ResourceOptions(parent=self),
        )

    def mount(self, shared: Volume, home: Volume | None) -> None:
        """Adds the claims, which come last: their file systems may need what waits for the namespace."""
        inside = self.namespace.metadata.name
        here = pulumi.ResourceOptions(parent=self)
        claim = claimed(self._name, shared, claim=SHARED_CLAIM, namespace=inside, labels=self._labels, opts=here)
        outputs: dict[str, pulumi.Output[str]] = {"namespace": inside, "claim": claim.metadata.name}
        if home is not None:
            second = claimed(
                f"{self._name}-home", home, claim=HOME_CLAIM, namespace=inside, labels=self._labels, opts=here
            )
            outputs["homeClaim"] = second.metadata.name
        self.register_outputs(outputs)
