"""The axes of the chart, and where its curves and requirements are drawn."""

from __future__ import annotations

import re

import pytest

from gpucluster.operate.acceptance.measurements import Payload
from gpucluster.operate.acceptance.report.chart import Curve, bandwidth_chart


def curve(*points: tuple[int, float], wanted: float | None = None) -> Curve:
    payloads = [Payload(size=size, bus_gb_per_s=speed, wrong=0) for size, speed in points]
    return Curve(name="a", payloads=payloads, wanted=wanted, wanted_by="must")


@pytest.mark.parametrize(
    ("fastest", "top"),
    [(0.9, 1), (1, 1), (1.1, 2), (3.9, 4), (100, 100), (101, 200), (201, 400), (400, 400), (401, 800), (801, 1000)],
)
def test_the_axis_ends_at_the_next_one_two_four_or_eight(fastest: float, top: int) -> None:
    labels = re.findall(r'class="axis end" x="\d+" y="[\d.]+">([\d,]+)<', bandwidth_chart([curve((2**30, fastest))]))
    assert [labels[0], labels[-1].replace(",", "")] == ["0", str(top)]


@pytest.mark.parametrize(
    ("exponents", "labels"),
    [
        ((30, 33), ["1 GiB", "2 GiB", "4 GiB", "8 GiB"]),
        ((10, 30), ["1 KiB", "8 KiB", "64 KiB", "512 KiB", "4 MiB", "32 MiB", "256 MiB"]),
    ],
)
def test_payloads_have_at_most_eight_labels(exponents: tuple[int, int], labels: list[str]) -> None:
    svg = bandwidth_chart([curve(*((2**power, 1.0) for power in exponents))])
    assert re.findall(r'class="axis middle"[^>]*>([^<]+)<', svg) == labels


def test_points_are_by_size_and_a_payload_of_no_bytes_is_none() -> None:
    svg = bandwidth_chart([curve((2**31, 2.0), (0, 9.0), (2**30, 1.0))])
    [points] = re.findall(r'points="([^"]+)"', svg)
    (left, low), (right, high) = [map(float, point.split(",")) for point in points.split()]
    assert (left < right, low > high) == (True, True)
    assert bandwidth_chart([curve((0, 9.0))]) == ""


def test_a_requirement_of_one_of_two_runs_has_its_colour_and_that_of_both_has_none() -> None:
    one = [curve((2**30, 10.0), wanted=5.0), curve((2**30, 10.0), wanted=8.0)]
    both = [curve((2**30, 10.0), wanted=5.0), curve((2**30, 10.0), wanted=5.0)]
    assert re.findall(r'class="(limit[^"]*)"', bandwidth_chart(one)) == ["limit c1", "limit c0"]  # the highest first
    assert re.findall(r'class="(limit[^"]*)"', bandwidth_chart(both)) == ["limit"]
    assert re.findall(r'class="(limit[^"]*)"', bandwidth_chart(one[:1])) == ["limit"]


def test_names_of_close_requirements_are_a_line_apart() -> None:
    svg = bandwidth_chart([curve((2**30, 400.0), wanted=wanted) for wanted in (320.0, 319.0, 10.0)])
    first, second, last = (float(y) for y in re.findall(r'y="([\d.]+)">must: ', svg))
    assert (round(second - first, 1), last - second > 13) == (13.0, True)
