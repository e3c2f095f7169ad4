"""What a failure means: by the numbers where they are known, by the cloud's words elsewhere."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from gpucluster.core.catalog.clouds import clouds
from gpucluster.core.catalog.tables import Row, read_rows
from gpucluster.sandbox.clouds.events.quotas import Shortage
from gpucluster.sandbox.clouds.events.weather import Mishap
from gpucluster.sandbox.run.failure_explanations import meanings

POOL = "urn:pulumi:dev::small::{}::training"


def _mishap(type_: str, error: str = "", lacks: Shortage | None = None) -> Mishap:
    return Mishap(urn=POOL.format(type_), type=type_, request="create", error=error, lacks=lacks)


QUOTA = Shortage(
    kind="quota",
    name="L-417A185B",
    title="Running On-Demand P instances",
    limit=384,
    used=192,
    requested=960,
    region="us-east-1",
    unit="vCPUs",
    service="ec2",
)
ZONE = Shortage(
    kind="capacity",
    name="p5.48xlarge",
    title="p5.48xlarge",
    limit=2,
    used=0,
    requested=5,
    region="us-east-1",
    zone="us-east-1a",
    machine="p5.48xlarge",
    zones=("us-east-1b",),
)


@pytest.mark.parametrize(
    ("lacks", "said"),
    [
        (
            QUOTA,
            'training: the request needs 960 vCPUs of "Running On-Demand P instances" (L-417A185B) in us-east-1, '
            "where 192 of 384 are in use. Next: ask for 1152 or more: aws service-quotas request-service-quota-increase"
            " --region "
            "us-east-1 --service-code ec2 --quota-code L-417A185B --desired-value 1152.",
        ),
        (
            ZONE,
            "training: us-east-1a offers 2 p5.48xlarge, 0 of them in use, and the request needs 5. Next: choose "
            "another zone, such as us-east-1b, fewer nodes, or machines reserved for you (a capacity block or an "
            "On-Demand Capacity Reservation: `placement` in the spec).",
        ),
    ],
    ids=["a quota, with the number to ask for", "a zone, with others that have enough"],
)
def test_what_there_is_too_little_of_is_named(lacks: Shortage, said: str) -> None:
    assert meanings([_mishap("aws:eks/nodeGroup:NodeGroup", lacks=lacks)]) == [said]


def test_the_same_is_said_once_and_what_has_no_meaning_not_at_all() -> None:
    lost = _mishap("aws:ec2/vpc:Vpc", "net/http: (Client.Timeout exceeded while awaiting headers)")
    assert len(meanings([lost, lost, _mishap("aws:ec2/vpc:Vpc", "InvalidParameterValue")])) == 1


def test_a_new_resource_that_stays_failed_is_told_with_the_command() -> None:
    failed = replace(_mishap("aws:eks/nodeGroup:NodeGroup", "no"), id="c:n")
    [told] = meanings([failed, replace(failed, request="update"), replace(failed, id="")])
    assert told.startswith("training stays failed: EKS neither repairs nor updates it, and bills its machines")
    assert told.endswith(f"replace it: gpucluster sandbox pulumi up --replace '{failed.urn}'.")


def _answers() -> list[Row]:
    return [row for row in read_rows("sandbox/clouds/answers.csv") if row["cloud"] in {*clouds(), "*"}]


@pytest.mark.parametrize("row", _answers(), ids=lambda row: f"{row['cloud']}-{row['kind']}-{row['type']}")
def test_every_answer_of_a_cloud_has_a_meaning(row: Row) -> None:
    packages = {cloud.name: cloud.package for cloud in clouds().values()}
    type_ = f"{packages.get(row['cloud'], 'aws')}:ec2/thing:Thing"
    (said,) = meanings([_mishap(type_, row["text"].replace("{quota}", "NETWORKS"))])
    assert "{" not in said, "no number is known here"


def test_every_meaning_has_numbers_that_a_shortage_has() -> None:
    known = {*QUOTA.values}
    for row in read_rows("sandbox/meanings.csv"):
        assert {*re.findall(r"{(\w+)}", row["meaning"] + row["next"])} <= known
