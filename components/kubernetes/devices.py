"""The device plugins by which pods request GPUs and fabric interfaces."""

from __future__ import annotations

import pulumi

from gpucluster.components.kubernetes.objects.charts import EFA_DEVICE_PLUGIN, NVIDIA_DEVICE_PLUGIN
from gpucluster.components.kubernetes.objects.release import release
from gpucluster.components.planning.mig_layout import Strategy
from gpucluster.components.planning.names import ALL_TAINTS, EFA_PRESENT, GPU_PRESENT, SYSTEM_NAMESPACE


class Devices(pulumi.ComponentResource):
    """Resources `nvidia.com/gpu` and, on AWS, `vpc.amazonaws.com/efa` of the nodes."""

    def __init__(
        self,
        name: str,
        *,
        registry: str | None,
        efa_registry: str | None = None,
        mig: Strategy | None = None,
        after: list[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """registry: mirror of the images, None to pull them from their publishers. efa_registry: of AWS' own image, if
        it differs from the chart's. mig: how pods request slices, if some GPUs are sliced. after: nodes on which the
        plugins can run.
        """
        super().__init__("gpucluster:kubernetes:Devices", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        gpu = release(
            f"{name}-nvidia",
            NVIDIA_DEVICE_PLUGIN,
            namespace=SYSTEM_NAMESPACE,
            values={
                "nodeSelector": {GPU_PRESENT: "true"},
                "tolerations": [ALL_TAINTS],
                **({"migStrategy": mig} if mig is not None else {}),
            },
            registry=registry,
            after=after,
            opts=here,
        )
        # The chart tolerates no GPU taint by default, and its pod exits on a node without EFA.
        efa = release(
            f"{name}-efa",
            EFA_DEVICE_PLUGIN,
            namespace=SYSTEM_NAMESPACE,
            values={
                "nodeSelector": {EFA_PRESENT: "true"},
                "tolerations": [ALL_TAINTS],
            },
            registry=registry or efa_registry,
            after=after,
            opts=here,
        )
        self.register_outputs({"gpuPlugin": gpu.name, "efaPlugin": efa.name})
