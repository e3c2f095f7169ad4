"""Which stack a rehearsal means, before anything is started."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from gpucluster.errors import InputError
from gpucluster.operate.rehearse.command import rehearse
from tests.says import Says


@pytest.mark.parametrize(
    ("stack", "message"),
    [
        ("nope", Says("no", "nope", "no", "stacks/Pulumi.nope.yaml")),
        ("dve", Says("no", "dve", "no", "stacks/Pulumi.dve.yaml", "dev")),
        ("dev", Says("dev", "gpucluster sandbox --kubernetes live pulumi up --yes --stack dev", "--up")),
    ],
)
def test_only_a_stack_that_there_is_can_be_built(
    stack: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: small\nruntime: python\nstackConfigDir: stacks\n")
    (tmp_path / "stacks").mkdir()
    (tmp_path / "stacks" / "Pulumi.dev.yaml").write_text("config: {}\n")
    (tmp_path / "pod.yaml").write_text(
        "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a, image: a}]}}"
    )
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as caught:
        CliRunner().invoke(rehearse, ["pod.yaml", "--stack", stack], catch_exceptions=False)
    assert str(caught.value) == message
