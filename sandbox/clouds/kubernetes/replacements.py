# ruff: noqa: SIM905 - long lists of words read better as text
"""Changes that replace a Kubernetes object.

Source: pulumi/pulumi-kubernetes provider/pkg/provider/diff.go (`forceNew`), the same for every listed version of a
group. An unlisted property is updated in place.
"""

from __future__ import annotations

from typing import Final

from gpucluster.sandbox.clouds.diff import Change, property_names

_SELECTOR: Final = ("spec.selector",)
_JOB: Final = ("spec.completions", "spec.parallelism", "spec.selector", "spec.template")
_STATEFUL_SET: Final = (
    "spec.podManagementPolicy",
    "spec.revisionHistoryLimit",
    "spec.selector",
    "spec.serviceName",
    "spec.volumeClaimTemplates",
)
_VOLUME_SOURCES: Final = """
    awsElasticBlockStore azureDisk azureFile cephfs cinder csi fc flexVolume flocker gcePersistentDisk glusterfs
    hostPath iscsi local nfs photonPersistentDisk portworxVolume quobyte rbd scaleIO storageos vsphereVolume
""".split()
_POD: Final = """
    affinity automountServiceAccountToken containers dnsConfig dnsPolicy enableServiceLinks hostAliases hostIPC
    hostNetwork hostPID hostname imagePullSecrets initContainers nodeName nodeSelector overhead preemptionPolicy
    priority priorityClassName readinessGates restartPolicy runtimeClassName schedulerName securityContext
    serviceAccount serviceAccountName shareProcessNamespace subdomain terminationGracePeriodSeconds volumes
""".split()

_PATHS: Final[dict[tuple[str, str], tuple[str, ...]]] = {
    ("apps", "Deployment"): _SELECTOR,
    ("apps", "DaemonSet"): _SELECTOR,
    ("apps", "StatefulSet"): _STATEFUL_SET,
    ("batch", "Job"): _JOB,
    ("core", "ConfigMap"): ("data", "binaryData"),
    ("core", "PersistentVolume"): tuple(f"spec.{source}" for source in _VOLUME_SOURCES),
    ("core", "PersistentVolumeClaim"): ("spec",),
    ("core", "Pod"): tuple(f"spec.{part}" for part in _POD),
    ("core", "ResourceQuota"): ("spec.scopes",),
    ("core", "Secret"): ("type", "stringData", "data"),
    ("core", "Service"): ("spec.clusterIP",),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): ("roleRef",),
    ("rbac.authorization.k8s.io", "RoleBinding"): ("roleRef",),
    ("storage.k8s.io", "StorageClass"): ("parameters", "provisioner"),
}

_ALWAYS: Final = ("metadata.name", "metadata.namespace", "apiVersion", "kind")


def replaces(token: str, change: Change) -> bool:
    """Whether this change of an object of this type replaces it."""
    group = token.split(":")[1].split("/")[0]
    kind = token.rsplit(":", 1)[-1]
    path = property_names(change.path)
    return any(path[: len(listed)] == listed for listed in map(_split, (*_ALWAYS, *_PATHS.get((group, kind), ()))))


def _split(path: str) -> tuple[str, ...]:
    return tuple(path.split("."))
