"""From configuration and spec to a plan: one round of mistakes."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gpucluster.cli import main
from gpucluster.components.stack.stack_config import stack_config
from gpucluster.components.stack.stack_plan import plan_stack
from gpucluster.errors import InputError

ROOT = Path(__file__).parents[3]
TRIAL = (ROOT / "stacks/specs/trial.yaml").read_text()


class NoPrices:
    """Of a world without any."""

    def storage_price(self, *_: object, **__: object) -> None:
        return None

    def storage_price_in_other_regions(self, *_: object, **__: object) -> None:
        return None

    def machine_usd(self, *_: object, **__: object) -> None:
        return None

    def own_machine_usd(self, *_: object, **__: object) -> None:
        return None

    def machines_usd(self, *_: object, **__: object) -> dict[str, Decimal]:
        return {}


def test_options_and_spec_are_checked_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs/mine.yaml").write_text(TRIAL.replace("nodes: 4", "nodes: 2000"))
    monkeypatch.chdir(tmp_path)
    options = ["--region", "us-east-1", "--zone", "us-west-2a", "--machine", "p6.48xlarge"]
    done = CliRunner().invoke(main, ["check", "specs/mine.yaml", *options])
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        "error: command line: 2 problems",
        "  --zone is 'us-west-2a'; write a zone of us-east-1, such as us-east-1a, or an id: "
        "use1-az1, use1-az2, use1-az3, use1-az4, use1-az5, use1-az6",
        "  --machine is 'p6.48xlarge'; with accelerator h100: p5.48xlarge, p5.4xlarge; did you mean p5.48xlarge?",
        "error: specs/mine.yaml: 1 problem",
        "  line 7: training.nodes and training.spares make 2001 nodes; the GPU subnet has addresses for at most 1927: "
        "request fewer",
    ]


def test_a_name_that_is_too_long_with_the_stacks_has_the_line_of_the_name() -> None:
    values = {"p:spec": "specs/trial.yaml", "p:cloud": "aws", "p:region": "us-east-1", "p:zone": "us-east-1a"}
    config = stack_config(values, project="p", stack="s" * 95, program=ROOT / "stacks", root=ROOT)
    with pytest.raises(InputError) as caught:
        plan_stack(config, NoPrices())
    assert str(caught.value) == (
        f"stacks/specs/trial.yaml: 1 problem\n  line 3: name and stack give the cluster name 'trial-{'s' * 95}'; "
        "EKS allows 100 characters: shorten one of them"
    )


def test_the_plan_is_that_of_the_stacks_place() -> None:
    values = {"p:spec": "specs/trial.yaml", "p:cloud": "aws", "p:region": "eu-west-2", "p:zone": "eu-west-2b"}
    config = stack_config(values, project="p", stack="dev", program=ROOT / "stacks", root=ROOT)
    plan: Any = plan_stack(config, NoPrices())
    assert (plan.cluster_name, plan.location) == ("trial-dev", config.location)
