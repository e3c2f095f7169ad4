"""The objects of a Slurm cluster, of the kinds that Slinky's operator turns into pods. Imports no Pulumi.

Source of the kinds: SlinkyProject/slurm-operator v1.1.0, api/v1beta1 and internal/builder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from gpucluster.components.kubernetes.jobs.job_pool import FabricPod, JobPool
from gpucluster.components.kubernetes.jobs.runtimes import SILENT_NODE
from gpucluster.components.kubernetes.objects.charts import mirrored
from gpucluster.components.kubernetes.objects.objects import Kind
from gpucluster.components.kubernetes.slurm.nodes import (
    FOLDER,
    devices,
    extra_conf,
    slurm_node,
    slurm_partition,
)
from gpucluster.components.planning.names import (
    GPU_TOLERATION,
    HOME_CLAIM,
    HOME_PATH,
    POOL,
    SCRATCH_PATH,
    SHARED_CLAIM,
    SHARED_PATH,
)
from gpucluster.core.slurm import node_options, partition_options

_VERSION: Final = "slinky.slurm.net/v1beta1"
ACCOUNTING: Final = Kind(_VERSION, "Accounting")
CONTROLLER: Final = Kind(_VERSION, "Controller")
LOGIN_SET: Final = Kind(_VERSION, "LoginSet")
NODE_SET: Final = Kind(_VERSION, "NodeSet")
REST_API: Final = Kind(_VERSION, "RestApi")

SLURM: Final = "slurm"
"""Namespace of the Slurm cluster, and name of its controller and its records."""
OPERATOR_NAMESPACE: Final = "slinky"
OPERATOR: Final = "slurm-operator"
LOGIN: Final = "login"
USER: Final = "submitter"
"""Unix user of the login node that everyone submits as; the image has none but those of the system."""
USER_SHELL: Final = ("runuser", "--login", USER)
SLURM_SHELL: Final = f"kubectl --namespace {SLURM} exec --stdin --tty deployment/{LOGIN} -- {' '.join(USER_SHELL)}"
CONFIG: Final = "config"
STATE: Final = "state"
"""Claim with the queue and the records of slurmctld."""
AUTH_KEY: Final = "auth"
JWT_KEY: Final = "jwt"
"""Secrets with the keys by which Slurm's programs know each other, and those that call its API."""
SSSD: Final = "sssd"
SSSD_FILE: Final = "sssd.conf"

_TAG: Final = "25.11-ubuntu24.04"
"""Slurm 25.11. Source: SlinkyProject/slurm-operator v1.1.0, helm/slurm/values.yaml."""

USERS: Final = """\
[sssd]
config_file_version = 2
services = nss, pam
domains = local

[domain/local]
id_provider = proxy
auth_provider = none
proxy_lib_name = files
"""
"""sssd.conf of the login node: only its own users, since who may log in is not the cluster's to know.

Source: sssd.conf(5).
"""
# The user is needed on the login node alone: slurmd gets it with each job. Source: slurm.conf(5), use_client_ids, which
# slurm-operator v1.1.0 sets; SlinkyProject/containers, schedmd/slurm/25.11/ubuntu24.04 (nss_slurm).
_USER_ID: Final = 1000


def _add_user(home: str) -> dict[str, Any]:
    """On each start of the login node. home: on shared storage, where jobs find it."""
    script = (
        f"install --directory --owner {_USER_ID} --group {_USER_ID} --mode 0755 {home} && "
        f"useradd --uid {_USER_ID} --user-group --no-create-home --home-dir {home} --shell /bin/bash {USER}"
    )
    return {"postStart": {"exec": {"command": ["/bin/sh", "-c", script]}}}


def image(program: str, registry: str | None) -> str:
    """An image of Slurm's programs. registry: as for charts."""
    return mirrored(f"ghcr.io/slinkyproject/{program}:{_TAG}", registry)


def node_files_name(pool: JobPool) -> str:
    """ConfigMap with the files of a pool's nodes."""
    return f"nodes-{pool.name}"


def controller_spec(
    cluster_name: str, tolerations: Sequence[Mapping[str, str]], registry: str | None, *, accounting: bool
) -> dict[str, Any]:
    """slurmctld. accounting: whether jobs are recorded."""
    program = {"image": image("slurmctld", registry)}
    return {
        "clusterName": cluster_name,
        **({"accountingRef": dict(_REF)} if accounting else {}),
        "slurmKeyRef": {"name": AUTH_KEY, "key": "token"},
        "jwtKeyRef": {"name": JWT_KEY, "key": "token"},
        "configFileRefs": [{"name": CONFIG}],
        "extraConf": extra_conf(),
        "slurmctld": program,
        "reconfigure": program,
        "logfile": program,
        "persistence": {"enabled": True, "existingClaim": STATE},
        "template": {"spec": {"tolerations": _plain(tolerations)}},
    }


def rest_api_spec(tolerations: Sequence[Mapping[str, str]], registry: str | None) -> dict[str, Any]:
    """slurmrestd, by which the operator drains a node before it ends its pod."""
    return {
        "controllerRef": dict(_REF),
        "slurmrestd": {"image": image("slurmrestd", registry)},
        "template": {"spec": {"tolerations": _plain(tolerations)}},
    }


def login_spec(tolerations: Sequence[Mapping[str, str]], registry: str | None, *, home: bool) -> dict[str, Any]:
    """The login node, on a CPU node, reachable only through the API server."""
    return {
        "controllerRef": dict(_REF),
        "login": {
            "image": image("login-pyxis", registry),
            "lifecycle": _add_user(f"{HOME_PATH if home else SHARED_PATH}/{USER}"),
            "volumeMounts": _storage_mounts(home=home),
        },
        "initconf": {"image": image("slurmctld", registry)},
        "sssdConfRef": {"name": SSSD, "key": SSSD_FILE},
        "service": {"spec": {"type": "ClusterIP"}},
        "template": {"spec": {"tolerations": _plain(tolerations), "volumes": _storage(home=home)}},
    }


def node_set_spec(pool: JobPool, registry: str | None, *, default: bool, home: bool) -> dict[str, Any]:
    """slurmd on each machine of a pool: its pod takes the whole machine, as a training job does. Of an elastic pool
    none: a pod starts a machine.
    """
    fabric = pool.fabric or FabricPod()
    # The operator names the pool as the node's feature.
    node = replace(slurm_node(pool, 0), features=())
    limits = {**{name: str(amount) for name, amount in devices(pool).items()}, **fabric.resources}
    shape = pool.shape
    scratch: dict[str, Any] = (
        {"emptyDir": {}} if pool.scratch is None else {"hostPath": {"path": pool.scratch, "type": "Directory"}}
    )
    files = {"name": node_files_name(pool), "defaultMode": 0o755}
    return {
        "controllerRef": dict(_REF),
        "replicas": 0 if pool.elastic else pool.nodes,
        "extraConf": node_options(node),
        "partition": {"enabled": True, "config": partition_options(slurm_partition(pool, default=default))},
        "slurmd": {
            "image": image("slurmd-pyxis", registry),
            "resources": {
                "requests": {"cpu": str(shape.vcpus * 3 // 4), "memory": f"{shape.memory_gib * 3 // 4}Gi"},
                "limits": limits,
            },
            "volumeMounts": [
                {"name": "shm", "mountPath": "/dev/shm"},
                {"name": "scratch", "mountPath": SCRATCH_PATH},
                *_storage_mounts(home=home),
                {"name": "files", "mountPath": FOLDER},
                {
                    "name": "files",
                    "mountPath": "/etc/enroot/mounts.d/90-gpucluster.fstab",
                    "subPath": "mounts.fstab",
                },
                *map(dict, fabric.mounts),
            ],
        },
        "logfile": {"image": image("slurmctld", registry)},
        "template": {
            "metadata": {"annotations": {**pool.annotations, **fabric.annotations}},
            "spec": {
                # Of the names of Slurm's nodes, before their numbers.
                "hostname": f"{pool.name}-",
                "nodeSelector": {POOL: pool.name, **pool.selector},
                "tolerations": _plain([GPU_TOLERATION, *pool.tolerations, *SILENT_NODE]),
                "terminationGracePeriodSeconds": pool.grace_seconds,
                "initContainers": _plain(fabric.before),
                "volumes": [
                    {
                        "name": "shm",
                        "emptyDir": {"medium": "Memory", "sizeLimit": f"{max(1, shape.memory_gib // 8)}Gi"},
                    },
                    {"name": "scratch", **scratch},
                    {"name": "files", "configMap": files},
                    *_storage(home=home),
                    *_plain(fabric.volumes),
                ],
            },
        },
    }


_REF: Final[Mapping[str, str]] = {"name": SLURM, "namespace": SLURM}
"""Of the controller, and of the records."""


def _storage(*, home: bool) -> list[dict[str, Any]]:
    claims = [SHARED_CLAIM, *([HOME_CLAIM] if home else [])]
    return [{"name": claim, "persistentVolumeClaim": {"claimName": claim}} for claim in claims]


def _storage_mounts(*, home: bool) -> list[dict[str, Any]]:
    return [
        {"name": SHARED_CLAIM, "mountPath": SHARED_PATH},
        *([{"name": HOME_CLAIM, "mountPath": HOME_PATH}] if home else []),
    ]


def _plain(items: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [dict(item) for item in items]
