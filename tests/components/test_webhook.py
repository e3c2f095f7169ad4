"""The webhook for alerts in a stack's configuration: in the plan, and never shown."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.spec.operations import Alerts
from gpucluster.components.stack_config import StackConfig, stack_config
from gpucluster.components.stack_file import read_stack
from gpucluster.errors import InputError

ROOT: Final = Path(__file__).parents[2]
URL: Final = "https://alerts.example.com/s3cret"
SPEC: Final = (ROOT / "stacks/specs/trial.yaml").read_text()
PLACE: Final = {"spec": "specs/trial.yaml", "cloud": "aws", "region": "us-east-1", "zone": "us-east-1a"}


def configured(root: Path, webhook: str, spec: str = SPEC) -> StackConfig:
    program = root / "stacks"
    (program / "specs").mkdir(parents=True, exist_ok=True)
    (program / "specs/trial.yaml").write_text(spec)
    values = {f"gpucluster:{key}": text for key, text in {**PLACE, "alertsWebhook": webhook}.items()}
    return stack_config(values, project="gpucluster", stack="dev", program=program, root=root)


def alerts_of(config: StackConfig) -> Alerts:
    assert config.problems == () and config.spec is not None
    spec = config.spec.read()
    assert isinstance(spec, ClusterSpec) and spec.telemetry.alerts is not None
    return spec.telemetry.alerts


def test_a_spec_that_tells_nobody_tells_the_webhook_of_the_stack(tmp_path: Path) -> None:
    told = alerts_of(configured(tmp_path, URL))
    assert told == Alerts.model_validate({"webhook": URL})
    assert "s3cret" not in repr(configured(tmp_path, URL))


def test_the_others_are_told_as_well(tmp_path: Path) -> None:
    spec = f"{SPEC}\ntelemetry: {{opencost: true, alerts: {{mail: [gpus@example.com]}}}}\n"
    told = alerts_of(configured(tmp_path, URL, spec))
    assert told == Alerts.model_validate({"webhook": URL, "mail": ["gpus@example.com"]})


def test_a_webhook_in_both_places_is_refused(tmp_path: Path) -> None:
    spec = f"{SPEC}\ntelemetry: {{alerts: {{webhook: {URL}}}}}\n"
    config = configured(tmp_path, URL, spec)
    assert config.spec is not None
    with pytest.raises(InputError, match=r"telemetry\.alerts\.webhook is set, but so is alertsWebhook") as caught:
        config.spec.read()
    assert "s3cret" not in str(caught.value)


def test_what_is_no_url_is_refused_and_not_shown(tmp_path: Path) -> None:
    config = configured(tmp_path, "http://alerts.example.com/s3cret")
    assert list(map(config.named, config.problems)) == [
        "gpucluster:alertsWebhook is not an https:// URL; the value is hidden; run pulumi config set --secret "
        "gpucluster:alertsWebhook https://alerts.example.com/gpus"
    ]


def test_an_encrypted_one_is_planned_with_though_nobody_can_read_it(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_bytes((ROOT / "Pulumi.yaml").read_bytes())
    configured(tmp_path, URL)
    lines = [f"  gpucluster:{key}: {text}" for key, text in PLACE.items()]
    secret = ["  gpucluster:alertsWebhook:", "    secure: v1:abc:def"]
    (tmp_path / "stacks/Pulumi.dev.yaml").write_text("\n".join(["config:", *lines, *secret, ""]))
    assert alerts_of(read_stack("dev", tmp_path)).webhook is not None
