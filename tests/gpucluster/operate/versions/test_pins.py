"""The table of versions: all that is pinned is in it, and nothing in use is out of support on the day of its row."""

from __future__ import annotations

import datetime
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpucluster.components.kubernetes.objects.charts import CHARTS
from gpucluster.core.catalog.kubernetes_versions import builds_of, eks_addons, kubernetes_versions
from gpucluster.core.catalog.tables import DamagedTable
from gpucluster.core.catalog.versions import known_versions, order
from gpucluster.operate.versions import pins as module
from gpucluster.operate.versions.pins import Pin, pins
from gpucluster.sandbox.live.charts import CHARTS as LIVE

ROOT = Path(__file__).parents[4]


def names(kind: str) -> set[str]:
    return {one.name for one in pins() if one.kind == kind}


@pytest.mark.parametrize("pin", pins(), ids=lambda pin: f"{pin.kind}-{pin.name}")
def test_nothing_in_use_is_out_of_support_on_the_day_of_its_row(pin: Pin) -> None:
    """Never by today's clock: a default that ends later fails when the table is refreshed."""
    if pin.known:
        assert pin.support(datetime.date.fromisoformat(pin.known.as_of)) in ("standard", "not known")


def test_a_version_whose_standard_support_is_over_would_be_found() -> None:
    former = kubernetes_versions("aws")["1.33"]
    assert former.support(datetime.date.fromisoformat(former.as_of)) == "extended"
    [python] = (one for one in pins() if one.name.endswith("library/python"))
    assert (python.version, f"{python.ends}") == ("3.13-slim", "2029-10-31")
    assert [python.support(datetime.date(2029, 10, 31)), python.support(datetime.date(2029, 11, 1))] == [
        "standard",
        "none",
    ]


@pytest.mark.parametrize("pin", pins(), ids=lambda pin: f"{pin.kind}-{pin.name}")
def test_the_newest_version_is_the_last_row_and_no_reason_is_left_when_it_is_in_use(pin: Pin) -> None:
    versions = [order(one.version) for one in known_versions()[pin.kind, pin.name] if pin.kind != "add-on"]
    assert versions == sorted(versions)
    assert not pin.newest.stays or pin.behind or not pin.version
    assert not pin.version or order(pin.version) <= order(pin.newest.version)


def test_every_chart_add_on_cloud_package_and_program_is_in_it() -> None:
    assert names("chart") == {*CHARTS}
    assert names("add-on") == {*eks_addons()}
    assert names("kubernetes") == {"aws", "gcp", "azure"}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = [*project["dependencies"], *(one for extra in project["optional-dependencies"].values() for one in extra)]
    assert names("package") == {re.split("[>=<]", one)[0] for one in asked if one.startswith("pulumi")}
    # The others that a live cluster and the sandbox build; Helm's library alone renders, and is in no cluster.
    others = {
        "github.com/pulumi/pulumi-yaml",
        "github.com/pulumi/pulumi/pkg/v3",
        "github.com/ray-project/kuberay/ray-operator",
        "go.etcd.io/etcd/server/v3",
        "k8s.io/kubernetes",
        "sigs.k8s.io/karpenter",
        "sigs.k8s.io/kwok",
    }
    assert names("program") == {*(chart.module for chart in LIVE.values()), *others}


# Fabrics have a table of releases of their own; the other is part of a chart's release.
OTHER_TABLES = ("gce-ai-infra/", "gke.gcr.io/pause")
_IMAGE = re.compile(r"(?<![\w./-])((?:[a-z0-9-]+\.)+[a-z]+/[a-z0-9./-]+):v?\d[\w.-]*")


def _images() -> Iterator[str]:
    for folder in ("components", "gpucluster/operate"):
        for file in (ROOT / folder).rglob("*"):
            if file.suffix in (".py", ".yaml"):
                yield from (found for found in _IMAGE.findall(file.read_text()) if "://" not in found)


def test_every_image_with_a_version_is_in_it() -> None:
    found = {one for one in _images() if not any(part in one for part in OTHER_TABLES)}
    assert found == {name for name in names("image") if "/" in name}


def test_a_row_that_names_another_file_than_that_of_its_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {("image", "example.com/none"): known_versions()["image", "al2023"]}
    monkeypatch.setattr(module, "known_versions", lambda: rows)
    with pytest.raises(DamagedTable) as caught:
        pins()
    file = "components/aws/pools/elastic_pools.py"
    assert str(caught.value) == f"versions.csv: {file} has no version of example.com/none; correct `pin` or `name`"


def test_a_package_that_is_not_installed_has_no_version(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {("package", "gpucluster-none"): known_versions()["package", "pulumi"]}
    monkeypatch.setattr(module, "known_versions", lambda: rows)
    [pin] = pins()
    assert (pin.version, pin.behind, pin.ends) == ("", False, None)


def test_the_builds_of_add_ons_are_those_of_the_table() -> None:
    assert builds_of("coredns", "1.35").recorded[0] == builds_of("coredns", "1.35").pinned
    assert builds_of("coredns", "1.36").pinned is None
    assert builds_of("coredns", "1.20").recorded == ()
