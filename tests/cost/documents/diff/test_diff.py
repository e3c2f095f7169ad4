"""A change in every form."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from gpucluster.core.documents.document import LONGEST, WIDEST
from gpucluster.core.documents.formats import NARROWEST, written
from gpucluster.core.program.readers.deletions import Deletion
from gpucluster.core.program.readers.files import read_file
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost import PriceBook, estimate
from gpucluster.cost.diff import Diff, Revision, diff
from gpucluster.cost.documents.diff.diff import COLUMNS, diff_document
from gpucluster.cost.documents.diff.diff_json import change_json, diff_json, diff_schema
from gpucluster.cost.documents.text import unpriced
from tests.cost.documents.conftest import Golden, refused

Make = Callable[..., Resource]
SCHEMA = diff_schema()


@pytest.fixture
def grown(recordings: Path, book: PriceBook) -> Diff:
    """The recorded state, and the recorded plan of two nodes more."""
    sides: list[Revision] = []
    for name in ("state.json", "update.json"):
        read = read_file((recordings / name).read_text(), name)
        sides.append(Revision(name, estimate(read.resources, book), read.resources, "dev", read.is_plan, read.ended))
    return diff(sides[0], sides[1])


@pytest.fixture
def reshaped(make: Make, book: PriceBook) -> Diff:
    """A change of everything: a pool without a limit, storage replaced, a part gone, something without a price."""
    storage, old_part, new_part = (make("x:y:Part", name, custom=False) for name in ("storage", "old", "new|part"))
    shared = make("aws:fsx/lustreFileSystem:LustreFileSystem", "shared", parent=storage, storageCapacity=1200,
                  deploymentType="PERSISTENT_2", perUnitStorageThroughput=125)  # fmt: skip
    requirements = [{"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["p5.4xlarge"]},
                    {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["us-east-1a"]}]  # fmt: skip

    def pool(**limits: Any) -> Resource:
        spec = {"template": {"spec": {"requirements": requirements, "nodeClassRef": {"name": "c"}}}, **limits}
        expected = {"annotations": {"gpucluster/expected-gpus": 1}}
        return make("kubernetes:karpenter.sh/v1:NodePool", "pool", metadata=expected, spec=spec)

    machines = make("kubernetes:karpenter.k8s.aws/v1:EC2NodeClass", metadata={"name": "c"})
    gone = make("aws:ec2/natGateway:NatGateway", "nat", parent=old_part)
    new = make("aws:ebs/volume:Volume", "disk @team <b>`x`", type="gp3", size=100, parent=new_part)
    odd = make("aws:timestreamwrite/database:Database", "database", parent=new_part)

    def side(title: str, *resources: Resource, ended: tuple[Deletion, ...] = ()) -> Revision:
        made = Resources(resources, default_regions={"aws": "us-east-1"})
        return Revision(title, estimate(made, book), made, "dev", bool(ended), ended)

    return diff(
        side("old.json", storage, old_part, shared, gone, machines, pool(limits={"nvidia.com/gpu": "4"})),
        side("new.json", storage, new_part, shared, new, odd, machines, pool(),
             ended=(Deletion(shared.urn, "replaced", ("subnetIds",)), Deletion(gone.urn, "deleted"))),
    )  # fmt: skip


@pytest.mark.parametrize("name", ["grown.txt", "reshaped.txt", "reshaped.md", "reshaped.json"])
def test_a_change_is_its_golden_file(name: str, request: pytest.FixtureRequest, golden: Golden) -> None:
    golden(f"diff/{name}", diff_document(request.getfixturevalue(name.partition(".")[0])))


@pytest.mark.parametrize("width", [NARROWEST, WIDEST])
def test_no_line_is_wider_than_the_table(reshaped: Diff, grown: Diff, width: int) -> None:
    for found in (reshaped, grown):
        assert max(map(len, written(diff_document(found), "table", width).splitlines())) <= width


def test_nothing_that_changes_is_one_sentence(grown: Diff) -> None:
    found = diff(grown.old, grown.old)
    assert written(diff_document(found), "markdown").startswith(
        "**The cost of dev does not change: $215,201.60 a month.**\n"
    )
    assert "<details>" not in written(diff_document(found), "markdown")


def _many(make: Make, book: PriceBook, number: int, name: str) -> Diff:
    """`number` volumes, each in a part of its own and replaced, and as many resources without a price."""
    parts = [make("x:y:Part", f"{name}{n}", custom=False) for n in range(number)]
    sides: list[Revision] = []
    for size in (100, 200):
        volumes = [
            make("aws:ebs/volume:Volume", f"{name}{n}", type="gp3", size=size + n, parent=part)
            for n, part in enumerate(parts)
        ]
        odd = [make("aws:rds/instance:Instance", f"{name}{n}-odd-{size}", parent=part) for n, part in enumerate(parts)]
        resources = Resources([*parts, *volumes, *odd], default_regions={"aws": "us-east-1"})
        ended = tuple(Deletion(item.urn, "replaced", ("size",)) for item in volumes) if size == 200 else ()
        sides.append(Revision("x", estimate(resources, book), resources, "dev", size == 200, ended))
    return diff(sides[0], sides[1])


@pytest.mark.parametrize("name", ["disk-", "`|@é" * 60], ids=["plain", "hostile"])
def test_a_thousand_resources_fit_into_a_comment_with_the_totals_first(make: Make, book: PriceBook, name: str) -> None:
    found = _many(make, book, 1000, name)
    text = written(diff_document(found), "markdown")
    assert len(text.encode()) <= LONGEST
    assert text.count("| **Total per month** |") == 1
    assert text.index("**Total per month**") < 1000
    head, detail = text.split("<details><summary>1,000 lines change</summary>")
    shown = detail.count("| \\~ ")
    (more,) = re.findall(r"\| ([\d,]+) more lines, together \+\$([\d,.]+) \|", detail)
    assert (int(more[0].replace(",", "")) + shown, more[1]) == (1000, f"{(1000 - shown) * 8:,.2f}")
    assert re.search(r"^\| [\d,]+ more parts, together", head, re.MULTILINE)
    assert len(re.findall(r"^- [\d,]+ more$", detail, re.MULTILINE)) == 3
    assert text.endswith("<!-- gpucluster cost diff dev -->")
    assert detail.count("</details>") == 1


def test_the_order_does_not_hang_on_that_of_the_resources(grown: Diff, recordings: Path, book: PriceBook) -> None:
    read = read_file((recordings / "update.json").read_text(), "update.json").resources
    backwards = Resources(reversed(list(read)), default_regions={"aws": "us-east-1"})
    new = Revision("update.json", estimate(backwards, book), backwards, "dev", True)
    assert written(diff_document(diff(grown.old, new)), "markdown") == written(diff_document(grown), "markdown")


def test_the_json_is_as_its_schema_and_every_field_of_it_is_required(grown: Diff, reshaped: Diff) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    for found in (grown, reshaped):
        document = diff_json(found)
        assert refused(SCHEMA, document) == []
        assert {*SCHEMA["required"]} == {*document.model_dump()}
    assert refused(SCHEMA, {**diff_json(grown).model_dump(), "total": "3"}) == ["$"]


def test_the_json_gives_the_change_of_each_part_and_together_they_are_that_of_the_stack(reshaped: Diff) -> None:
    document = diff_json(reshaped).model_dump()
    assert len(reshaped.parts) > 1
    assert [part["change"] for part in document["parts"]] == [change_json(part.change) for part in reshaped.parts]
    sums = [Decimal(part["change"]["priced_on_both_sides"]) for part in document["parts"]]
    assert sum(sums, Decimal(0)) == Decimal(document["change"]["priced_on_both_sides"])


def test_csv_has_the_lines_that_change_and_adds_up(grown: Diff, reshaped: Diff) -> None:
    for found in (grown, reshaped):
        rows = list(csv.DictReader(written(diff_document(found), "csv").splitlines()))
        assert len([row for row in rows if row["line"]]) == len(found.changed)
        assert sum(Decimal(row["change"]) for row in rows if row["change"]) == found.change.comparable
        assert [row["reason"] for row in rows if row["kind"] == "newly unpriced"] == [
            unpriced(item) for item in found.newly_unpriced
        ]
    assert written(diff_document(grown), "csv").splitlines()[0] == ",".join(COLUMNS)
