"""A queue whose jobs start when the cluster autoscaler has brought the nodes for all of their pods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pulumi

from components.kubernetes.kueue import (
    GROUP,
    PROVISIONING,
    AdmissionCheck,
    ClusterQueue,
    LocalQueue,
    ProvisioningRequestConfig,
    ResourceFlavor,
)
from components.kubernetes.names import GPU, NAMESPACE, POOL
from components.kubernetes.objects import Spec, custom_object

__all__ = ["ProvisionedQueue"]


class ProvisionedQueue(pulumi.ComponentResource):
    """A flavor, a check with its configuration, and two queues, all called as the pool.

    Jobs of the namespace `training` name the queue by the label `kueue.x-k8s.io/queue-name`. Output: queue.
    """

    def __init__(
        self,
        name: str,
        *,
        pool: str,
        namespace: pulumi.Input[str],
        provisioning_class: str,
        quotas: Mapping[str, str],
        labels: Mapping[str, str],
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """pool: of the nodes, as their label `gpucluster/pool` says. namespace: `training`, once it is there.
        provisioning_class: of the cluster autoscaler. quotas: amounts by resource, of everything jobs ask for. after:
        Kueue.
        """
        super().__init__("gpucluster:kubernetes:ProvisionedQueue", name, {}, opts)

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
                object_name=pool,
                namespace=space,
                labels=labels,
                opts=pulumi.ResourceOptions(parent=self, depends_on=[*after, *needs]),
            )

        flavor = declare("flavor", ResourceFlavor, {"nodeLabels": {POOL: pool}}, [])
        config = declare(
            "provisioning",
            ProvisioningRequestConfig,
            # Pods without a GPU run elsewhere and wait for no node.
            {"provisioningClassName": provisioning_class, "managedResources": [GPU]},
            [],
        )
        check = declare(
            "check",
            AdmissionCheck,
            {
                "controllerName": PROVISIONING,
                "parameters": {"apiGroup": GROUP, "kind": ProvisioningRequestConfig.kind, "name": pool},
            },
            [config],
        )
        resources = [{"name": resource, "nominalQuota": amount} for resource, amount in quotas.items()]
        # What a queue uses, Kueue keeps until the queue is gone.
        cluster_queue = declare(
            "cluster-queue",
            ClusterQueue,
            {
                "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": NAMESPACE}},
                "resourceGroups": [
                    {"coveredResources": list(quotas), "flavors": [{"name": pool, "resources": resources}]}
                ],
                "admissionChecksStrategy": {"admissionChecks": [{"name": pool, "onFlavors": [pool]}]},
            },
            [flavor, check],
        )
        declare("queue", LocalQueue, {"clusterQueue": pool}, [cluster_queue], namespace)
        self.register_outputs({"queue": pool})
