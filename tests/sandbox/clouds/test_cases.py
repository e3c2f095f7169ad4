"""What the simulated clouds refuse and take, a case in `cases/` each (format: trial.py)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from gpucluster.sandbox.clouds.store.ledger import Ledger
from gpucluster.sandbox.clouds.types.schema import Schema
from tests.sandbox.clouds.trial import Trial, cases


@pytest.mark.parametrize(("cloud", "given", "case"), [*cases()])
def test_a_cloud_says(
    cloud: str, given: Mapping[str, Any], case: Mapping[str, Any], ledger: Ledger, schemas: dict[str, Schema]
) -> None:
    Trial(cloud, ledger, schemas, case.get("in", {})).run(given, case)
