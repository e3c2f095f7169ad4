"""`gpucluster cost prices refresh`: what it prints where, what it writes, and its exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gpucluster.cli import main
from tests.cases import cases
from tests.says import Says

from .fakes import Lists, Reply, machine, meter, offer_file, page, region_index

SOURCE = "ewyluda/gpu-price-index@ab49c80:data/observations/x"
P5 = f"us-east-1,p5.48xlarge,compute,instance-hour,on_demand,,55.04,2026-10-10,{SOURCE},"
ND = f"eastus,Standard_ND96isr_H100_v5,compute,instance-hour,on_demand,,98.32,2026-10-10,{SOURCE},"
A3 = f"us-central1,a3-highgpu-8g,compute,instance-hour,on_demand,,88.49,2026-10-10,{SOURCE},"
FILE = "/offers/v1.0/aws/AmazonEC2/20261120170746/us-east-1/index.csv"
Refresh = Callable[..., Result]


@pytest.fixture
def book(book_folder: Callable[..., Path]) -> Path:
    """A book of three H100 machines."""
    return book_folder(aws=[P5], azure=[ND], gcp=[A3])


@pytest.fixture
def refresh(lists: Lists, book: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Refresh:
    """`refresh("--dry-run")`: the command for these machines on AWS and Azure, asking loopback."""
    monkeypatch.setenv("GPUCLUSTER_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("GPUCLUSTER_GOOGLE_API_KEY", raising=False)
    lists.put("/offers/v1.0/aws/AmazonEC2/current/region_index.json", region_index("AmazonEC2", "us-east-1"))
    plans = {"regions": [{"regionCode": "elsewhere", "versionUrl": "/x.json"}]}
    lists.put("/savingsPlan/v1.0/aws/AWSComputeSavingsPlan/current/region_index.json", plans)
    lists.put("/spot.json", {"config": {"regions": []}})
    lists.put(FILE, offer_file(machine("p5.48xlarge", "60.5440000000")))
    lists.put("/api/retail/prices", page(meter(98.32)))

    def run(*arguments: str, clouds: tuple[str, ...] = ("aws", "azure")) -> Result:
        chosen = [part for cloud in clouds for part in ("--cloud", cloud)]
        mirrors = [part for cloud in ("aws", "azure", "gcp") for part in ("--endpoint", f"{cloud}={lists.address}")]
        skus = {"aws": "p5.48xlarge", "azure": "Standard_ND96isr_H100_v5", "gcp": "a3-highgpu-8g"}
        only = [part for cloud in clouds for part in ("--only", skus[cloud])]
        given = ["cost", "prices", "refresh", *chosen, *mirrors, *only, "--book", str(book), *arguments]
        return CliRunner().invoke(main, given)

    return run


def test_a_dry_run_says_what_would_change_and_writes_nothing(refresh: Refresh, book: Path) -> None:
    before = {path.name: path.read_bytes() for path in book.iterdir()}
    run = refresh("--dry-run")
    assert run.exit_code == 0
    assert run.stdout == (
        "1 prices change, 1 stay and get a new date, 0 are new, 0 are in doubt\n\n"
        f"{'price':<59}{'old':>19}{'new':>22}{'change':>8}\n"
        "aws us-east-1 p5.48xlarge per instance-hour, on_demand     "
        "$55.04 (2026-10-10)  $60.544 (2026-11-20)  +10.0%\n\n"
        "20 are not sold there\n"
    )
    assert run.stderr.splitlines()[-1] == "Nothing is written: a dry run."
    assert {path.name: path.read_bytes() for path in book.iterdir()} == before


def test_what_a_dry_run_read_is_not_read_again(refresh: Refresh, book: Path, lists: Lists) -> None:
    refresh("--dry-run", "--quiet")
    run = refresh("--format", "json")
    assert (run.exit_code, json.loads(run.stdout)["written"]) == (0, True)
    assert run.stderr.splitlines()[-1] == f"Written to {book}. Next: gpucluster cost prices check"
    assert (lists.times(FILE), lists.times("/api/retail/prices")) == (1, 1)
    assert ",60.544,2026-11-20," in (book / "aws.csv").read_text()
    assert refresh("--max-age", "0", "--dry-run").exit_code == 0
    assert (lists.times(FILE), lists.times("/api/retail/prices")) == (2, 2)


def test_with_a_row_in_doubt_nothing_is_written_unless_asked_for(refresh: Refresh, book: Path, lists: Lists) -> None:
    lists.put("/api/retail/prices", page(meter(98.32), meter(98.32, meterId="m-2")))
    run = refresh()
    assert (run.exit_code, ",55.04," in (book / "aws.csv").read_text()) == (1, True)
    doubt = (
        "In doubt, kept as they were\n  - azure eastus Standard_ND96isr_H100_v5 per instance-hour, on_demand: 2 offers"
    )
    assert doubt in run.stdout
    assert run.stderr.splitlines()[-1].startswith("Nothing is written: rows are in doubt.")
    run = refresh("--keep-going")
    assert (run.exit_code, ",60.544," in (book / "aws.csv").read_text()) == (1, True)
    assert ",98.32,2026-10-10," in (book / "azure.csv").read_text()


@pytest.mark.parametrize(
    "reply", [Reply(status=404), Reply('{"Items": [{'), Reply(offer_file(machine("p5.48xlarge", "1"))), Reply("{}")]
)
def test_a_list_that_cannot_be_read_leaves_the_book_whole(
    refresh: Refresh, book: Path, lists: Lists, reply: Reply
) -> None:
    before = {path.name: path.read_bytes() for path in book.iterdir()}
    lists.put("/api/retail/prices", reply)
    run = refresh("--keep-going")
    assert (run.exit_code, run.stdout) == (3, "")
    first, last = run.stderr.splitlines()[-2:]
    assert first.startswith(f"error: {lists.address}")
    assert last == "Nothing is written; the book is unchanged."
    assert {path.name: path.read_bytes() for path in book.iterdir()} == before


@cases
def test_bad_input_is_named_and_nothing_is_asked(
    refresh: Refresh, lists: Lists, arguments: list[str], message: str
) -> None:
    run = refresh(*arguments)
    assert (run.exit_code, lists.asked) == (2, [])
    assert message in " ".join(run.stderr.split())


def test_without_a_key_google_is_left_out_and_the_others_go_on(refresh: Refresh, book: Path, lists: Lists) -> None:
    run = refresh(clouds=("aws", "gcp"))
    said = Says("Cloud", "API", "GPUCLUSTER_GOOGLE_API_KEY")
    assert (run.exit_code, run.stderr.splitlines()[-1]) == (2, said)
    assert ",60.544,2026-11-20," in (book / "aws.csv").read_text()
    assert json.loads(refresh("--format", "json", "--dry-run", clouds=("aws", "gcp")).stdout)["skipped"] == ["gcp"]
    lists.asked.clear()
    run = refresh(clouds=("gcp",))
    assert (run.exit_code, lists.asked) == (2, [])
    assert " ".join(run.stderr.split()) == Says("API", "GPUCLUSTER_GOOGLE_API_KEY")


def test_the_changes_are_the_body_of_a_pull_request(refresh: Refresh, lists: Lists) -> None:
    lists.put("/api/retail/prices", page(meter(98.32), meter(98.32, meterId="m-2")))
    run = refresh("--dry-run", "--quiet", "--format", "markdown")
    assert run.exit_code == 1
    assert run.stdout.splitlines()[:10] == [
        Says("1", "0", "0", "1"),
        "",
        "| price | old | new | change |",
        "| --- | ---: | ---: | ---: |",
        "| aws us-east-1 p5.48xlarge per instance-hour, on\\_demand | $55.04 (2026-10-10) | $60.544 (2026-11-20) | "
        "+10.0% |",
        "",
        "**In doubt, kept as they were**",
        "",
        "- azure eastus Standard\\_ND96isr\\_H100\\_v5 per instance-hour, on\\_demand: 2 offers match, expected one: "
        "meter m-1 p/s Consumption at $98.32 per 1 Hour, meter m-2 p/s Consumption at $98.32 per 1 Hour",
        "",
    ]
