"""A stack's configuration: its keys, and the webhook for alerts, which is never shown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner

from gpucluster.cli import main
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.spec.operations import Alerts
from gpucluster.components.stack.stack_config import StackConfig, _elsewhere, paused, read_stack, stack_config
from gpucluster.components.stack.stack_plan import plan_stack
from gpucluster.cost.pricing import plan_prices
from gpucluster.errors import InputError

SPEC = Path(__file__).parents[2] / "stacks/bad/spec.yaml"


def test_a_spec_with_a_nul_is_no_path(tmp_path: Path) -> None:
    values = {"gpucluster:spec": "specs/\0.yaml", "gpucluster:cloud": "aws", "gpucluster:region": "us-east-1"}
    config = stack_config(values, project="gpucluster", stack="dev", program=tmp_path, root=tmp_path)
    problem = (
        "gpucluster:spec is 'specs/\\x00.yaml', which contains a NUL character; write the path of a file, such "
        "as specs/trial.yaml"
    )
    assert (problem in map(config.named, config.problems), config.spec) == (True, None)


SETTING = "; it is a key of a stack's configuration: write it there, and check the stack with --stack"


@pytest.mark.parametrize(
    ("change", "options", "beginning", "end"),
    [
        (("nodes: 4 ", "nodes: 200 "), [], "  scaleSetLimit is 100, and training.nodes and ", SETTING),
        (("    protect", "    bucket: https://a.blob.core.windows.net/c\n    protect"), [],
         "  bucketGroup is missing, and storage.shared.bucket is set", SETTING),
        (("nodes: 4 ", "nodes: 4 "), ["--machine", "x"], "  --machine is 'x'; with accelerator h100: ", "_v5"),
        (("nodes: 4 ", "nodes: 4 "), ["--zone", "9"], "  --zone is '9'; write the number of a zone", "; or none"),
    ],
)  # fmt: skip
def test_a_command_line_is_asked_only_for_options_that_it_has(
    tmp_path: Path, change: tuple[str, str], options: list[str], beginning: str, end: str
) -> None:
    text = SPEC.read_text()
    assert change[0] in text
    (tmp_path / "spec.yaml").write_text(text.replace(*change))
    done = CliRunner().invoke(main, ["check", str(tmp_path / "spec.yaml"), "--cloud", "azure", *options])
    line = done.stderr.splitlines()[1]
    assert (done.exit_code, line.startswith(beginning), line.endswith(end)) == (2, True, True), done.stderr


def test_a_key_of_a_similar_namespace_is_offered_as_a_correction() -> None:
    assert _elsewhere("gpucluster:region", {"gpuclster:region": "x"}) == ", or correct gpuclster:region"
    assert _elsewhere("gpucluster:region", {"gpucluster:regio": "x", "aws:zone": "y"}) == ""


ROOT: Final = Path(__file__).parents[3]
URL: Final = "https://alerts.example.com/s3cret"
TRIAL: Final = (ROOT / "stacks/specs/trial.yaml").read_text()
PLACE: Final = {"spec": "specs/trial.yaml", "cloud": "aws", "region": "us-east-1", "zone": "us-east-1a"}


def configured(root: Path, webhook: str, spec: str = TRIAL) -> StackConfig:
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
    spec = f"{TRIAL}\ntelemetry: {{opencost: true, alerts: {{mail: [gpus@example.com]}}}}\n"
    told = alerts_of(configured(tmp_path, URL, spec))
    assert told == Alerts.model_validate({"webhook": URL, "mail": ["gpus@example.com"]})


def test_a_webhook_in_both_places_is_refused(tmp_path: Path) -> None:
    spec = f"{TRIAL}\ntelemetry: {{alerts: {{webhook: {URL}}}}}\n"
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


PAUSE_ROOT = Path(__file__).parents[3]
STACKS = PAUSE_ROOT / "stacks"


def of_stack(stack: str, *, pause: bool) -> Any:
    return plan_stack(replace(read_stack(stack, PAUSE_ROOT), paused=pause), plan_prices)


@pytest.mark.parametrize("cloud", ["aws", "gcp", "azure"])
def test_the_plan_of_a_paused_stack_differs_in_its_nodes_alone(cloud: str) -> None:
    plain, found = (of_stack(f"{cloud}-trial", pause=pause) for pause in (False, True))
    assert (plain.training.started, found.training.started, found.training.size) == (5, 0, 5)
    assert found.facts.notes == (*plain.facts.notes, found.facts.notes[-1])
    assert found.facts.notes[-1].startswith("paused: training and MIG pools have 0 nodes")
    assert (found.facts.training_gpus, found.facts.spare_gpus) == (None, None)
    assert (plain.facts.paused, found.facts.paused) == (False, True)
    assert replace(found, training=plain.training, facts=plain.facts) == plain


@pytest.mark.parametrize("cloud", ["aws", "gcp", "azure"])
def test_a_mig_pool_has_none_either(cloud: str) -> None:
    values = {f"gpucluster:{key}": value for key, value in PLACES[cloud].items()}
    spec = f"../examples/specs/{cloud}/mig.yaml"
    config = stack_config(
        {**values, "gpucluster:spec": spec, "gpucluster:cloud": cloud},
        project="gpucluster",
        stack="dev",
        program=STACKS,
        root=PAUSE_ROOT,
    )
    plain: Any = plan_stack(config, plan_prices)
    found: Any = paused(plain)
    assert found.mig == replace(plain.mig, nodes=0)


PLACES = {
    "aws": {"region": "us-east-1", "zone": "us-east-1a"},
    "gcp": {"project": "acme-research", "region": "us-central1", "zone": "us-central1-a"},
    "azure": {"subscription": "00000000-0000-0000-0000-000000000000", "region": "eastus", "zone": "1"},
}


def pause_configured(**more: str) -> Any:
    values = {"cloud": "gcp", "spec": "../examples/specs/gcp/flex-start.yaml", **PLACES["gcp"], **more}
    named = {f"gpucluster:{key}": value for key, value in values.items()}
    return stack_config(named, project="gpucluster", stack="dev", program=STACKS, root=PAUSE_ROOT)


def test_flex_start_nodes_go_by_themselves() -> None:
    with pytest.raises(InputError) as caught:
        plan_stack(pause_configured(paused="true"), plan_prices)
    assert str(caught.value) == (
        "configuration of stack dev: 1 problem\n  gpucluster:paused is 'true', but flex-start nodes exist only while "
        "a job runs; remove it: without jobs there are no nodes"
    )


def test_a_pause_is_true_or_false() -> None:
    found = [str(problem) for problem in pause_configured(paused="yes").problems]
    assert found == ["paused is 'yes'; allowed: true, false"]
    assert (pause_configured(paused="false").paused, pause_configured().paused) == (False, False)
