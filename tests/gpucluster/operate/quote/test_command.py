"""`gpucluster quote` as it is typed."""

from __future__ import annotations

import csv
import io
import json
from decimal import Decimal
from pathlib import Path

import jsonschema
import pytest
import yaml
from click.testing import CliRunner, Result

from gpucluster.cli import main
from gpucluster.cost.pricing.money import ranged
from gpucluster.operate.quote.document import quote_schema
from gpucluster.operate.quote.quotes import Answer
from tests.says import Says

HOME = ("quote", "--gpus", "64", "--for", "30d", "--clouds", "aws", "--regions", "us-east-1")


def run(*args: str) -> Result:
    return CliRunner().invoke(main, args)


@pytest.fixture(autouse=True)
def declared(home: Answer) -> Answer:
    """The kinds of cluster that these questions are about are at hand."""
    return home


def test_the_table_has_a_row_a_cluster_and_says_what_is_to_be_known(home: Answer) -> None:
    done = run(*HOME, "--top", "2")
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert " ".join(lines[:2]) == Says("64", "H100", "30d", "8", "8", "1", "20", "TiB")
    rows = [line for line in lines if line.strip().startswith(("1 aws", "2 aws", "3 aws"))]
    assert [row.split()[:4] for row in rows] == [[str(at), "aws", "us-east-1,", "p5.48xlarge,"] for at in (1, 2)]
    assert f"${home.quotes[0].total:,.2f}" in rows[0]
    assert f"{len(home.quotes) - 2} more: --top {len(home.quotes)}, or --format csv" in lines
    assert {"Prerequisites", "Excluded"} <= set(lines)
    assert done.stderr.endswith("Next: add --pick N --stack NAME, which writes row N as a stack\n")
    assert run(*HOME, "--top", "2", "--quiet").stderr == ""


def test_json_and_csv_have_every_row_with_the_same_amounts(home: Answer) -> None:
    document = json.loads(run(*HOME, "--format", "json", "--top", "1").stdout)
    rows = list(csv.DictReader(io.StringIO(run(*HOME, "--format", "csv", "--top", "1").stdout)))
    totals = [f"{quote.total:f}" for quote in home.quotes]
    assert [one["total_usd"] for one in document["quotes"]] == totals == [row["total_usd"] for row in rows]
    assert document["quotes"][0]["spec"] == home.quotes[0].candidate.values
    assert {one["why"] for one in document["left_out"]} == {refusal.why for refusal in home.refused}


def test_both_prices_of_the_spare_are_told(home: Answer) -> None:
    at, quote = next((n, one) for n, one in enumerate(home.quotes, 1) if one.candidate.words == "on demand")
    without = quote.total - round(Decimal("55.04") * 720, 2)
    assert quote.without_spares == without
    text = " ".join(run(*HOME, "--top", str(at)).stdout.split())
    assert f"1 spare costs ${quote.total - without:,.2f}; {ranged(without, quote.gap)} without" in text
    row = json.loads(run(*HOME, "--format", "json").stdout)["quotes"][at - 1]
    assert row["without_spares_usd"] == f"{without:f}"
    alone = json.loads(run(*HOME, "--spares", "0", "--format", "json").stdout)["quotes"]
    assert {one["without_spares_usd"] for one in alone} == {""}


def test_what_other_providers_ask_for_the_gpus_is_beside_the_clusters(home: Answer) -> None:
    text = run(*HOME, "--top", "1").stdout
    crusoe = next(offer for offer in home.offers if offer.provider == "crusoe")
    usd = crusoe.usd * 64 * 720
    assert f"  - crusoe h100-80gb-hgx, InfiniBand: $3.90 a GPU-hour, ${usd:,.2f} for 64 GPUs" in text
    offers = json.loads(run(*HOME, "--format", "json").stdout)["offers"]
    assert [one["provider"] for one in offers] == [offer.provider for offer in home.offers]
    assert len({one["provider"] for one in offers}) == len(offers) > 6
    assert {one["gpu"] for one in offers} == {"h100"}
    assert all(one["source"] and one["as_of"] for one in offers)


def test_json_is_as_its_schema_says() -> None:
    agreed = ("--support", "aws=business", "--discount", "aws=8%", "--budget", "9000000")
    validator = jsonschema.Draft202012Validator(quote_schema())
    for args in (HOME, (*HOME, *agreed)):
        document = json.loads(run(*args, "--format", "json").stdout)
        assert document["quotes"]
        assert document["left_out"]
        assert [error.json_path for error in validator.iter_errors(document)] == []
    document["quotes"][0] |= {"total_usd": 1, "surprise": ""}
    assert {error.json_path for error in validator.iter_errors(document)} == {"$.quotes[0]", "$.quotes[0].total_usd"}


def test_markdown_is_a_table_of_the_same_rows(home: Answer) -> None:
    text = run(*HOME, "--format", "markdown", "--top", "1").stdout
    assert "| Cluster | Total | $/GPU-hour | Gb/s | High | Price of |\n| --- | ---: |" in text
    assert f"${home.quotes[0].total:,.2f}" in text
    assert "**Excluded**" in text


def test_a_picked_row_becomes_a_spec_that_check_takes(home: Answer, tmp_path: Path) -> None:
    at = next(n for n, quote in enumerate(home.quotes, 1) if quote.candidate.words == "capacity block")
    file = tmp_path / "spec.yaml"
    done = run(*HOME, "--pick", str(at), "-o", str(file))
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr.splitlines()[-1] == f"Next: gpucluster check {file}"
    head = [line for line in file.read_text().splitlines() if line.startswith("#")]
    assert "# placement.id is an example: replace it with yours." in head
    assert "#   gpucluster:zone: 'use1-az1'" in head
    checked = run("check", str(file))
    assert (checked.exit_code, checked.stdout) == (0, Says("8 + 1 spare x p5.48xlarge", "use1-az1"))
    assert checked.stderr.startswith(f"{file} names its place: cloud aws, region us-east-1, zone use1-az1")
    elsewhere = run("check", str(file), "--cloud", "gcp")
    assert (elsewhere.exit_code, elsewhere.stderr) == (2, Says("placement.id", "is 'cr-0123456789abcdef0'"))


def test_a_row_that_is_not_there_is_refused(home: Answer) -> None:
    done = run(*HOME, "--pick", "99")
    assert done.exit_code == 2
    assert done.stderr == (
        f"error: command line: 1 problem\n  --pick is 99; write the number of a row, 1 to {len(home.quotes)}\n"
    )


def test_no_answer_ends_with_1_and_says_why() -> None:
    done = run(*HOME, "--budget", "1000")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == Says("--budget", "$1,000.00", "30d")


def test_everything_that_is_wrong_in_a_question_is_told_at_once() -> None:
    done = run("quote", "--gpus", "x", "--for", "30d", "--support", "aws=gold", "--discount", "gcp=-1%")
    assert done.exit_code == 2
    heading, *problems = done.stderr.splitlines()
    assert heading == "error: command line: 3 problems"
    assert [problem.split()[0] for problem in problems] == ["--gpus", "--support", "--discount"]


def test_a_picked_row_becomes_a_stack_that_checks_at_once(
    home: Answer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    at = next(n for n, quote in enumerate(home.quotes, 1) if quote.candidate.words == "capacity block")
    done = run(*HOME, "--pick", str(at), "--stack", "buy")
    assert done.exit_code == 0, done.output
    assert done.stdout == Says("Wrote Pulumi.buy.yaml and specs/buy.yaml", "placement.id", "check --stack buy")
    settings = (tmp_path / "Pulumi.buy.yaml").read_text()
    assert settings.startswith("# yaml-language-server: $schema=specs/stack-schema.json\n")
    assert yaml.safe_load(settings)["config"] == {
        "gpucluster:spec": "specs/buy.yaml",
        "gpucluster:cloud": "aws",
        "gpucluster:region": "us-east-1",
        "gpucluster:zone": "use1-az1",
        "gpucluster:machine": "p5.48xlarge",
    }
    assert (
        (tmp_path / "specs/buy.yaml")
        .read_text()
        .startswith("# yaml-language-server: $schema=schema.json\n# aws us-east")
    )
    checked = run("check", "--stack", "buy")
    assert (checked.exit_code, checked.stdout) == (0, Says("8 + 1 spare x p5.48xlarge", "use1-az1"))
    again = run(*HOME, "--pick", "1", "--stack", "buy")
    assert (again.exit_code, again.stderr) == (2, Says("specs/buy.yaml exists already"))
    alone = run(*HOME, "--stack", "other")
    assert (alone.exit_code, alone.stderr) == (2, Says("--stack is for a row; add --pick N"))
