"""Kueue itself, which holds jobs back until there is room for all of their pods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pulumi
from pulumi_kubernetes.core.v1 import Namespace
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

from components.kubernetes.charts import KUEUE
from components.kubernetes.release import release

__all__ = ["Queueing"]

_NAMESPACE = "kueue-system"


class Queueing(pulumi.ComponentResource):
    """Its controller, in a namespace of its own. ready: what queues and their objects depend on.

    It takes its definitions along when it goes, so everything of its kinds must be gone before.
    """

    ready: list[pulumi.Resource]

    def __init__(
        self,
        name: str,
        *,
        tolerations: Sequence[Mapping[str, str]],
        labels: Mapping[str, str],
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """tolerations: of the controller. after: nodes for it, and what is not to wait for its webhooks: they see every
        pod outside of `kube-system` and `kueue-system`.
        """
        super().__init__("gpucluster:kubernetes:Queueing", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        space = Namespace(
            f"{name}-namespace",
            metadata=ObjectMetaArgs(
                name=_NAMESPACE, labels={**labels, "pod-security.kubernetes.io/enforce": "baseline"}
            ),
            opts=here,
        )
        values: dict[str, Any] = {"controllerManager": {"tolerations": [dict(item) for item in tolerations]}}
        self.ready = [
            release(
                f"{name}-kueue",
                KUEUE,
                release_name="kueue",
                namespace=space.metadata.name,
                values=values,
                after=after,
                opts=here,
            )
        ]
        self.register_outputs({"version": KUEUE.version})
