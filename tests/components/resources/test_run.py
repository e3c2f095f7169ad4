"""Input that ends a program: the sandbox gets the reason."""

from __future__ import annotations

from pathlib import Path

import pulumi
import pytest

from gpucluster.components.resources.run import INPUT_ERROR_FILE, Refused, refusing
from gpucluster.errors import InputError
from tests.components.stack.test_declaration import Nothing

REASON = "trial.yaml: 1 problem\n  training.nodes is 0"


def test_the_sandbox_reads_why_input_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(INPUT_ERROR_FILE, str(tmp_path / "refused"))
    pulumi.runtime.set_mocks(Nothing())
    with pytest.raises(Refused) as caught, refusing():
        raise InputError("trial.yaml", ["training.nodes is 0"])
    assert str(caught.value) == REASON
    assert (tmp_path / "refused").read_text("utf-8") == REASON
