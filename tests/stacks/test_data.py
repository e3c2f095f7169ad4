"""What a spec may add on every cloud at once: a bucket of the cluster's own, linked both ways, an identity that writes
to it, and receivers of alerts. Built, unchanged, and gone.
"""

from __future__ import annotations

import pytest

from tests.stacks.conftest import Project

pytestmark = [pytest.mark.engine, pytest.mark.slow]

ADDRESSES = {"aws": "s3://trial-bucket-data-", "azure": "https://trial", "gcp": "gs://trial-bucket-data-"}


WEBHOOK = "https://alerts.example.com/s3cret"
TOLD = {
    "aws": ["aws:sns/topic:Topic", "aws:sns/topicSubscription:TopicSubscription"],
    "azure": ["azure-native:monitor:ActionGroup"],
    "gcp": ["kubernetes:core/v1:Secret"],
}
MAIL = {"aws": "{mail: [gpus@example.com]}", "azure": "{mail: [gpus@example.com]}", "gcp": "null"}


@pytest.mark.parametrize("cloud", ADDRESSES)
def test_a_bucket_an_identity_and_receivers_of_alerts_are_built_and_go_again(project: Project, cloud: str) -> None:
    stack = f"{cloud}-trial"
    spec = "stacks/specs/trial.yaml"
    project.change(spec, "    usable_tib: 20", "    bucket: own\n    write_back: true\n    usable_tib: 20")
    bucket = "  bucket: {protect: false}\nidentities: {data: {writes: [own]}}"
    alerts = f"telemetry: {{alerts: {MAIL[cloud]}}}"
    project.change(spec, "labels:\n", f"{bucket}\n{alerts}\nlabels:\n")
    with (project.path / f"stacks/Pulumi.{stack}.yaml").open("a") as file:
        file.write(f"  gpucluster:alertsWebhook: {WEBHOOK}\n")
    if cloud == "azure":
        service = "11111111-2222-3333-4444-555555555555"
        with (project.path / f"stacks/Pulumi.{stack}.yaml").open("a") as file:
            file.write(f"  gpucluster:lustrePrincipal: {service}\n")
    built = project.pulumi("up", "--yes", stack=stack)
    assert built.code == 0, built.text
    outputs = project.outputs(stack)
    assert outputs["bucket"].startswith(ADDRESSES[cloud])
    assert outputs["identities"] == {"data": "training"}
    state = project.pulumi("stack", "export", stack=stack).out
    assert all(f'"{type_}"' in state for type_ in TOLD[cloud])
    assert "s3cret" not in state + built.text
    again = project.pulumi("preview", "--expect-no-changes", stack=stack)
    assert again.code == 0, again.text
    gone = project.pulumi("destroy", "--yes", "--skip-preview", stack=stack)
    assert gone.code == 0, gone.text
    assert project.ledger() == []
