"""Metrics on AWS: a workspace of Amazon Managed Service for Prometheus, its collector, alert rules and receivers."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import pulumi
from pulumi_aws import amp, kms, sns

from gpucluster.components.aws.control_plane import ControlPlane
from gpucluster.components.aws.identity import pod_role
from gpucluster.components.aws.location import partition
from gpucluster.components.aws.planning.plan import topic_region
from gpucluster.components.kubernetes.telemetry.alerts import NAME, alertmanager_config, rule_file
from gpucluster.components.kubernetes.telemetry.collector import ACCOUNT, MetricsSink
from gpucluster.components.kubernetes.telemetry.plan import (
    COLLECTOR,
    GPU_EXPORTER,
    OPENCOST,
    SCRAPE_SECONDS,
    ScrapeTarget,
    TelemetryPlan,
    targets,
)
from gpucluster.components.planning.names import EXPECTED_SAMPLES, MONITORING
from gpucluster.components.spec.operations import Alerts

_SCRAPED: Final = {"AMPAgentlessScraper": ""}
"""A collector adds this tag to its workspace; without it here, every update would remove it.

Source: pulumi_aws 7.40.0, amp.Scraper ("Ignoring changes to Prometheus Workspace destination").
"""


class Monitoring(pulumi.ComponentResource):
    """Outputs: workspace_id, query_endpoint: for queries of Grafana and others, signed for AWS (`aps`).

    The collector is not a pod: AWS runs it, with an interface in each subnet. Its creation automatically adds a
    read-only access entry to the cluster, which only EKS may write. Alerts are evaluated in the workspace; its alert
    manager notifies the receivers.
    Source: Amazon Managed Service for Prometheus user guide, AMP-collector-how-to.
    """

    query_endpoint: pulumi.Output[str]

    def __init__(
        self,
        name: str,
        plan: TelemetryPlan,
        *,
        control_plane: ControlPlane,
        karpenter: bool,
        collected: bool = True,
        subnet_ids: Sequence[pulumi.Input[str]],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """karpenter: whether it runs in the cluster. collected: whether EKS has a managed collector there. subnet_ids:
        in at least two zones; the collector uses addresses in them.
        """
        super().__init__("gpucluster:aws:Monitoring", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        self._name, self._control_plane = name, control_plane
        self._workspace = workspace = amp.Workspace(
            f"{name}-workspace",
            alias=control_plane.cluster_name,
            tags={**_SCRAPED, EXPECTED_SAMPLES: f"{plan.million_samples:f}"},
            opts=here,
        )
        amp.RuleGroupNamespace(
            f"{name}-rules",
            name=NAME,
            workspace_id=workspace.id,
            # JSON is valid YAML, which the workspace expects.
            data=json.dumps(rule_file(plan.watched), indent=2),
            opts=here,
        )
        if plan.receivers is not None:
            # Imported only if needed: most clusters have none, and the SDK's modules load slowly.

            alert_manager(
                f"{name}-alerts",
                plan.receivers,
                workspace=workspace,
                region=control_plane.region,
                opts=here,
            )
        if collected:
            # A collector of jobs' metrics sends them itself.
            read = [target for target in targets(plan, karpenter=karpenter) if target is not COLLECTOR]
            self._collector(subnet_ids, [GPU_EXPORTER, *read], opts=here)
        self.query_endpoint = workspace.prometheus_endpoint
        self.register_outputs({"workspaceId": workspace.id, "queryEndpoint": self.query_endpoint})

    def _collector(
        self, subnet_ids: Sequence[pulumi.Input[str]], scraped: Sequence[ScrapeTarget], *, opts: pulumi.ResourceOptions
    ) -> None:
        name, control_plane = f"{self._name}-scraper", self._control_plane
        amp.Scraper(
            name,
            alias=control_plane.cluster_name,
            source=amp.ScraperSourceArgs(
                eks=amp.ScraperSourceEksArgs(
                    cluster_arn=control_plane.cluster.arn,
                    subnet_ids=list(subnet_ids),
                    # The nodes' own group, whose members reach each other and the API inside the network.
                    security_group_ids=[control_plane.security_group_id],
                )
            ),
            destination=amp.ScraperDestinationArgs(
                amp=amp.ScraperDestinationAmpArgs(workspace_arn=self._workspace.arn)
            ),
            scrape_configuration=scrape_configuration(scraped),
            opts=opts,
        )

    def sink(self) -> MetricsSink:
        """Lets the OpenTelemetry collector write into the workspace, and nothing else."""
        role, grants = pod_role(
            f"{self._name}-collector-role",
            cluster_name=self._control_plane.cluster_name,
            namespace=MONITORING,
            service_account=ACCOUNT,
            statements=self._workspace.arn.apply(
                lambda arn: [{"Effect": "Allow", "Action": ["aps:RemoteWrite"], "Resource": arn}]
            ),
            opts=pulumi.ResourceOptions(parent=self),
        )
        return MetricsSink(
            exporters={
                "prometheusremotewrite": {
                    "endpoint": self._workspace.prometheus_endpoint.apply(lambda url: f"{url}api/v1/remote_write"),
                    "auth": {"authenticator": "sigv4auth"},
                    # Names stay as jobs send them, because alerts use these names.
                    "add_metric_suffixes": False,
                }
            },
            extensions={"sigv4auth": {"region": self._control_plane.region, "service": "aps"}},
            after=[role, *grants],
        )


# AWS gives its collector a token of the access entry, whose policy may read /metrics.
# Source: hashicorp/terraform-provider-aws, prometheus_scraper (example); Amazon EKS user guide,
# access-policy-permissions (AmazonPrometheusScraperPolicy).
_TOKEN: Final = "/var/run/secrets/kubernetes.io/serviceaccount/token"


def scrape_configuration(scraped: Sequence[ScrapeTarget]) -> str:
    """The collector's configuration as JSON, which is valid YAML.

    Source: Amazon Managed Service for Prometheus user guide, AMP-collector-how-to (scraper configuration).
    """
    jobs = [_job(target) for target in scraped]
    return json.dumps({"global": {"scrape_interval": f"{SCRAPE_SECONDS}s"}, "scrape_configs": jobs}, indent=2)


def _job(target: ScrapeTarget) -> dict[str, Any]:
    return {
        "job_name": target.name,
        "kubernetes_sd_configs": [{"role": "pod", "namespaces": {"names": [target.namespace]}}],
        "relabel_configs": [
            *(
                _keep(f"__meta_kubernetes_pod_label_{_NO_WORD.sub('_', key)}", text)
                for key, text in target.labels.items()
            ),
            _keep("__meta_kubernetes_pod_container_port_name", target.port),
        ],
        # Keeps the namespaces and pods that OpenCost reports on.
        **({"honor_labels": True} if target is OPENCOST else {}),
        **({"scheme": "https", "tls_config": {"insecure_skip_verify": True}} if target.tls else {}),
        **({"authorization": {"credentials_file": _TOKEN}} if target.token else {}),
        **({} if target.seconds == SCRAPE_SECONDS else {"scrape_interval": f"{target.seconds}s"}),
        **({"metric_relabel_configs": [_keep(*rule) for rule in target.keep.items()]} if target.keep else {}),
    }


_NO_WORD: Final = re.compile(r"\W")


def _keep(label: str, expression: str) -> dict[str, Any]:
    return {"source_labels": [label], "action": "keep", "regex": expression}


_SENDER: Final = {"Service": "aps.amazonaws.com"}
# At most 100 characters of ASCII, which the default template's subject, with all labels, may exceed. Source: Amazon
# Managed Service for Prometheus user guide, AMP-alertmanager-receiver-config and its rules of truncation.
_SUBJECT: Final = "{{ .Status }}: {{ .GroupLabels.alertname }} in {{ .CommonLabels.stack }}"


def alert_manager(
    name: str, receivers: Alerts, *, workspace: amp.Workspace, region: str, opts: pulumi.ResourceOptions
) -> None:
    """Mail and webhook subscribe to the cluster's own topic; alerts also go to the user's topic.

    Source: Amazon Managed Service for Prometheus user guide, AMP-alertmanager-config and AMP-alertmanager-receiver.
    """
    topics: list[tuple[pulumi.Input[str], str]] = []
    ready: list[pulumi.Resource] = []
    if receivers.mail or receivers.webhook:
        topic, policy = _topic(f"{name}-topic", workspace, region, opts)
        topics.append((topic.arn, region))
        ready.append(policy)
        for address in receivers.mail:
            sns.TopicSubscription(f"{name}-{address}", topic=topic.arn, protocol="email", endpoint=address, opts=opts)
        if receivers.webhook:
            url = pulumi.Output.secret(receivers.webhook.get_secret_value())
            sns.TopicSubscription(f"{name}-webhook", topic=topic.arn, protocol="https", endpoint=url, opts=opts)
    if receivers.topic:
        topics.append((receivers.topic, topic_region(receivers.topic)))
    amp.AlertManagerDefinition(
        f"{name}-manager",
        workspace_id=workspace.id,
        definition=pulumi.Output.all(*(arn for arn, _ in topics)).apply(
            lambda arns: _definition(dict(zip(arns, (there for _, there in topics), strict=True)))
        ),
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=ready)),
    )


def _definition(topics: Mapping[str, str]) -> str:
    """topics: ARN -> region. JSON is valid YAML, which the workspace expects."""
    ways = [{"topic_arn": arn, "sigv4": {"region": region}, "subject": _SUBJECT} for arn, region in topics.items()]
    return json.dumps({"alertmanager_config": json.dumps(alertmanager_config({"sns_configs": ways}), indent=2)})


def _topic(
    name: str, workspace: amp.Workspace, region: str, opts: pulumi.ResourceOptions
) -> tuple[sns.Topic, sns.TopicPolicy]:
    """A topic to which only this workspace may publish, and its policy. AWS's own key of SNS admits no service, so it
    has its own key; no data stays encrypted with it, so it is deleted as early as possible, after 7 days.

    Source: Amazon Managed Service for Prometheus user guide, AMP-alertmanager-receiver-AMPpermission.
    """
    key = kms.Key(
        f"{name}-key",
        description="Alerts of one cluster on their way",
        enable_key_rotation=True,
        deletion_window_in_days=7,
        policy=workspace.arn.apply(lambda arn: _document(*_key_statements(partition(region), _account(arn)))),
        opts=opts,
    )
    topic = sns.Topic(name, kms_master_key_id=key.arn, opts=opts)
    policy = sns.TopicPolicy(
        f"{name}-policy",
        arn=topic.arn,
        policy=pulumi.Output.all(topic.arn, workspace.arn).apply(lambda arns: _document(_publish(*arns))),
        opts=opts,
    )
    return topic, policy


def _account(arn: str) -> str:
    return arn.split(":")[4]


def _key_statements(part: str, account: str) -> list[dict[str, Any]]:
    """The first is standard for every key: without it, no one could change or delete the key."""
    return [
        {
            "Effect": "Allow",
            "Principal": {"AWS": f"arn:{part}:iam::{account}:root"},
            "Action": "kms:*",
            "Resource": "*",
        },
        {
            "Effect": "Allow",
            "Principal": _SENDER,
            "Action": ["kms:GenerateDataKey*", "kms:Decrypt"],
            "Resource": "*",
        },
    ]


def _publish(topic: str, workspace: str) -> dict[str, Any]:
    return {
        "Effect": "Allow",
        "Principal": _SENDER,
        "Action": ["sns:Publish", "sns:GetTopicAttributes"],
        "Resource": topic,
        "Condition": {
            "ArnEquals": {"aws:SourceArn": workspace},
            "StringEquals": {"aws:SourceAccount": _account(workspace)},
        },
    }


def _document(*statements: Mapping[str, Any]) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": statements})
