"""The objects that keep jobs off broken nodes: a program of one file, in a namespace of its own."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pulumi
from pulumi_kubernetes.core import v1 as core
from pulumi_kubernetes.meta import v1 as meta

from gpucluster.components.kubernetes.critical_pods import CLUSTER_CRITICAL, critical_pods
from gpucluster.components.kubernetes.job_images import mirrored
from gpucluster.components.kubernetes.kinds import CLUSTER_ROLE, CLUSTER_ROLE_BINDING, DEPLOYMENT
from gpucluster.components.kubernetes.network_policy import only_these_ports
from gpucluster.components.kubernetes.objects import custom_object
from gpucluster.components.kubernetes.restricted import CONTAINER, pod
from gpucluster.components.kubernetes.scraped import NODE_HEALTH
from gpucluster.components.names import NODE_HEALTH_PORT

NAME: Final = NODE_HEALTH.name
"""Of the namespace and of everything in it."""
IMAGE: Final = (
    "public.ecr.aws/docker/library/python:3.13-slim"
    "@sha256:6771159cd4fa5d9bba1258caf0b82e6b73458c694d178ad97c5e925c2d0e1a91"
)
"""Python and its library. Docker's own image, from a registry that does not count what one address pulls.

Source: tag and digest as public Dockerfiles pair them, by this registry and by Docker Hub.
"""

_FOLDER: Final = "/etc/node-health"
_PROGRAM: Final = "controller.py"
_SETTINGS: Final = "settings.json"
_NOBODY: Final = 65534
# All that it may do: see nodes, change their taints (a right for which Kubernetes has no name of its own), and tell.
_RIGHTS: Final[Sequence[Mapping[str, Any]]] = (
    {"apiGroups": [""], "resources": ["nodes"], "verbs": ["list", "patch"]},
    {"apiGroups": [""], "resources": ["events"], "verbs": ["create"]},
)


class NodeHealth(pulumi.ComponentResource):
    """Outputs: namespace. `ready`: that of Kubernetes."""

    ready: list[pulumi.Resource]

    def __init__(
        self,
        name: str,
        settings: str,
        *,
        tolerations: Sequence[Mapping[str, str]],
        registry: str | None,
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """settings: as `plan.settings_json` writes them. tolerations: of controllers. registry: mirror of the image,
        None to take it from where it is published. after: nodes for it.
        """
        super().__init__("gpucluster:kubernetes:NodeHealth", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        space = core.Namespace(
            f"{name}-namespace",
            metadata=meta.ObjectMetaArgs(name=NAME, labels={"pod-security.kubernetes.io/enforce": "restricted"}),
            opts=here,
        )
        namespace = space.metadata.name
        self.ready = [space]
        metadata = meta.ObjectMetaArgs(name=NAME, namespace=namespace)
        quota = critical_pods(f"{name}-quota", CLUSTER_CRITICAL, namespace=namespace, opts=here)
        only_these_ports(f"{name}-network", [NODE_HEALTH_PORT], namespace=namespace, opts=here)
        files = {_PROGRAM: Path(__file__).with_name(_PROGRAM).read_text(encoding="utf-8"), _SETTINGS: settings}
        account = core.ServiceAccount(f"{name}-account", metadata=metadata, opts=here)
        shown = core.ConfigMap(f"{name}-files", metadata=metadata, data=files, opts=here)
        role = custom_object(f"{name}-role", CLUSTER_ROLE, {"rules": list(_RIGHTS)}, object_name=NAME, opts=here)
        binding = custom_object(
            f"{name}-binding",
            CLUSTER_ROLE_BINDING,
            {
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": NAME},
                "subjects": [{"kind": "ServiceAccount", "name": NAME, "namespace": namespace}],
            },
            object_name=NAME,
            opts=here,
        )
        custom_object(
            f"{name}-program",
            DEPLOYMENT,
            _deployment(files, mirrored(IMAGE, registry), [dict(item) for item in tolerations]),
            object_name=NAME,
            namespace=namespace,
            opts=pulumi.ResourceOptions(parent=self, depends_on=[account, shown, role, binding, quota, *after]),
        )
        self.register_outputs({"namespace": namespace})


def _deployment(files: Mapping[str, str], image: str, tolerations: list[dict[str, str]]) -> dict[str, Any]:
    own = dict(NODE_HEALTH.labels)
    # A pod does not read its files again: other files are another pod.
    read = hashlib.sha256("".join(files.values()).encode()).hexdigest()[:16]
    container = {
        "name": NAME,
        "image": image,
        "command": [
            "python3",
            "-u",
            f"{_FOLDER}/{_PROGRAM}",
            "--settings",
            f"{_FOLDER}/{_SETTINGS}",
            "--port",
            str(NODE_HEALTH_PORT),
        ],
        "ports": [{"name": NODE_HEALTH.port, "containerPort": NODE_HEALTH_PORT}],
        "resources": {"requests": {"cpu": "20m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
        "securityContext": {**CONTAINER, "readOnlyRootFilesystem": True},
        "volumeMounts": [{"name": "files", "mountPath": _FOLDER, "readOnly": True}],
    }
    spec = {
        "serviceAccountName": NAME,
        "priorityClassName": CLUSTER_CRITICAL,
        "tolerations": tolerations,
        "securityContext": pod(_NOBODY),
        "containers": [container],
        "volumes": [{"name": "files", "configMap": {"name": NAME}}],
    }
    return {
        "replicas": 1,
        # Never two at a time: each would count its own nodes against the limit.
        "strategy": {"type": "Recreate"},
        "selector": {"matchLabels": own},
        "template": {
            "metadata": {"labels": own, "annotations": {"gpucluster/files": read}},
            "spec": spec,
        },
    }
