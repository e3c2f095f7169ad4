"""What is declared once and put elsewhere costs what is declared there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from gpucluster.core.program.resources import Resources
from gpucluster.cost.estimate.estimate import estimate
from gpucluster.cost.prices import PriceBook
from gpucluster.errors import Fault
from gpucluster.operate.quote import declaration_cache as module
from gpucluster.operate.quote.candidates import Candidate, candidates
from gpucluster.operate.quote.declaration_cache import Views
from gpucluster.operate.quote.plan_declaration import declared, inside
from gpucluster.operate.quote.plan_templates import filled, holes, known_of, shape_of
from gpucluster.operate.quote.quotes import assumed
from tests.gpucluster.operate.quote.conftest import asked, nobody

QUESTIONS = [
    {"gpus": "64", "lasting": "30d"},
    {"gpus": "512", "lasting": "3y", "accelerators": "a100-80gb", "fabric": "1600", "regions": "eu,us,us-gov"},
]
HOMES = {"regions": "us-east-1,us-central1,southcentralus"}
SIZES = [
    {"gpus": "8", "lasting": "5d"},
    {"gpus": "400", "lasting": "30d", "spares": "13", "storage": "123TiB"},
    {"gpus": "512", "lasting": "1y", "accelerators": "h100,h200", "spares": "0"},
]


def covering(found: Sequence[Candidate], shapes: Sequence[str]) -> list[int]:
    """Numbers of the few of them that hold every shape, place and way: a view is made of these. Where it can be, they
    stand elsewhere than the first of its shape, which is the one that is declared.
    """
    left = [
        {
            ("shape", shape),
            ("place", f"{one.cloud} {sorted(one.place.items())}"),
            ("way", f"{one.cloud} {one.way.words}"),
        }
        for one, shape in zip(found, shapes, strict=True)
    ]
    missing, chosen = set[tuple[str, str]]().union(*left), list[int]()
    while missing:
        chosen.append(max(reversed(range(len(found))), key=lambda at: len(left[at] & missing)))
        missing -= left[chosen[-1]]
    return chosen


@pytest.mark.slow
@pytest.mark.parametrize("given", QUESTIONS, ids=lambda given: given["gpus"])
def test_every_shape_place_and_way_costs_what_its_own_program_declares_there(given: dict[str, str]) -> None:
    """Line by line: amounts, prices, what is free and what has no price."""
    found, shapes, chosen = unlike_their_own_programs(given)
    assert len({found[at].place["region"] for at in chosen}) > 10
    assert {shapes[at] for at in chosen} == {*shapes}
    assert len({*shapes}) < len(found)


@pytest.mark.slow
@pytest.mark.parametrize("given", SIZES, ids=lambda given: given["gpus"])
def test_clusters_of_every_size_cost_what_their_own_programs_declare(given: dict[str, str]) -> None:
    found, _, chosen = unlike_their_own_programs({**given, **HOMES})
    sizes = {one.plan.training.nodes for one in found}
    assert sizes == {int(given["gpus"]) // 8}
    assert len(chosen) > 3


def unlike_their_own_programs(given: dict[str, str]) -> tuple[list[Candidate], list[str], list[int]]:
    """What answers a question, the shapes of it, and the numbers of those that were declared for themselves; none of
    them costs anything else than its view says.
    """
    book, found = PriceBook(), candidates(asked(**given), PriceBook()).found
    views = Views(nobody)
    shapes = views.prepare(found)
    chosen = covering(found, shapes)
    different: list[str] = []
    for one, shape in ((found[at], shapes[at]) for at in chosen):
        mine, resources = estimate(views.resources(one.plan, shape), book, assumed(one)), declared(one.plan)
        whole = estimate(resources, book, assumed(one))
        outside = estimate(Resources(found for found in resources if not inside(found)), book, assumed(one))
        bills = [(each.parts, each.not_priced, each.facts, each.assumptions) for each in (mine, whole)]
        if mine != outside or bills[0] != bills[1]:
            different.append(f"{one.cloud} {one.place['region']} {one.machine.machine_type} {one.way.words}")
    assert different == []
    return found, shapes, chosen


def test_plans_in_two_places_and_of_all_sizes_have_one_shape_and_a_single_node_another() -> None:
    def shapes(**given: str) -> set[str]:
        question = asked(
            **{"gpus": "64", "lasting": "30d", "clouds": "gcp", "regions": "us-central1,us-east4", **given}
        )
        one_way = [one for one in candidates(question, PriceBook()).found if one.way.words == "reservation"]
        mega = [one for one in one_way if one.machine.machine_type == "a3-megagpu-8g"]
        assert {one.place["region"] for one in mega} == {"us-central1", "us-east4"}
        return {shape_of(one.plan) for one in mega}

    assert len(shapes()) == 1
    assert shapes() == shapes(gpus="4096", lasting="1y", storage="500TiB")
    assert shapes().isdisjoint(shapes(gpus="8"))


def test_names_of_a_place_come_back_into_their_holes() -> None:
    question = asked(gpus="8", lasting="30d", clouds="aws", regions="us-east-1,eu-north-1")
    found = {one.place["region"]: one.plan for one in candidates(question, PriceBook()).found}
    here, there = found["us-east-1"], found["eu-north-1"]
    view = holes({"text": ["com.amazonaws.us-east-1.s3 in use1-az1 and use1-az2", 1]}, here)
    assert filled(view, known_of(there)) == {"text": ["com.amazonaws.eu-north-1.s3 in eun1-az1 and eun1-az2", 1]}


def test_a_view_is_kept_and_one_that_is_damaged_is_declared_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_folder", lambda: tmp_path / "version")
    view = {"deployment": {"resources": []}}
    asked_for: list[int] = []

    def declare(missing: dict[str, dict[str, object]]) -> list[tuple[str, object]]:
        asked_for.append(sum(map(len, missing.values())))
        return [(shape, view) for shapes in missing.values() for shape in shapes]

    monkeypatch.setattr(module, "_declared", declare)
    question = asked(gpus="8", lasting="30d", clouds="aws", regions="us-east-1")
    found = candidates(question, PriceBook()).found[:1]
    said: list[str] = []
    for _ in range(2):
        Views(said.append).prepare(found)
    (file,) = (tmp_path / "version").glob("*.json")
    assert json.loads(file.read_text()) == view
    file.write_text("{")
    Views(said.append).prepare(found)
    assert asked_for == [1, 1]
    assert said == ["Declaring 1 kinds of cluster (AWS), for later quotes too."] * 2


def test_a_cluster_that_cannot_be_declared_is_a_fault_with_what_its_process_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_folder", lambda: tmp_path)
    question = asked(gpus="8", lasting="30d", clouds="aws", regions="us-east-1")
    (one, *_) = candidates(question, PriceBook()).found
    one.values["training"]["nodes"] = 0
    with pytest.raises(Fault, match=r"a cluster on AWS could not be declared:\n(.|\n)*training.nodes"):
        Views(nobody).prepare([one])
