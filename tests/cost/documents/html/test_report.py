"""The page of a report, as text."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from html.parser import HTMLParser
from typing import Any

import pytest

from gpucluster.core.documents.charts import Bar, Bars, Curves, Mark, Range
from gpucluster.core.documents.formats import written
from gpucluster.core.documents.html import templates
from gpucluster.core.program.resources import Resource
from gpucluster.cost import Estimate
from gpucluster.cost.documents.charts import amounts_range, use_chart, use_line
from gpucluster.cost.documents.report.report import report_document
from gpucluster.cost.pricing.bounds import Gaps
from gpucluster.cost.pricing.model import Amounts
from gpucluster.cost.pricing.money import money

Make = Callable[..., Resource]
CostOf = Callable[..., Estimate]


class _Tags(HTMLParser):
    """Every tag with its attributes, and the text; fails where tags are not closed in order."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self._open: list[str] = []
        self.feed(document)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "br", "input"):
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_the_pages_fetch_and_run_nothing(report: str, comparison: str, owning: str) -> None:
    for document in (report, comparison, owning):
        tags = _Tags(document).tags
        assert not {"script", "link", "img", "iframe", "object", "embed", "a", "form"} & {tag for tag, _ in tags}
        assert [
            name for _, attributes in tags for name in attributes if name.startswith("on") or name in ("src", "href")
        ] == []
        policies = [attributes["content"] for _, attributes in tags if attributes.get("http-equiv")]
        assert policies == ["default-src 'none'; style-src 'unsafe-inline'"]
        assert not re.search(r"url\(|@import|https?://", "".join(document.split("</style>")[0]))


def test_every_amount_of_the_estimate_is_on_the_page(whole: Estimate, report: str) -> None:
    text = " ".join(_Tags(report).text)
    amounts = {money(line.monthly) for line in whole.lines if line.quantity}
    amounts |= {money(part.monthly.expected) for part in whole.parts if part.monthly.expected}
    assert {amount for amount in amounts if amount not in text} == set()
    assert f"at least {money(whole.monthly.expected)}" in text
    assert {item.reason for item in whole.not_priced if item.reason not in text} == set()


def test_text_of_others_is_text(report: str) -> None:
    parsed = _Tags(report)
    assert "b" not in {tag for tag, _ in parsed.tags}
    assert any("slices of GPUs <b>later</b>" in text for text in parsed.text)


def test_a_report_of_nothing_is_a_page_too(cost_of: CostOf) -> None:
    text = " ".join(_Tags(written(report_document(cost_of(), "Cost of nothing"), "html")).text)
    assert "$0.00" in text
    assert "Nothing here has a cost." in text


def test_a_pool_that_nothing_limits_has_no_end(make: Make, cost_of: CostOf) -> None:
    requirements = [{"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["p5.4xlarge"]},
                    {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["us-east-1a"]}]  # fmt: skip
    pool = make(
        "kubernetes:karpenter.sh/v1:NodePool", "pool", metadata={"annotations": {"gpucluster/expected-gpus": 1}},
        spec={"template": {"spec": {"nodeClassRef": {"name": "c"}, "requirements": requirements}}},
    )  # fmt: skip
    found = cost_of(pool, make("kubernetes:karpenter.k8s.aws/v1:EC2NodeClass", metadata={"name": "c"}))
    assert "unbounded where they are full" in " ".join(_Tags(written(report_document(found, "Cost"), "html")).text)


def _drawn(chart: Bars | Range | Curves) -> str:
    return str(templates().get_template("charts.html.j2").module.chart(chart))  # type: ignore[attr-defined]


def _numbers(chart: Bars | Range, name: str) -> list[str]:
    return re.findall(rf'class="{name}"[^>]*? width="([\d.]+)"', _drawn(chart))


def test_bars_are_as_long_as_their_share_of_the_largest() -> None:
    rows = [Bar("a", Decimal(40), "$40"), Bar("b", Decimal(10), "$10"), Bar("c", None, "unknown")]
    assert _numbers(Bars(rows), "bar") == ["100.00", "25.00", "0.00"]
    assert _numbers(Bars(rows, Decimal(80)), "bar") == ["50.00", "12.50", "0.00"]
    assert _numbers(Bars([Bar("nothing", Decimal(0), "$0")]), "bar") == ["0.00"]


@pytest.mark.parametrize(
    ("ceiling", "budget", "floor_width", "ceiling_width"),
    [
        (Decimal(80), None, "25.00", "100.00"),
        (Decimal(80), Decimal(100), "20.00", "80.00"),
        ("unbounded", None, "43.48", "100.00"),
    ],
)
def test_a_range_ends_at_its_ceiling_or_at_the_edge(
    ceiling: Any, budget: Decimal | None, floor_width: str, ceiling_width: str
) -> None:
    limit = None if budget is None else Mark("Budget", budget, "$100")
    amounts, gaps = Amounts(Decimal(20), Decimal(40), ceiling), Gaps((), None, None, frozenset())
    chart = amounts_range(amounts, gaps, "text", limit)
    assert (_numbers(chart, "bar"), _numbers(chart, "bar-2")) == ([floor_width], [ceiling_width])
    assert _drawn(chart).count('class="tick"') == (1 if budget is None else 2)


def test_a_curve_is_marked_where_it_meets_the_first() -> None:
    found = [
        use_line("on demand", Decimal(0), Decimal(200)),
        use_line("plan", Decimal(90), Decimal(90), Decimal("0.45")),
    ]
    drawing = _drawn(use_chart(found, "text"))
    assert 'd="M0.00 100.00L100.00 0.00"' in drawing
    assert 'd="M0.00 55.00L100.00 55.00"' in drawing
    assert 'd="M45.00 55.00V100"' in drawing
    assert drawing.count('class="meet') == 1


def test_reserved_capacity_is_in_the_totals_with_what_of_it_is_committed_and_paid_upfront(
    make: Make, cost_of: CostOf
) -> None:
    target = {"capacityReservationTarget": {"capacityReservationId": "cr-1"}}
    inputs = {"instanceType": "p5.48xlarge", "rootBlockDevice": {"volumeSize": 10},
              "associatePublicIpAddress": False, "instanceMarketOptions": {"marketType": "capacity-block"}}  # fmt: skip
    machines = [
        make("aws:ec2/instance:Instance", f"m{number}", capacityReservationSpecification=target, **inputs)
        for number in range(3)
    ]
    cluster = make("x:y:Cluster", "c", custom=False, durationDays=14)
    text = " ".join(_Tags(written(report_document(cost_of(cluster, *machines), "Cost"), "html")).text)
    for shown in (
        "Total per month $121,264.16",  # 4 x 730 x 41.528, and three disks
        "of which committed elsewhere $121,261.76",
        "This trial, 14 days $55,814.73",
        "of which paid upfront $55,813.63",
        "committed elsewhere; 1 of 4 idle; this trial, paid upfront: $55,813.63",
        "of which committed elsewhere: $121,261.76",
    ):
        assert shown in " ".join(text.split())
