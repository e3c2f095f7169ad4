from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from gpucluster.errors import InputError
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger
from gpucluster.sandbox.commands.kubectl import kubectl


@pytest.fixture
def stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    """The ledger of the project in the current folder."""
    (tmp_path / "Pulumi.yaml").write_text("name: small\nruntime: python\n")
    monkeypatch.chdir(tmp_path)
    return Ledger(tmp_path / ".sandbox" / "clouds.sqlite3")


def _cluster(stack: str) -> Entry:
    return Entry(
        provider="aws",
        scope="us-east-1",
        type="aws:eks/cluster:Cluster",
        id=stack,
        name=stack,
        urn=f"urn:pulumi:{stack}::small::aws:eks/cluster:Cluster::c",
        inputs={},
        outputs={"endpoint": f"https://{stack}.sandbox.invalid"},
    )


@pytest.mark.parametrize(
    ("stacks", "args", "message"),
    [
        (
            [],
            [],
            "no cluster exists in the simulated clouds; create one: gpucluster sandbox --kubernetes real pulumi up",
        ),
        (["one", "two"], [], "several clusters exist; choose one by --stack: one, two"),
        (["one"], ["--stack", "on"], "the stack 'on' has no cluster; stacks with one: one; choose one by --stack"),
    ],
    ids=["none", "several", "another"],
)
def test_which_cluster_is_meant_must_be_clear(stand: Ledger, stacks: list[str], args: list[str], message: str) -> None:
    for stack in stacks:
        stand.put(_cluster(stack))
    with pytest.raises(InputError) as caught:
        CliRunner().invoke(kubectl, [*args, "get", "pods"], catch_exceptions=False)
    assert str(caught.value) == message


@pytest.mark.slow
def test_kubectl_speaks_to_the_one_cluster_there_is_and_its_exit_code_is_passed_on(stand: Ledger) -> None:
    stand.put(_cluster("one"))
    answers = [CliRunner().invoke(kubectl, args).exit_code for args in (["get", "namespaces"], ["get", "gadgets"])]
    assert answers == [0, 1]
