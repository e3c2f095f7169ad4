"""What the API server refuses of pods where jobs are, if these have to have more rights than the pod security standard
`baseline` gives: everything beyond those. Imports no Pulumi.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from gpucluster.components.kubernetes.cel import texts
from gpucluster.components.kubernetes.job_pool import FabricPod, JobPool
from gpucluster.components.names import NAMESPACE

POD_RULES: Final = "training-pods"

# Capabilities that the pod security standard `baseline` lets a container add.
# Source: k8s.io/pod-security-admission v0.34.1, policy/check_capabilities_baseline.go.
_HARMLESS: Final = (
    "AUDIT_WRITE",
    "CHOWN",
    "DAC_OVERRIDE",
    "FOWNER",
    "FSETID",
    "KILL",
    "MKNOD",
    "NET_BIND_SERVICE",
    "SETFCAP",
    "SETGID",
    "SETPCAP",
    "SETUID",
    "SYS_CHROOT",
)


def pod_spec(pools: Sequence[JobPool], namespaces: Sequence[str] = (NAMESPACE,)) -> dict[str, Any]:
    """The rules for pods of the jobs' namespaces: those of the pod security standard `baseline`, and beyond it what the
    fabric needs of the node by name. Options of SELinux, hosts of probes and sysctls are left to the node.
    """
    fabrics, folders = fabrics_of(pools), folders_of(pools)
    rights = sorted(
        {right for fabric in fabrics for right in fabric.capabilities}
        | {
            right
            for fabric in fabrics
            for container in fabric.before
            for right in container.get("securityContext", {}).get("capabilities", {}).get("add", [])
        }
    )
    context = "has(c.securityContext)"
    unconfined = "(!has({of}.{kind}Profile) || {of}.{kind}Profile.type != 'Unconfined')"

    def confined(of: str) -> str:
        return " && ".join(unconfined.format(of=of, kind=kind) for kind in ("seccomp", "appArmor"))

    return {
        "failurePolicy": "Fail",
        "matchConstraints": {
            "resourceRules": [
                {
                    "apiGroups": [""],
                    "apiVersions": ["v1"],
                    "operations": ["CREATE", "UPDATE"],
                    "resources": ["pods", "pods/ephemeralcontainers"],
                }
            ],
            "namespaceSelector": _named(namespaces),
        },
        "variables": [
            {
                "name": "containers",
                "expression": "object.spec.containers + "
                "(has(object.spec.initContainers) ? object.spec.initContainers : []) + "
                "(has(object.spec.ephemeralContainers) ? object.spec.ephemeralContainers : [])",
            }
        ],
        "validations": [
            {
                "expression": f"variables.containers.all(c, !{context} || !has(c.securityContext.privileged) || "
                "!c.securityContext.privileged)",
                "message": "a container is privileged: root on a machine that other jobs use after it; ask for the "
                "capability it needs",
            },
            {
                "expression": "(!has(object.spec.hostNetwork) || !object.spec.hostNetwork) && "
                "(!has(object.spec.hostPID) || !object.spec.hostPID) && "
                "(!has(object.spec.hostIPC) || !object.spec.hostIPC)",
                "message": "the pod shares the network, the processes or the memory of its machine; remove "
                "hostNetwork, hostPID and hostIPC",
            },
            {
                "expression": "!has(object.spec.volumes) || object.spec.volumes.all(v, !has(v.hostPath) || "
                f"v.hostPath.path in {texts(folders)})",
                "message": folder_refusal(folders),
            },
            {
                "expression": f"variables.containers.all(c, !{context} || !has(c.securityContext.capabilities) || "
                "!has(c.securityContext.capabilities.add) || c.securityContext.capabilities.add.all(r, "
                f"r in {texts([*_HARMLESS, *rights])}))",
                "message": "a container adds a capability that is neither harmless nor one of the fabric's, "
                f"{', '.join(rights) or 'none'}; remove it",
            },
            {
                "expression": "variables.containers.all(c, !has(c.ports) || c.ports.all(p, !has(p.hostPort) || "
                "p.hostPort == 0))",
                "message": "a container has a port of its machine; remove hostPort: pods reach each other by name",
            },
            {
                "expression": f"(!has(object.spec.securityContext) || ({confined('object.spec.securityContext')})) && "
                f"variables.containers.all(c, !{context} || ({confined('c.securityContext')} && "
                "(!has(c.securityContext.procMount) || c.securityContext.procMount == 'Default')))",
                "message": "the pod or a container takes a guard of the machine's kernel away; remove seccompProfile "
                "and appArmorProfile of type Unconfined, and procMount",
            },
        ],
    }


def fabrics_of(pools: Sequence[JobPool]) -> list[FabricPod]:
    """What all pods need of their fabrics."""
    return [part for pool in pools for part in (pool.fabric, pool.mpi_fabric) if part is not None]


def folder_refusal(folders: Sequence[str]) -> str:
    """Why a volume is refused. Two policies see it, and the API server says the words of either."""
    allowed = f" other than {', '.join(folders)}," if folders else ","
    return (
        f"a volume is a folder of the machine{allowed} which others use after it; use the claim shared, or an emptyDir"
    )


def folders_of(pools: Sequence[JobPool]) -> list[str]:
    """Folders of the machine that pods of runtimes mount."""
    mounted = {
        volume["hostPath"]["path"]
        for fabric in fabrics_of(pools)
        for volume in fabric.volumes
        if isinstance(volume.get("hostPath"), Mapping)
    }
    return sorted(mounted | {pool.scratch for pool in pools if pool.scratch is not None})


def _named(namespaces: Sequence[str]) -> dict[str, Any]:
    name = "kubernetes.io/metadata.name"
    if len(namespaces) == 1:
        return {"matchLabels": {name: namespaces[0]}}
    return {"matchExpressions": [{"key": name, "operator": "In", "values": list(namespaces)}]}
