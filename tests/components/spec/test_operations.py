"""Who is told of alerts: said in the plan, refused where it can't be."""

from __future__ import annotations

from typing import Any, Final

import pytest

from gpucluster.components.cluster.cloud import cloud_of
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.spec.errors import InvalidSpec
from gpucluster.components.spec.operations import Alerts
from tests.components.told import refused

HOOK: Final = "https://alerts.example.com/hooks/s3cret"
GROUP: Final = (
    "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/office/providers/Microsoft.Insights/"
    "actionGroups/pager"
)
TOPIC: Final = "arn:aws:sns:us-east-1:000000000000:pager"


@pytest.mark.parametrize("address", ["a@b", "a b@example.com", "@example.com", "a@example.com,b@example.com", "a@.com"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(InvalidSpec, match="is not a mail address"):
        Alerts(mail=(address,))


def test_an_address_is_written_once() -> None:
    with pytest.raises(InvalidSpec, match=r"has a@example\.com more than once"):
        Alerts(mail=("a@example.com", "b@example.com", "a@example.com"))


@pytest.mark.parametrize("url", ["http://a.example", "https://", "https://[", "https://a.example/ b", "a.example"])
def test_what_is_no_url_over_tls_is_refused(url: str) -> None:
    with pytest.raises(InvalidSpec, match="is not an https:// URL"):
        Alerts.model_validate({"webhook": url})


def test_a_webhook_shows_in_no_text_of_a_spec(trial: dict[str, Any]) -> None:
    spec = ClusterSpec.model_validate({**trial, "telemetry": {"alerts": {"webhook": HOOK}}})
    assert "s3cret" not in f"{spec} {spec!r}"


def _problems(trial: dict[str, Any], cloud: str, place: dict[str, str] | None = None, **alerts: Any) -> list[str]:
    spec = ClusterSpec.model_validate({**trial, "telemetry": {"alerts": alerts}})
    known = cloud_of(cloud)
    location, wrong = known.locate({**known.keys, **(place or {})})
    assert wrong == []
    return refused(cloud, spec, location)


@pytest.mark.parametrize("topic", ["pager", f"{TOPIC}.fifo", "arn:aws:sqs:us-east-1:000000000000:pager", GROUP])
def test_a_topic_of_aws_is_a_standard_one_of_sns(trial: dict[str, Any], topic: str) -> None:
    fix = "write the ARN of a standard SNS topic, such as arn:aws:sns:us-east-1:123456789012:pager"
    assert _problems(trial, "aws", topic=topic) == [f"telemetry.alerts.topic is {topic!r}; {fix}"]
    assert _problems(trial, "aws", topic=TOPIC, mail=["a@example.com"], webhook=HOOK) == []


def test_a_topic_is_of_the_account(trial: dict[str, Any]) -> None:
    assert _problems(trial, "aws", {"account": "000000000000"}, topic=TOPIC) == []
    assert _problems(trial, "aws", {"account": "123456789012"}, topic=TOPIC) == [
        "account is 123456789012, but telemetry.alerts.topic of the spec is in 000000000000; write a topic of this "
        "account: alerts reach no other"
    ]


@pytest.mark.parametrize("topic", ["pager", TOPIC, GROUP.replace("actionGroups", "workspaces"), f"{GROUP}/more"])
def test_a_topic_of_azure_is_an_action_group(trial: dict[str, Any], topic: str) -> None:
    fix = f"write the id of an action group, such as {GROUP.replace('office', 'mine')}"
    assert _problems(trial, "azure", topic=topic) == [f"telemetry.alerts.topic is {topic!r}; {fix}"]
    assert _problems(trial, "azure", topic=GROUP.lower(), mail=["a@example.com"], webhook=HOOK) == []


def test_google_clouds_alertmanager_posts_to_a_webhook_and_does_no_more(trial: dict[str, Any]) -> None:
    assert _problems(trial, "gcp", webhook=HOOK) == []
    assert _problems(trial, "gcp", webhook=HOOK, topic="projects/p/topics/pager", mail=["a@example.com"]) == [
        "telemetry.alerts.mail is set, but the Alertmanager that Google Cloud runs can send mail only through your "
        "SMTP server, which is not supported; remove it and write a webhook that sends mail, such as that of a paging "
        "service",
        "telemetry.alerts.topic is set, but the Alertmanager that Google Cloud runs supports no topics: neither "
        "Pub/Sub nor a notification channel of Cloud Monitoring, whose own policies do not evaluate these rules; "
        "remove it and write a webhook",
    ]


def _notes(trial: dict[str, Any], cloud: str, **changes: Any) -> list[str]:
    known = cloud_of(cloud)
    location, _ = known.locate(known.keys)
    spec = ClusterSpec.model_validate({**trial, **changes})
    notes = known.plan_cluster(spec, location, "dev", None, None).facts.registered()["notes"]
    assert "s3cret" not in str(notes)
    return [note for note in notes if note.startswith("alerts: ") or "evaluates alerts" in note]


def test_a_plan_names_who_is_told_and_what_each_has_to_do_first(trial: dict[str, Any]) -> None:
    everybody = {"mail": ["a@example.com", "b@example.com"], "webhook": HOOK}
    sent = "stores GPU metrics and evaluates alerts; alerts go to a@example.com, b@example.com, a webhook and"
    assert _notes(trial, "aws", telemetry={"alerts": {**everybody, "topic": TOPIC}}) == [
        f"Amazon Managed Service for Prometheus {sent} {TOPIC}",
        "alerts: AWS mails each address a confirmation link, and sends alerts only after it is confirmed",
        "alerts: SNS posts a SubscribeURL to the webhook, and sends alerts only after the webhook fetches it; alerts "
        "are SNS messages in JSON, which chat services do not read natively",
        f"alerts: the policy of {TOPIC} must allow aps.amazonaws.com sns:Publish and sns:GetTopicAttributes; if the "
        "topic is encrypted with your key, the key policy must allow kms:GenerateDataKey* and kms:Decrypt",
    ]
    assert _notes(trial, "azure", telemetry={"alerts": {**everybody, "topic": GROUP}}) == [
        f"the Azure Monitor workspace {sent} {GROUP}"
    ]


def test_a_closed_network_of_google_cloud_needs_a_webhook_inside(trial: dict[str, Any]) -> None:
    """There an Alertmanager of the cluster posts; on the other clouds a service does."""
    closed = {"kind": "private", "via": "inside", "egress": "none", "registry": "registry.internal/mirror"}
    alerts = {"alerts": {"webhook": HOOK}}
    sent = "Google Cloud Managed Service for Prometheus stores GPU metrics and evaluates alerts; alerts go "
    assert _notes(trial, "gcp", telemetry=alerts) == [f"{sent}to a webhook"]
    assert _notes(trial, "gcp", telemetry=alerts, access=closed) == [
        f"{sent}to a webhook",
        "alerts: access.egress is none, so the webhook must be reachable inside the network: an Alertmanager in the "
        "cluster posts to it",
    ]
