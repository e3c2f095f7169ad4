"""What pods print, in a log group of CloudWatch: the group, and what reads the nodes' files and writes to it.

Not the add-on amazon-cloudwatch-observability: it brings an agent with metrics of its own, billed one by one, that this
cluster has from Prometheus.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

import pulumi
from pulumi_aws import cloudwatch
from pulumi_kubernetes.core import v1 as core
from pulumi_kubernetes.meta import v1 as meta

from gpucluster.components.aws.control_plane import ControlPlane
from gpucluster.components.aws.identity import pod_role
from gpucluster.components.aws.partition import console
from gpucluster.components.kubernetes.critical_pods import NODE_CRITICAL
from gpucluster.components.kubernetes.job_images import mirrored
from gpucluster.components.kubernetes.kinds import DAEMON_SET
from gpucluster.components.kubernetes.objects import custom_object
from gpucluster.components.kubernetes.restricted import CONTAINER
from gpucluster.components.names import NAMESPACE, SYSTEM_NAMESPACE
from gpucluster.components.outputs import Logs

IMAGE: Final = (
    "public.ecr.aws/aws-observability/aws-for-fluent-bit:3.4.15"
    "@sha256:88e1b56cedb230486afeca6eeb26c5f6bd59c48879d0054d1674d5a58838c607"
)
"""Fluent Bit 5.0.9 in AWS's distribution; Pod Identity gives it credentials from 4.0 on (fluent/fluent-bit #10115).

Source: tag and digest as public manifests pair them, and the version as one of them saw the program tell it.
"""

_NAME: Final = "pod-logs"
_FOLDER: Final = "/fluent-bit/custom"
_STATE: Final = "/state"
_PREFIX: Final = "pod."
# The kubelet names its files so. Source: Fluent Bit documentation, "Tail" (Tag_Regex).
_FILE_NAME: Final = (
    r"(?<pod_name>[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*)"
    r"_(?<namespace_name>[^_]+)_(?<container_name>.+)-(?<container_id>[a-z0-9]{64})\.log$"
)


class PodLogs(pulumi.ComponentResource):
    """Outputs: group. found: where the logs are.

    A stream for each container, `pod.NAMESPACE.POD.CONTAINER`. Those of kube-system, its own among them, are left out.
    """

    found: Logs

    def __init__(
        self,
        name: str,
        *,
        keep_days: int,
        control_plane: ControlPlane,
        cluster_name: str,
        registry: str | None,
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """registry: mirror of the image. after: the nodes that it must not wait for. opts: with the provider of
        Kubernetes.
        """
        super().__init__("gpucluster:aws:PodLogs", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        region, group_name = control_plane.region, f"/aws/containerinsights/{cluster_name}/application"
        group = cloudwatch.LogGroup(f"{name}-group", name=group_name, retention_in_days=keep_days, opts=here)
        # The group has the name that Container Insights gives it, where tools and people look. The role may make none,
        # so none comes back after a destroy. Source: Fluent Bit documentation, "Amazon CloudWatch".
        role, grants = pod_role(
            f"{name}-role",
            cluster_name=control_plane.cluster_name,
            namespace=SYSTEM_NAMESPACE,
            service_account=_NAME,
            statements=[
                {
                    "Effect": "Allow",
                    "Action": ["logs:CreateLogStream", "logs:PutLogEvents"],
                    # None in a staged `up` that leaves it out.
                    "Resource": group.arn.apply(lambda arn: arn and f"{arn}:*"),
                }
            ],
            opts=here,
        )
        settings = _settings(region, group_name)
        metadata = meta.ObjectMetaArgs(name=_NAME, namespace=SYSTEM_NAMESPACE)
        account = core.ServiceAccount(f"{name}-account", metadata=metadata, opts=here)
        files = core.ConfigMap(f"{name}-settings", metadata=metadata, data={"fluent-bit.conf": settings}, opts=here)
        custom_object(
            f"{name}-daemon",
            DAEMON_SET,
            _daemon(mirrored(IMAGE, registry), settings),
            object_name=_NAME,
            namespace=SYSTEM_NAMESPACE,
            opts=pulumi.ResourceOptions(parent=self, depends_on=[account, files, role, *grants, *after]),
        )
        place = group_name.replace("/", "$252F")
        self.found = Logs(
            console=pulumi.Output.from_input(
                f"https://{console(region)}/cloudwatch/home?region={region}#logsV2:log-groups/log-group/{place}"
            ),
            command=pulumi.Output.from_input(
                f"aws logs tail {group_name} --region {region} --log-stream-name-prefix {_PREFIX}{NAMESPACE}.JOB "
                "--since 1d"
            ),
        )
        self.register_outputs({"group": group.name})


def _settings(region: str, group: str) -> str:
    """Of Fluent Bit. What it has not sent yet, and how far it has read, outlives its pod."""
    sections: Sequence[tuple[str, Mapping[str, str]]] = (
        ("SERVICE", {"Flush": "5", "Grace": "30", "Log_Level": "warn", "storage.path": f"{_STATE}/buffer"}),
        (
            "INPUT",
            {
                "Name": "tail",
                "Path": "/var/log/containers/*.log",
                "Exclude_Path": f"/var/log/containers/*_{SYSTEM_NAMESPACE}_*.log",
                "Tag_Regex": _FILE_NAME,
                "Tag": "<namespace_name>.<pod_name>.<container_name>",
                "multiline.parser": "cri",
                "DB": f"{_STATE}/read.db",
                # A pod may have printed before this one is there.
                "Read_from_Head": "On",
                "Skip_Long_Lines": "On",
                "storage.type": "filesystem",
            },
        ),
        (
            "OUTPUT",
            {
                "Name": "cloudwatch_logs",
                "Match": "*",
                "region": region,
                "log_group_name": group,
                "log_stream_prefix": _PREFIX,
                "log_key": "log",
                "auto_create_group": "false",
                "Retry_Limit": "5",
                "storage.total_limit_size": "1G",
            },
        ),
    )
    return "".join(
        f"[{kind}]\n" + "".join(f"    {key} {value}\n" for key, value in values.items()) for kind, values in sections
    )


def _daemon(image: str, settings: str) -> dict[str, Any]:
    """On every node, whatever its taints. It is root, whom the files of other pods belong to, and nothing more."""
    own = {"k8s-app": _NAME}
    container = {
        "name": "fluent-bit",
        "image": image,
        "command": ["/fluent-bit/bin/fluent-bit", "-c", f"{_FOLDER}/fluent-bit.conf"],
        "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
        "securityContext": {**CONTAINER, "readOnlyRootFilesystem": True, "runAsUser": 0},
        "volumeMounts": [
            {"name": "logs", "mountPath": "/var/log", "readOnly": True},
            {"name": "state", "mountPath": _STATE},
            {"name": "settings", "mountPath": _FOLDER, "readOnly": True},
        ],
    }
    # A pod does not read its file again: another one is another pod.
    read = hashlib.sha256(settings.encode()).hexdigest()[:16]
    return {
        "selector": {"matchLabels": own},
        "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "10%"}},
        "template": {
            "metadata": {"labels": own, "annotations": {"gpucluster/files": read}},
            "spec": {
                "serviceAccountName": _NAME,
                "automountServiceAccountToken": False,
                "priorityClassName": NODE_CRITICAL,
                "tolerations": [{"operator": "Exists"}],
                "terminationGracePeriodSeconds": 45,
                "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
                "containers": [container],
                "volumes": [
                    {"name": "logs", "hostPath": {"path": "/var/log"}},
                    {"name": "state", "hostPath": {"path": "/var/lib/pod-logs", "type": "DirectoryOrCreate"}},
                    {"name": "settings", "configMap": {"name": _NAME}},
                ],
            },
        },
    }
