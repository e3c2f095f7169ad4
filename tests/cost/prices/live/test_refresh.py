"""From the rows of the book to answers, and from answers to the files of the book."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from gpucluster.cost import PriceBook
from gpucluster.cost.prices.live.query import Offer, Query, Tier
from gpucluster.cost.prices.live.refresh import CLOUDS, Answer, NotWritten, answered, not_covered, wanted, write
from tests.says import Says

TODAY = datetime.date(2026, 11, 21)
P5 = "us-east-1,p5.48xlarge,compute,instance-hour,on_demand,,55.04,2026-10-10,old list,"
NAT = "us-east-1,nat-gateway-hour,nat,hour,on_demand,,0.045,2024-07-01,old list,"
S3 = [f"us-east-1,s3-standard,storage,GiB-month,on_demand,,{usd},2026-06-19,old list,tier {tier}: old"
      for tier, usd in enumerate(("0.023", "0.022", "0.021"), 1)]  # fmt: skip
SUPPORT = "global,support-business,support,month,on_demand,,100,2026,old list,"
BookFolder = Callable[..., Path]


@pytest.fixture
def sourced(book_folder: BookFolder) -> BookFolder:
    """The same with the source `old list`."""

    def made(**rows: list[str]) -> Path:
        folder = book_folder(**rows)
        with (folder / "sources.csv").open("a") as file:
            file.write("old list,,third-party,of a test\n")
        return folder

    return made


def _offer(usd: str, *more: tuple[str, str], unit: str = "Hrs", **fields: str) -> Offer:
    tiers = (Tier(Decimal(0), Decimal(usd)), *(Tier(Decimal(start), Decimal(price)) for start, price in more))
    return Offer("SKU X", {"termtype": "OnDemand", **fields}, unit, tiers, "2026-11-20")


def _p5(usd: str) -> Offer:
    return _offer(usd, instancetype="p5.48xlarge", operatingsystem="Linux", tenancy="Shared", capacitystatus="Used",
                  preinstalledsw="NA", licensemodel="No License required", marketoption="OnDemand")  # fmt: skip


def _nat(usd: str) -> Offer:
    return _offer(usd, productfamily="NAT Gateway", usagetype="NatGateway-Hours")


S3_OFFER = _offer("0.023", ("51200", "0.02"), unit="GB-Mo", productfamily="Storage", usagetype="TimedStorage-ByteHrs")


def _answers(folder: Path, *offers: Offer, accept: Sequence[str] = (), regions: Sequence[str] = ()) -> list[Answer]:
    def ask(
        provider: str, service: str, places: Sequence[str], asked: Sequence[Query]
    ) -> Iterable[tuple[str, list[Offer]]]:
        assert asked
        assert provider == "aws"
        return [(place, list(offers)) for place in places if service != "AWSComputeSavingsPlan"]

    rows = PriceBook(today=TODAY, folder=folder).rows("aws")
    skus = {row.sku for row in rows}
    return list(answered(list(wanted("aws", rows, only=skus, regions=regions)), ask, accept=accept))


def _kinds(answers: Iterable[Answer]) -> dict[str, str]:
    return {
        f"{answer.wanted.query.sku} {answer.wanted.region}": answer.kind
        for answer in answers
        if answer.kind != "absent"
    }


def test_every_row_of_the_book_that_a_list_is_known_for_is_asked_for_once() -> None:
    for cloud in CLOUDS:
        asked = list(wanted(cloud, PriceBook().rows(cloud)))
        keys = [(one.region, one.query.sku, one.query.unit, one.query.purchase, one.query.term) for one in asked]
        assert len(set(keys)) == len(keys)
        h100 = {(row.region, row.sku) for row in PriceBook().rows(cloud)
                if row.sku in ("p5.48xlarge", "a3-highgpu-8g", "Standard_ND96isr_H100_v5")
                and row.purchase == "on_demand" and row.unit == "instance-hour"}  # fmt: skip
        in_regions = {(region, sku) for region, sku in h100 if "/" not in region}
        on_demand = {(one.region, one.query.sku) for one in asked if one.query.purchase == "on_demand"}
        assert in_regions <= on_demand
        assert not (h100 - in_regions) & on_demand


def test_a_local_zone_is_not_asked_for_as_a_region_and_is_named() -> None:
    rows = [row for row in PriceBook().rows("aws") if row.sku == "p5.48xlarge" and row.purchase == "on_demand"]
    zone = "us-east-1/us-east-1-atl-1"
    asked = list(wanted("aws", rows, only=["p5.48xlarge"]))
    assert [one for one in asked if "/" in one.region] == []
    assert zone in {row.region for row in not_covered(rows, asked)}


def test_what_the_book_has_nowhere_is_looked_for_where_it_has_h100_machines() -> None:
    asked = [one for one in wanted("gcp", PriceBook().rows("gcp")) if one.query.sku == "hyperdisk-balanced-iops"]
    assert {"us-central1", "europe-west4"} <= {one.region for one in asked}
    assert [one for one in asked if one.rows] == []


def test_prices_change_stay_or_are_new(sourced: BookFolder) -> None:
    folder = sourced(aws=[P5, NAT, *S3, SUPPORT])
    answers = _answers(folder, _p5("58.00"), _nat("0.0450000000"), S3_OFFER)
    assert _kinds(answers) == {
        "p5.48xlarge us-east-1": "changed", "nat-gateway-hour us-east-1": "same", "s3-standard us-east-1": "changed",
    }  # fmt: skip
    elsewhere = _answers(folder, _nat("0.05"), regions=["eu-north-1"])
    assert _kinds(elsewhere) == {"nat-gateway-hour eu-north-1": "new"}


def test_the_document_of_a_worldwide_price_stays_in_the_note(sourced: BookFolder) -> None:
    stated = "worldwide: owner/program@1234567:list.go"
    [answer] = _answers(sourced(aws=[f"{NAT}first seen here; {stated}"]), _nat("0.05"))
    assert [row.note for row in answer.rows] == [stated]


def test_rows_are_replaced_where_they_stand_and_the_rest_stays(sourced: BookFolder) -> None:
    folder = sourced(aws=[P5, *S3, SUPPORT, NAT])
    answers = [*_answers(folder, _p5("58.00"), S3_OFFER), *_answers(folder, _nat("0.05"), regions=["eu-north-1"])]
    assert write(folder, [answer for answer in answers if not answer.doubt], TODAY) == [folder / "aws.csv"]
    lists = "AWS Price List, {}: SKU X"
    assert (folder / "aws.csv").read_text().splitlines()[1:] == [
        f'aws,us-east-1,p5.48xlarge,compute,instance-hour,on_demand,,58,2026-11-20,"{lists.format("AmazonEC2")}",',
        f'aws,us-east-1,s3-standard,storage,GiB-month,on_demand,,0.023,2026-11-20,"{lists.format("AmazonS3")}",'
        '"tier 1: first 51,200 GiB-month"',
        f'aws,us-east-1,s3-standard,storage,GiB-month,on_demand,,0.02,2026-11-20,"{lists.format("AmazonS3")}",'
        '"tier 2: over 51,200 GiB-month"',
        f"aws,{SUPPORT}",
        f"aws,{NAT}",
        f'aws,eu-north-1,nat-gateway-hour,nat,hour,on_demand,,0.05,2026-11-20,"{lists.format("AmazonEC2")}",',
    ]
    price = PriceBook(today=TODAY, folder=folder).lookup("aws", "us-east-1", "p5.48xlarge", unit="instance-hour")
    assert getattr(price, "confidence", "") == "high"
    assert sorted(path.name for path in folder.iterdir()) == ["aws.csv", "azure.csv", "gcp.csv", "sources.csv"]


@pytest.mark.parametrize(
    ("offers", "doubt"),
    [
        ([_p5("55"), _p5("56")], "2 offers match, expected one: SKU X at $55 per Hrs, SKU X at $56 per Hrs"),
        ([_p5("0")], "SKU X costs $0, which is not a price"),
        ([], "nothing matches termtype==OnDemand; instancetype==p5.48xlarge; "),
        ([_p5("98.32")],
         "$55.04 (2026-10-10) would become $98.32, +79%: too large to accept without a check; --accept p5.48xlarge"),
    ],
)  # fmt: skip
def test_a_row_in_doubt_is_named_and_has_no_price(sourced: BookFolder, offers: list[Offer], doubt: str) -> None:
    (answer,) = (one for one in _answers(sourced(aws=[P5]), *offers) if one.kind != "absent")
    assert (answer.kind, answer.rows, answer.doubt[: len(doubt)]) == ("doubt", (), doubt)
    assert str(answer.wanted) == Says("us-east-1", "p5.48xlarge", "instance-hour", "on_demand")


def test_a_jump_is_taken_where_it_is_accepted(sourced: BookFolder) -> None:
    assert _kinds(_answers(sourced(aws=[P5]), _p5("98.32"), accept=["p5.48xlarge"])) == {
        "p5.48xlarge us-east-1": "changed"
    }


def test_a_second_opinion_stays_beside_the_price_that_comes(sourced: BookFolder) -> None:
    folder = sourced(aws=[f"{P5}note=alt; someone said so"])
    answers = _answers(folder, _p5("98.32"))
    assert _kinds(answers) == {"p5.48xlarge us-east-1": "new"}
    write(folder, answers, TODAY)
    rows = PriceBook(today=TODAY, folder=folder).rows("aws")
    assert [(row.alt, row.usd_per_unit) for row in rows] == [(True, Decimal("55.04")), (False, Decimal("98.32"))]


def test_a_book_that_would_not_hold_together_is_not_written(sourced: BookFolder) -> None:
    folder = sourced(aws=[P5])
    before = (folder / "aws.csv").read_bytes()
    (answer,) = (one for one in _answers(folder, _p5("58")) if one.rows)
    twice = Answer(answer.wanted, (*answer.rows, *answer.rows))
    with pytest.raises(NotWritten, match="2 rows that are not second opinions"):
        write(folder, [twice], TODAY)
    (folder / "sources.csv").write_text("starts_with,provider,basis,why\nold list,,third-party,of a test\n")
    with pytest.raises(NotWritten, match=r"'AWS Price List, AmazonEC2: SKU X', has no line in sources\.csv"):
        write(folder, [answer], TODAY)
    assert (folder / "aws.csv").read_bytes() == before
    assert sorted(path.name for path in folder.iterdir()) == ["aws.csv", "azure.csv", "gcp.csv", "sources.csv"]


def test_a_refresh_takes_no_price_out_of_the_book(sourced: BookFolder) -> None:
    folder = sourced(aws=[P5])
    (answer,) = (one for one in _answers(folder, _p5("58")) if one.rows)
    elsewhere = Answer(answer.wanted, tuple(replace(row, region="eu-north-1") for row in answer.rows))
    with pytest.raises(NotWritten, match=r"gone: us-east-1 p5\.48xlarge instance-hour on_demand"):
        write(folder, [elsewhere], TODAY)
    assert (folder / "aws.csv").read_text().splitlines()[1] == f"aws,{P5}"


def test_a_folder_that_cannot_be_written_is_said(sourced: BookFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = sourced(aws=[P5])
    answers = _answers(folder, _p5("58"))

    def refused(_: Path, target: Path) -> Path:
        raise PermissionError(13, "Permission denied", str(target))

    monkeypatch.setattr(Path, "replace", refused)
    with pytest.raises(NotWritten, match=r"aws\.csv: Permission denied"):
        write(folder, answers, TODAY)
    assert (folder / "aws.csv").read_text().splitlines()[1] == f"aws,{P5}"
