"""Logs of pods: a CloudWatch log group, and Fluent Bit on every node, which writes to it.

Not the add-on amazon-cloudwatch-observability: its agent also sends metrics, billed per metric, that this cluster has
from Prometheus.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import pulumi
from pulumi_aws import cloudwatch

from gpucluster.components.aws.control_plane import ControlPlane
from gpucluster.components.aws.identity import pod_role
from gpucluster.components.aws.location import console
from gpucluster.components.cluster.outputs import Logs
from gpucluster.components.kubernetes.objects.charts import mirrored
from gpucluster.components.kubernetes.objects.manifest import manifests
from gpucluster.components.kubernetes.objects.objects import Declared
from gpucluster.components.planning.names import NAMESPACE, SYSTEM_NAMESPACE

IMAGE: Final = (
    "public.ecr.aws/aws-observability/aws-for-fluent-bit:3.4.15"
    "@sha256:88e1b56cedb230486afeca6eeb26c5f6bd59c48879d0054d1674d5a58838c607"
)
"""Fluent Bit 5.0.9 in AWS's distribution; Pod Identity gives it credentials from 4.0 on (fluent/fluent-bit #10115).

Source: tag and digest as paired in public manifests, and the version as reported by the program in one of them.
"""

_MANIFEST: Final = Path(__file__).parent / "manifests/pod-logs.yaml"
_NAME: Final = "pod-logs"
_STATE: Final = "/state"
_PREFIX: Final = "pod."
# Format of the kubelet's file names. Source: Fluent Bit documentation, "Tail" (Tag_Regex).
_FILE_NAME: Final = (
    r"(?<pod_name>[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*)"
    r"_(?<namespace_name>[^_]+)_(?<container_name>.+)-(?<container_id>[a-z0-9]{64})\.log$"
)


class PodLogs(pulumi.ComponentResource):
    """Outputs: group. found: access to the logs.

    A stream for each container, `pod.NAMESPACE.POD.CONTAINER`. Those of kube-system, including its own, are excluded.
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
        """registry: mirror of the image. after: prerequisites, not nodes. opts: with the provider of Kubernetes."""
        super().__init__("gpucluster:aws:PodLogs", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        region, group_name = control_plane.region, f"/aws/containerinsights/{cluster_name}/application"
        group = cloudwatch.LogGroup(f"{name}-group", name=group_name, retention_in_days=keep_days, opts=here)
        # The group has the name that Container Insights uses, where tools and users look. The role may create no
        # groups, so none reappears after a destroy. Source: Fluent Bit documentation, "Amazon CloudWatch".
        role, grants = pod_role(
            f"{name}-role",
            cluster_name=control_plane.cluster_name,
            namespace=SYSTEM_NAMESPACE,
            service_account=_NAME,
            statements=[
                {
                    "Effect": "Allow",
                    "Action": ["logs:CreateLogStream", "logs:PutLogEvents"],
                    # None in a staged `up` that excludes the group.
                    "Resource": group.arn.apply(lambda arn: arn and f"{arn}:*"),
                }
            ],
            opts=here,
        )
        settings = _settings(region, group_name)
        image, read = mirrored(IMAGE, registry), hashlib.sha256(settings.encode()).hexdigest()[:16]
        account, files, daemon = manifests(_MANIFEST, {"image": image, "settings": settings, "read": read})
        before = [
            Declared(f"{name}-account", account, here),
            Declared(f"{name}-settings", files, here),
            role,
            *grants,
            *after,
        ]
        Declared(f"{name}-daemon", daemon, pulumi.ResourceOptions(parent=self, depends_on=before))
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
    """Configuration of Fluent Bit. Its unsent logs and read positions outlive its pod."""
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
                # Pods may have written logs before this one starts.
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
