"""The namespace of training jobs and the claims they mount: the same names on every cloud."""

from __future__ import annotations

from collections.abc import Mapping

import pulumi

from gpucluster.components.kubernetes.objects.namespace import PodSecurity, namespace
from gpucluster.components.kubernetes.objects.objects import Declared
from gpucluster.components.kubernetes.objects.volume import Volume, claimed
from gpucluster.components.planning.names import HOME_CLAIM, NAMESPACE, SHARED_CLAIM


class Workspace(pulumi.ComponentResource):
    """namespace: the first object in the cluster; expensive resources depend on it, and so on a reachable API.

    Outputs, once the volumes are mounted: namespace, claim; homeClaim if there is a home file system.
    """

    namespace: Declared
    pod_security: PodSecurity
    volumes: Mapping[str, Volume]
    """By the names of their claims, once mounted."""

    def __init__(
        self,
        name: str,
        *,
        pod_security: PodSecurity = "baseline",
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpucluster:kubernetes:Workspace", name, {}, opts)
        self._name = name
        self.pod_security = pod_security
        self.namespace = job_namespace(
            f"{name}-namespace", NAMESPACE, pod_security, opts=pulumi.ResourceOptions(parent=self)
        )

    def mount(self, shared: Volume, home: Volume | None) -> None:
        """Adds the claims, last: their file systems may need resources that wait for the namespace."""
        self.volumes = {SHARED_CLAIM: shared, **({} if home is None else {HOME_CLAIM: home})}
        inside = self.namespace.object_name
        here = pulumi.ResourceOptions(parent=self)
        made = claims(self._name, self.volumes, namespace=inside, opts=here)
        outputs: dict[str, pulumi.Output[str]] = {"namespace": inside, "claim": made[SHARED_CLAIM].object_name}
        if home is not None:
            outputs["homeClaim"] = made[HOME_CLAIM].object_name
        self.register_outputs(outputs)


def job_namespace(name: str, object_name: str, pod_security: PodSecurity, *, opts: pulumi.ResourceOptions) -> Declared:
    """A namespace for jobs. Pods that violate `baseline` get a warning, whatever it enforces."""
    warn = None if pod_security == "baseline" else "baseline"
    return Declared(name, namespace(object_name, pod_security, warn=warn), opts)


def claims(
    name: str,
    volumes: Mapping[str, Volume],
    *,
    namespace: pulumi.Input[str],
    opts: pulumi.ResourceOptions,
) -> dict[str, Declared]:
    """The claims of a namespace, by name. volumes: by the names of their claims."""
    return {
        claim: claimed(
            name if claim == SHARED_CLAIM else f"{name}-{claim}",
            volume,
            claim=claim,
            namespace=namespace,
            opts=opts,
        )
        for claim, volume in volumes.items()
    }
