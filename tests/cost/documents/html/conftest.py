"""Pages, and a headless browser that looks at them without any network."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from gpucluster.core.documents.formats import written
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost import Estimate, PriceBook, estimate
from gpucluster.cost.comparison import compare
from gpucluster.cost.documents.comparison.comparison import comparison_document
from gpucluster.cost.documents.report.report import report_document
from gpucluster.cost.documents.tco import tco_document
from gpucluster.cost.estimate.labels import group_by, labels_of
from gpucluster.cost.purchasing import options_of
from gpucluster.cost.tco import Inputs, against, own_cluster
from tests.browser.chromium import find_chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

MakeColumn = Callable[..., Any]
Show = Callable[..., "Page"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for the pages of a module. Its event loop runs as long, and other tests have loops of their own."""
    from playwright.sync_api import sync_playwright

    found = find_chromium()
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=found.binary,
            args=["--no-sandbox", "--no-zygote", "--font-render-hinting=none"],
            env={**os.environ, **found.environment},
        )
        yield started
        started.close()


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Iterator[Show]:
    """`show(document, width=360)`: the page in a window of its own, which may fetch nothing else."""
    contexts: list[Any] = []

    def shown(document: str, width: int = 1280, height: int = 720, scheme: Literal["light", "dark"] = "light") -> Page:
        path = tmp_path / "page.html"
        path.write_text(document, encoding="utf-8")
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, offline=True)
        contexts.append(context)
        page = context.new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri())
        assert asked == [path.as_uri()]
        return page

    yield shown
    for context in contexts:
        context.close()


@pytest.fixture
def resources(stack: Callable[..., list[Resource]], make: Callable[..., Resource]) -> Resources:
    """A trial on AWS with an elastic pool that nothing limits, labels, a database without a price, and odd names."""
    found = stack("aws", budget={"monthly": "250000", "onExceed": "fail"}, notBuilt=["slices of GPUs <b>later</b>"])
    teams = ["research", "platform", "research"]
    labelled = [item for item in found if item.custom]
    for resource, team in zip(labelled, teams, strict=True):
        resource.inputs["tags"] = {"team": team, "cost-center": "cc-1", "Name": resource.name}  # type: ignore[index]
    disk = make("aws:ebs/volume:Volume", "a-disk-with-a-very-long-name-" * 4, type="gp3", size=500, tags={"team": "x"})
    return Resources([*found, disk, make("aws:rds/instance:Instance", "db")], default_regions={"aws": "us-east-1"})


@pytest.fixture
def whole(resources: Resources, book: PriceBook) -> Estimate:
    """What these cost."""
    return estimate(resources, book)


@pytest.fixture
def report(resources: Resources, whole: Estimate, book: PriceBook) -> str:
    """The page of a report."""
    groupings = [group_by(whole, resources, label) for label in labels_of(whole, resources)]
    return written(
        report_document(whole, "Cost of dev", groupings=groupings, options=options_of(resources, book)), "html"
    )


@pytest.fixture
def comparison(column: MakeColumn) -> str:
    """The page of three clouds."""
    return written(comparison_document(compare([column("aws"), column("gcp"), column("azure-native")])), "html")


@pytest.fixture
def owning() -> str:
    """The page of nodes of one's own, against a price by use and a reservation."""
    own = own_cluster(Inputs.of(settings=["nodes=8"]))
    rates = (("$5.25 a GPU-hour", "5.25", False), ("$0.5 a GPU-hour", "0.5", False), ("reserved", "4", True))
    found = [against(own, name, Decimal(rate), idle_too=idle) for name, rate, idle in rates]
    return written(tco_document(own, [], found), "html")
