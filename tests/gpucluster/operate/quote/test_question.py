"""What `gpucluster quote` is asked, and every mistake in it."""

from __future__ import annotations

from decimal import Decimal

import pytest

from gpucluster.components.cluster.cloud import CLOUDS
from gpucluster.errors import InputError
from gpucluster.operate.quote.question import Question, question_of
from tests.says import Says

REGIONS = {"us-east-1", "europe-west4"}


def test_what_is_left_out_has_the_usual_value() -> None:
    assert question_of({"gpus": "60", "for": "2w"}, REGIONS) == Question(
        gpus=60, hours=336, accelerators=("h100",), clouds=CLOUDS, places=frozenset()
    )


def test_every_option_is_read_in_its_unit() -> None:
    given = {
        "gpus": " 512 ",
        "for": "1y",
        "storage": "1.5PiB",
        "fabric": "1600",
        "spares": "0",
        "accelerators": "H200,h100",
        "clouds": "gcp, aws",
        "regions": "EU,us-east-1",
        "budget": "$1,500,000.50",
    }
    assert question_of(given, REGIONS) == Question(
        gpus=512,
        hours=8760,
        accelerators=("h200", "h100"),
        clouds=("gcp", "aws"),
        places=frozenset({"eu", "us-east-1"}),
        storage_tib=Decimal(1536),
        fabric_gbps=1600,
        spares=0,
        budget=Decimal("1500000.50"),
    )


@pytest.mark.parametrize(
    ("gpus", "nodes", "time", "duration"), [("8", 1, "12h", "12h"), ("9", 2, "48h", "2d"), ("64", 8, "1y", "365d")]
)
def test_gpus_become_whole_nodes_and_a_time_what_a_spec_takes(gpus: str, nodes: int, time: str, duration: str) -> None:
    found = question_of({"gpus": gpus, "for": time}, REGIONS)
    assert (found.nodes, found.duration) == (nodes, duration)


def test_every_mistake_is_told_at_once_with_what_is_allowed() -> None:
    given = {
        "gpus": "0",
        "for": "30",
        "storage": "5TB",
        "fabric": "-1",
        "spares": "513",
        "accelerators": "b400",
        "clouds": "aws,gpc",
        "regions": "eu,us-esat-1,mars",
        "budget": "0",
    }
    with pytest.raises(InputError) as refused:
        question_of(given, REGIONS)
    assert str(refused.value) == (
        "command line: 9 problems\n"
        "  --gpus is '0'; write a whole number from 1 to 32,768: GPUs, such as 64\n"
        "  --for is '30'; write hours, days, weeks or years, such as 12h, 30d, 2w or 1y\n"
        "  --accelerators is 'b400'; b400 is not known; allowed, comma-separated: h100, h200, a100-80gb, "
        "a100-40gb, b200, b300, gb200, gb300; did you mean b300?\n"
        "  --clouds is 'aws,gpc'; gpc is not known; allowed, comma-separated: aws, gcp, azure; did you mean gcp?\n"
        "  --regions is 'eu,us-esat-1,mars'; us-esat-1, mars are not known; allowed, comma-separated: us-gov, "
        "china, us, canada, mexico, southamerica, eu, oceania, asia, me, africa, or regions such as us-east-1, "
        "us-central1 and eastus; did you mean us-east-1?\n"
        "  --storage is '5TB'; write a size in TiB or PiB, above 0 and up to 100,000TiB, such as 50TiB\n"
        "  --fabric is '-1'; write a whole number from 0 to 12,800: Gb/s a node, such as 1600\n"
        "  --spares is '513'; write a whole number from 0 to 512: nodes, such as 1\n"
        "  --budget is '0'; write USD above 0 for the whole time, such as 500000"
    )


@pytest.mark.parametrize("time", ["0d", "10000d", "1.5d", "30 days", "28y", "9999999h", ""])
def test_a_time_that_no_spec_holds_is_refused(time: str) -> None:
    with pytest.raises(InputError, match="hours, days, weeks or years"):
        question_of({"gpus": "8", "for": time}, REGIONS)


def test_what_has_no_usual_value_is_missing() -> None:
    with pytest.raises(InputError) as refused:
        question_of({}, REGIONS)
    assert refused.value.problems == (Says("--gpus", "missing", "GPUs", "64"), Says("--for", "missing", "30d"))


def test_racks_are_asked_for_whole() -> None:
    assert question_of({"gpus": "144", "for": "30d", "accelerators": "gb200,h100"}, REGIONS).gpus == 144
    with pytest.raises(InputError) as refused:
        question_of({"gpus": "70", "for": "30d", "accelerators": "b200,gb200"}, REGIONS)
    assert str(refused.value) == (
        "command line: 1 problem\n"
        "  --gpus is 70; gb200 is sold in racks of 36 or 72 GPUs: write 36, 72, 108 or another multiple, or leave "
        "gb200 out"
    )
    with pytest.raises(InputError) as refused:
        question_of({"gpus": "36", "for": "30d", "accelerators": "gb200", "clouds": "gcp,azure"}, REGIONS)
    assert refused.value.problems == (Says("--gpus", 36, "gb200", "racks of 72 GPUs", "72, 144, 216"),)


def test_half_a_rack_is_asked_for_where_one_of_the_clouds_sells_it() -> None:
    assert question_of({"gpus": "36", "for": "30d", "accelerators": "gb200"}, REGIONS).gpus == 36
