"""Where metrics go on AWS, and what the two options of `telemetry` add."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from pulumi.runtime import rpc
from pulumi.runtime.mocks import MockResourceArgs

from gpucluster.components.aws.scrape import scrape_configuration

Register = Callable[..., dict[str, MockResourceArgs]]
RESTRICTED = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
PRIVATE = {"kind": "private", "via": "inside", "egress": "none", "registry": "registry.internal/mirror"}


@pytest.fixture(scope="module")
def seen(register: Register) -> dict[str, MockResourceArgs]:
    """A cluster with both options, without a way out."""
    return register(telemetry={"opencost": True, "collector": True}, access=PRIVATE)


def without_tags(args: MockResourceArgs) -> dict[str, Any]:
    return {key: value for key, value in args.inputs.items() if key != "tags"}


def test_a_collector_of_awss_reads_the_cluster_in_two_zones_and_writes_to_the_workspace(
    seen: dict[str, MockResourceArgs],
) -> None:
    assert without_tags(seen["trial-monitoring-scraper"]) == {
        "alias": "trial-aws-trial",
        "source": {
            "eks": {
                "clusterArn": "arn:aws:eks:us-east-1:000000000000:cluster/trial",
                "subnetIds": ["trial-network-cluster-a-id", "trial-network-cluster-b-id"],
                "securityGroupIds": ["sg-cluster"],
            }
        },
        "destination": {"amp": {"workspaceArn": "arn:aws:mock:us-east-1:000000000000:trial-monitoring-workspace"}},
        "scrapeConfiguration": scrape_configuration(exporter_namespace="gpu-exporter", opencost=True),
    }


def test_the_workspace_keeps_the_tag_that_its_collector_puts_on_it_and_says_what_it_will_take(
    seen: dict[str, MockResourceArgs],
) -> None:
    tags = seen["trial-monitoring-workspace"].inputs["tags"]
    assert (tags["AMPAgentlessScraper"], tags["gpucluster/expected-million-samples"]) == ("", "59")


def test_the_rules_are_those_of_the_stack(seen: dict[str, MockResourceArgs]) -> None:
    rules = seen["trial-monitoring-rules"].inputs
    [group] = json.loads(rules["data"])["groups"]
    assert (rules["name"], rules["workspaceId"]) == ("gpucluster", "trial-monitoring-workspace-id")
    assert {rule["labels"]["stack"] for rule in group["rules"] if "alert" in rule} == {"aws-trial"}


def test_the_exporter_has_our_counters_and_no_rights_in_the_cluster(seen: dict[str, MockResourceArgs]) -> None:
    values = seen["trial-gpu-exporter-dcgm"].inputs["values"]
    assert values.pop("customMetrics").startswith("DCGM_FI_DEV_GPU_UTIL, gauge, ")
    assert values == {
        "image": {"repository": "registry.internal/mirror/nvidia/k8s/dcgm-exporter"},
        "nodeSelector": {"nvidia.com/gpu.present": "true"},
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
        "serviceAccount": {"name": "dcgm-exporter"},
        "serviceMonitor": {"enabled": False},
    }


def test_opencost_reads_our_prices_and_asks_no_prometheus(seen: dict[str, MockResourceArgs]) -> None:
    assert seen["trial-telemetry-opencost"].inputs["values"] == {
        "opencost": {
            "exporter": {
                "defaultClusterId": "trial-aws-trial",
                "collectorDataSource": {"enabled": True},
                "extraEnv": {"USE_CSV_PROVIDER": "true", "CSV_PATH": "/prices/prices.csv"},
                "extraVolumeMounts": [{"name": "prices", "mountPath": "/prices", "readOnly": True}],
                "securityContext": RESTRICTED,
                "image": {"registry": "registry.internal/mirror"},
            },
            "prometheus": {"internal": {"enabled": False}},
            "mcp": {"enabled": False},
            "ui": {"enabled": False},
            "tolerations": [],
        },
        "podSecurityContext": {
            "runAsNonRoot": True,
            "runAsUser": 1001,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "extraVolumes": [{"name": "prices", "configMap": {"name": "opencost-prices"}}],
    }
    prices = seen["trial-telemetry-opencost-prices"].inputs
    assert (prices["metadata"]["name"], list(prices["data"])) == ("opencost-prices", ["prices.csv"])


def test_metrics_of_jobs_are_signed_and_bear_the_names_of_their_pods(seen: dict[str, MockResourceArgs]) -> None:
    values = seen["trial-telemetry-collector"].inputs["values"]
    config = values["alternateConfig"]
    assert (values["fullnameOverride"], values["serviceAccount"]) == ("collector", {"name": "collector"})
    assert values["image"] == {
        "repository": "registry.internal/mirror/open-telemetry/opentelemetry-collector-releases/"
        "opentelemetry-collector-contrib",
        "tag": "0.158.0",
    }
    assert config["exporters"]["prometheusremotewrite"]["auth"] == {"authenticator": "sigv4auth"}
    assert config["extensions"]["sigv4auth"] == {"region": "us-east-1", "service": "aps"}
    assert config["service"] == {
        "extensions": ["health_check", "sigv4auth"],
        "pipelines": {
            "metrics": {
                "receivers": ["otlp"],
                "processors": ["memory_limiter", "transform", "batch"],
                "exporters": ["prometheusremotewrite"],
            }
        },
    }


def test_the_collector_of_jobs_may_write_to_the_workspace_and_nothing_else(seen: dict[str, MockResourceArgs]) -> None:
    association = seen["trial-monitoring-collector-role-association"].inputs
    policy = json.loads(seen["trial-monitoring-collector-role-policy"].inputs["policy"])
    assert (association["namespace"], association["serviceAccount"]) == ("monitoring", "collector")
    assert policy["Statement"] == [
        {
            "Effect": "Allow",
            "Action": ["aps:RemoteWrite"],
            "Resource": "arn:aws:mock:us-east-1:000000000000:trial-monitoring-workspace",
        }
    ]


def test_a_closed_network_has_a_way_to_the_workspace_for_it_alone(
    seen: dict[str, MockResourceArgs], register: Register
) -> None:
    def services(found: dict[str, MockResourceArgs]) -> set[str]:
        return {name for name in found if name.startswith("trial-network-") and "aps" in name}

    assert services(seen) == {"trial-network-endpoint-aps-workspaces"}
    assert services(register(access=PRIVATE)) == set()


def test_only_the_ports_of_what_runs_are_open(seen: dict[str, MockResourceArgs], register: Register) -> None:
    def ports(found: dict[str, MockResourceArgs], name: str) -> list[int]:
        [rule] = found[name].inputs["spec"]["ingress"]
        return [item["port"] for item in rule["ports"]]

    assert ports(seen, "trial-telemetry-ports") == [9003, 4317, 4318]
    assert ports(seen, "trial-gpu-exporter-ports") == [9400]
    assert ports(register(telemetry={"opencost": True}), "trial-telemetry-ports") == [9003]
    bare = register()
    assert "trial-telemetry-ports" not in bare
    assert bare["trial-telemetry-network"].inputs["spec"]["ingress"] == [{"from": [{"podSelector": {}}]}]


def test_dashboards_are_where_grafanas_sidecar_looks(seen: dict[str, MockResourceArgs]) -> None:
    """No price is known here, so there is none of dollars."""
    found = [args.inputs for name, args in seen.items() if name.startswith("trial-telemetry-dashboard-")]
    parts = ("use", "fabric", "health")
    assert {item["metadata"]["name"] for item in found} == {f"gpucluster-{part}" for part in parts}
    assert {item["metadata"]["labels"]["grafana_dashboard"] for item in found} == {"1"}
    titles = {name: json.loads(text)["title"] for item in found for name, text in item["data"].items()}
    assert titles == {f"gpucluster-{part}.json": f"GPU cluster: {part}" for part in parts}


SOURCE = {
    "ArnEquals": {"aws:SourceArn": "arn:aws:mock:us-east-1:000000000000:trial-monitoring-workspace"},
    "StringEquals": {"aws:SourceAccount": "000000000000"},
}
SENDER = {"Service": "aps.amazonaws.com"}
TOPIC = "arn:aws:mock:us-east-1:000000000000:trial-monitoring-alerts-topic"
PAGER = "arn:aws:sns:us-west-2:123456789012:pager"


@pytest.fixture(scope="module")
def told(register: Register) -> dict[str, MockResourceArgs]:
    """What tells people of alerts, without the beginning of its names."""
    receivers = {"mail": ["gpus@example.com"], "webhook": "https://alerts.example.com/s3cret", "topic": PAGER}
    beginning = "trial-monitoring-alerts-"
    found = register(telemetry={"alerts": receivers})
    return {name.removeprefix(beginning): args for name, args in found.items() if name.startswith(beginning)}


def policy_of(args: MockResourceArgs) -> list[dict[str, Any]]:
    return json.loads(args.inputs["policy"])["Statement"]


def test_only_the_workspace_may_publish_to_the_topic_and_use_its_key(told: dict[str, MockResourceArgs]) -> None:
    assert policy_of(told["topic-policy"]) == [
        {
            "Effect": "Allow",
            "Principal": SENDER,
            "Action": ["sns:Publish", "sns:GetTopicAttributes"],
            "Resource": TOPIC,
            "Condition": SOURCE,
        }
    ]
    assert policy_of(told["topic-key"]) == [
        {
            "Effect": "Allow",
            "Principal": {"AWS": "arn:aws:iam::000000000000:root"},
            "Action": "kms:*",
            "Resource": "*",
        },
        {
            "Effect": "Allow",
            "Principal": SENDER,
            "Action": ["kms:GenerateDataKey*", "kms:Decrypt"],
            "Resource": "*",
        },
    ]
    assert told["topic"].inputs["kmsMasterKeyId"] == f"{TOPIC}-key"


def test_mail_and_webhook_subscribe_and_the_webhook_is_a_secret(told: dict[str, MockResourceArgs]) -> None:
    mail, webhook = told["gpus@example.com"].inputs, told["webhook"].inputs
    assert mail == {"topic": TOPIC, "protocol": "email", "endpoint": "gpus@example.com"}
    url = webhook.pop("endpoint")
    assert (rpc.is_rpc_secret(url), rpc.unwrap_rpc_secret(url)) == (True, "https://alerts.example.com/s3cret")
    assert webhook == {"topic": TOPIC, "protocol": "https"}


def test_the_alert_manager_sends_to_the_topic_and_to_the_users_in_its_region(told: dict[str, MockResourceArgs]) -> None:
    given = told["manager"].inputs
    config = json.loads(json.loads(given["definition"])["alertmanager_config"])
    subject = "{{ .Status }}: {{ .GroupLabels.alertname }} in {{ .CommonLabels.stack }}"
    assert (given["workspaceId"], config) == (
        "trial-monitoring-workspace-id",
        {
            "route": {"receiver": "gpucluster", "group_by": ["alertname"]},
            "receivers": [
                {
                    "name": "gpucluster",
                    "sns_configs": [
                        {"topic_arn": TOPIC, "sigv4": {"region": "us-east-1"}, "subject": subject},
                        {"topic_arn": PAGER, "sigv4": {"region": "us-west-2"}, "subject": subject},
                    ],
                }
            ],
        },
    )


def test_a_topic_of_the_users_needs_none_of_ours(register: Register) -> None:
    found = register(telemetry={"alerts": {"topic": PAGER}})
    assert [name for name in found if name.startswith("trial-monitoring-alerts-")] == [
        "trial-monitoring-alerts-manager"
    ]
