"""Wrong values for everything that stands in the trials, and others that are as good.

`python -m tools.benchmarks.values` prints the whole table, also of what the judges say. `refused_elsewhere.csv` has
wrong values that the sandbox took once: cfn-lint 1.58.0 refused those of AWS, terraform-provider-google-beta 7.45.0
those of Google.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from gpucluster.sandbox.clouds.aws.model import MODELS as AWS
from gpucluster.sandbox.clouds.azure.model import MODELS as AZURE
from gpucluster.sandbox.clouds.gcp.model import MODELS as GCP
from tests.sandbox.clouds.judged import measured
from tests.sandbox.clouds.mutants import PACKAGES, Mutant, Stand, built, random_wrong, wrong

pytestmark = [pytest.mark.engine, pytest.mark.slow]

MODELS = {"aws": AWS, "gcp": GCP, "azure": AZURE}
JUDGES = {"aws": "cfnlint", "gcp": "googleapiclient", "azure": "pulumi_azure_native"}
SEED = 20261122
ELSEWHERE = Path(__file__).with_name("refused_elsewhere.csv")
NOT_DECLARED = {"gcp:compute/subnetwork:Subnetwork logConfig.metadata"}
"""Inputs of the table that the trials no longer have."""


@pytest.fixture(scope="module", params=sorted(PACKAGES))
def standing(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Stand]:
    """A cloud, and its trial as it stands."""
    return request.param, built(request.param, tmp_path_factory.mktemp(request.param))


@pytest.fixture
def stand(standing: tuple[str, Stand]) -> Stand:
    return standing[1]


def test_a_word_300_characters_or_a_number_far_away_ends_in_a_refusal_or_a_resource(stand: Stand) -> None:
    """Never in a fault: an exception of a rule or a model would come out here."""
    mutants = [*wrong(stand), *random_wrong(stand, SEED, 300)]
    said = {mutant: stand.refusal(mutant) for mutant in mutants}
    assert {mutant.what: why for mutant, why in said.items() if "a form that no API takes" in why} == {}
    assert sum(map(bool, said.values())) > len(mutants) / 2


def test_what_a_judge_refuses_the_sandbox_refuses_and_nothing_that_a_judge_takes(standing: tuple[str, Stand]) -> None:
    cloud, stand = standing
    if find_spec(JUDGES[cloud]) is None:
        pytest.skip(f"needs {JUDGES[cloud]}, the judge of {cloud}")
    found = measured(stand, cloud)
    assert [mutant.what for mutant in found.falsely] == []
    assert found.missed <= 0.05
    assert len(found.by_judge) > 200
    assert found.others >= 500


def test_what_a_provider_or_a_schema_refused_and_the_sandbox_took_is_refused(standing: tuple[str, Stand]) -> None:
    cloud, stand = standing
    rows = [row for row in csv.DictReader(ELSEWHERE.read_text().splitlines()) if row["cloud"] == cloud]
    asked = {f"{row['type']} {row['path']} {kind}" for row in rows for kind in row["kinds"].split()}
    found = {mutant.what: mutant for mutant in wrong(stand) if mutant.what in asked}
    assert {what.rpartition(" ")[0] for what in asked - {*found}} <= NOT_DECLARED
    assert [what for what, mutant in found.items() if not stand.refusal(mutant)] == []


def test_every_type_that_the_trial_declares_has_a_model(standing: tuple[str, Stand]) -> None:
    cloud, stand = standing
    assert {it.type for it in stand.resources} - {*MODELS[cloud]} == set()


def test_no_output_that_another_resource_takes_is_empty(stand: Stand) -> None:
    empty = {
        (it.type, name)
        for it in stand.resources
        for name, sources in it.takes.items()
        if sources and any(value in ("", None) for value in _texts(it.inputs.get(name)))
    }
    assert empty == set()


def _texts(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    else:
        yield value


def test_what_is_declared_passes_as_it_is(stand: Stand) -> None:
    unchanged = [Mutant(it.urn, it.type, it.inputs, "", "unchanged") for it in stand.resources]
    assert {mutant.what: why for mutant in unchanged if (why := stand.check(mutant))} == {}
