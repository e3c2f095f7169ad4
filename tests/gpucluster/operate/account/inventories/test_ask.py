"""What is said before any account is asked."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str]]


@pytest.mark.parametrize(
    ("cloud", "sdk"),
    [("aws", "boto3"), ("gcp", "googleapiclient"), ("azure", "azure.mgmt.resource.subscriptions.models")],
)
def test_an_sdk_that_is_not_installed_is_named_with_its_extra(
    run: Run, monkeypatch: pytest.MonkeyPatch, cloud: str, sdk: str
) -> None:
    imported = dict(sys.modules)
    for name, module in imported.items():
        if name.startswith((f"gpucluster.operate.clients.{cloud}", f"gpucluster.operate.account.inventories.{cloud}")):
            package, _, last = name.rpartition(".")
            monkeypatch.setattr(imported[package], last, module)  # the import below sets another one
            monkeypatch.delitem(sys.modules, name)
    for name in [one for one in sys.modules if one == sdk or one.startswith(f"{sdk}.")] or [sdk]:
        monkeypatch.setitem(sys.modules, name, None)
    code, text = run(f"{cloud}-trial")
    assert (code, text.count("\n")) == (2, 1)
    assert text.startswith(f"error: leftovers asks {cloud} by its own SDK, which is not installed ({sdk.split('.')[0]}")
    assert text.endswith(f"install gpucluster with the extra account-{cloud}\n")


def test_a_stack_without_a_place_is_told_what_its_file_lacks(run: Run) -> None:
    file = Path("stacks/Pulumi.aws-trial.yaml")
    file.write_text(file.read_text().replace("  gpucluster:region: us-east-1\n", ""))
    code, text = run("aws-trial")
    assert code == 2
    assert "gpucluster:region" in text
