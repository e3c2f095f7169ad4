"""The usage file: what goes before what, what is refused, and the file that a plan gives."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost import Assumptions, Estimate, PriceBook
from gpucluster.cost.estimate.usage import BadUsage, check_names, first_usage, read_usage, relevant_usage
from tests.cases import cases
from tests.says import Says

NAT = "aws:ec2/natGateway:NatGateway"
FUNCTION = "aws:lambda/function:Function"


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], Path]:
    """A usage file with this text."""

    def write(text: str) -> Path:
        path = tmp_path / "usage.yaml"
        path.write_text(text)
        return path

    return write


def test_a_resource_goes_before_its_type_and_that_before_the_defaults(
    make: Callable[..., Resource], cost_of: Callable[..., Estimate], written: Callable[[str], Path]
) -> None:
    gateways = [make(NAT, name) for name in ("one", "two")]
    volume = make("aws:fsx/unknown:Unknown", "three")
    text = f"defaults: {{nat_gib: 1, log_gib: 4}}\ntypes: {{'{NAT}': {{nat_gib: 20}}}}"
    text += "\nresources: {two: {nat_gib: 300}}"
    assumptions = read_usage(written(text))
    found = cost_of(*gateways, assumptions=assumptions)
    assert {
        (line.urn.rsplit("::", 1)[1], line.quantity, line.assumption) for line in found.lines if line.assumption
    } == {
        (
            "one",
            Decimal(20),
            "nat_gib: 20 GiB a month through each NAT gateway (aws:ec2/natGateway:NatGateway, by usage.yaml)",
        ),
        ("two", Decimal(300), "nat_gib: 300 GiB a month through each NAT gateway (two, by usage.yaml)"),
    }
    assert (assumptions.of(volume).nat_gib, assumptions.of(volume).log_gib) == (1, 4)


def test_values_given_by_hand_go_before_the_whole_file(written: Callable[[str], Path]) -> None:
    found = read_usage(written("types: {'aws:sqs/queue:Queue': {sqs_million_requests: 5, hours_per_month: 10}}"))
    assert found.exceptions is not None
    left = found.exceptions.without(["sqs_million_requests"])
    assert left.types == {"aws:sqs/queue:Queue": {"hours_per_month": Decimal(10)}}


@cases
def test_all_that_is_wrong_is_said_at_once(written: Callable[[str], Path], text: str, problems: list[str]) -> None:
    with pytest.raises(BadUsage) as refused:
        read_usage(written(text))
    lines = str(refused.value).splitlines()
    assert len(lines) == len(problems)
    assert [part for part, line in zip(problems, lines, strict=True) if part not in line] == []


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        BadUsage, match="cannot be read: No such file or directory; `gpucluster cost usage init` writes one"
    ):
        read_usage(tmp_path / "none.yaml")


def test_an_empty_file_changes_nothing(written: Callable[[str], Path]) -> None:
    assert read_usage(written("")).with_values({}) == read_usage(written("defaults: {}\ntypes:\n"))


def test_a_resource_that_no_stack_has_is_refused(make: Callable[..., Resource], written: Callable[[str], Path]) -> None:
    assumptions = read_usage(written("resources: {gatway: {nat_gib: 1}}"))
    check_names(Assumptions(), Resources([]))
    with pytest.raises(BadUsage, match=r"usage.yaml: resources: the stack has no 'gatway'; did you mean gateway[?]"):
        check_names(assumptions, Resources([make(NAT, "gateway")]))


def test_the_file_of_a_plan_asks_for_what_moves_its_price_and_changes_nothing(
    make: Callable[..., Resource], cost_of: Callable[..., Estimate], book: PriceBook, written: Callable[[str], Path]
) -> None:
    stack = [make(NAT, "out"), make(FUNCTION, "api"), make(FUNCTION, "worker"), make("aws:kms/key:Key", "key")]
    resources = Resources(stack, default_regions={"aws": "us-east-1"})
    asked = relevant_usage(resources, book, Assumptions())
    assert {urn.rsplit("::", 1)[1]: names for urn, names in asked.items()} == {
        "out": ["nat_gib"],
        "api": ["lambda_million_requests", "lambda_ms_per_request"],
        "worker": ["lambda_million_requests", "lambda_ms_per_request"],
    }
    text = first_usage(resources, asked, "plan.json")
    assert text.splitlines()[2:] == [
        "types:",
        f"  {NAT}:",
        Says("nat_gib", "0", "GiB", "NAT"),
        "    # of out",
        f"  {FUNCTION}:",
        Says("lambda_million_requests", "0"),
        Says("lambda_ms_per_request", "0"),
        "    # of api, worker",
        Says("resources", "resource", "URN"),
        "#  out:",
        "#    nat_gib: 0",
    ]
    assert cost_of(*stack, assumptions=read_usage(written(text))).monthly == cost_of(*stack).monthly


def test_the_file_of_a_plan_without_usage_says_so(
    make: Callable[..., Resource], book: PriceBook, written: Callable[[str], Path]
) -> None:
    resources = Resources([make("aws:kms/key:Key", "key")], default_regions={"aws": "us-east-1"})
    text = first_usage(resources, relevant_usage(resources, book, Assumptions()), "plan.json")
    assert text == Says("nothing", "billed")
    assert read_usage(written(text)).exceptions is not None
