"""The queue of one pool: jobs wait in it until there is room for all of their pods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pulumi

from gpucluster.components.kubernetes.job_pool import JobPool
from gpucluster.components.kubernetes.kueue import (
    GROUP,
    PROVISIONING,
    AdmissionCheck,
    ClusterQueue,
    LocalQueue,
    ProvisioningRequestConfig,
    ResourceFlavor,
    Topology,
)
from gpucluster.components.kubernetes.objects import Spec, custom_object
from gpucluster.components.names import GPU, NAMESPACE, POOL

__all__ = ["JobQueue"]


class JobQueue(pulumi.ComponentResource):
    """A flavor and two queues, all called as the pool; a topology where its nodes tell one, a check where nodes are
    asked for.

    Jobs of the namespace `training` name the queue by the label `kueue.x-k8s.io/queue-name`. A queue has one flavor, so
    no job ever falls to the nodes of another pool. Output: queue.
    """

    def __init__(
        self,
        name: str,
        pool: JobPool,
        *,
        namespace: pulumi.Input[str],
        labels: Mapping[str, str],
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """namespace: `training`, once it is there. after: Kueue."""
        super().__init__("gpucluster:kubernetes:JobQueue", name, {}, opts)

        def declare(
            suffix: str,
            kind: type[Spec],
            spec: Mapping[str, object],
            needs: Sequence[pulumi.Resource],
            space: pulumi.Input[str] | None = None,
        ) -> pulumi.CustomResource:
            return custom_object(
                f"{name}-{suffix}",
                kind,
                spec,
                object_name=pool.name,
                namespace=space,
                labels=labels,
                opts=pulumi.ResourceOptions(parent=self, depends_on=[*after, *needs]),
            )

        topology: list[pulumi.CustomResource] = []
        near: dict[str, str] = {}
        if pool.topology:
            levels = [{"nodeLabel": label} for label in (*pool.topology, "kubernetes.io/hostname")]
            topology = [declare("topology", Topology, {"levels": levels}, [])]
            near = {"topologyName": pool.name}
        flavor = declare("flavor", ResourceFlavor, {"nodeLabels": {POOL: pool.name, **pool.selector}, **near}, topology)
        checks: list[pulumi.CustomResource] = []
        strategy: dict[str, object] = {}
        if pool.provisioning is not None:
            config = declare(
                "provisioning",
                ProvisioningRequestConfig,
                # Pods without a GPU run elsewhere and wait for no node.
                {"provisioningClassName": pool.provisioning, "managedResources": [GPU]},
                [],
            )
            checks = [
                declare(
                    "check",
                    AdmissionCheck,
                    {
                        "controllerName": PROVISIONING,
                        "parameters": {
                            "apiGroup": GROUP,
                            "kind": ProvisioningRequestConfig.kind,
                            "name": pool.name,
                        },
                    },
                    [config],
                )
            ]
            strategy = {"admissionChecksStrategy": {"admissionChecks": [{"name": pool.name, "onFlavors": [pool.name]}]}}
        resources = [{"name": resource, "nominalQuota": amount} for resource, amount in pool.quotas.items()]
        # What a queue uses, Kueue keeps until the queue is gone.
        cluster_queue = declare(
            "cluster-queue",
            ClusterQueue,
            {
                "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": NAMESPACE}},
                "resourceGroups": [
                    {
                        "coveredResources": [resource["name"] for resource in resources],
                        "flavors": [{"name": pool.name, "resources": resources}],
                    }
                ],
                **strategy,
            },
            [flavor, *checks],
        )
        declare("queue", LocalQueue, {"clusterQueue": pool.name}, [cluster_queue], namespace)
        self.register_outputs({"queue": pool.name})
