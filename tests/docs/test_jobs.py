"""The page about jobs says of images what the releases of the fabrics say."""

from __future__ import annotations

import re
from pathlib import Path

from gpucluster.core.catalog.fabrics import FabricRelease, release_of
from gpucluster.core.catalog.machines import machines
from tests.gpucluster.core.catalog.misfit import misfit

PAGE = Path(__file__).parents[2] / "docs/run/jobs.md"
# What the page calls machines that are told apart by nothing in the table -> one of them.
CALLED = {
    "p4d, p4de, p5, p5e, p5en, p6-b200, p6-b300": (
        *("p4d.24xlarge", "p4de.24xlarge", "p5.48xlarge", "p5e.48xlarge", "p5en.48xlarge"),
        *("p6-b200.48xlarge", "p6-b300.48xlarge"),
    ),
    "ND A100 v4, ND H100 v5, ND H200 v5": (
        "Standard_ND96amsr_A100_v4",
        "Standard_ND96isr_H100_v5",
        "Standard_ND96isr_H200_v5",
    ),
}


def row(name: str, release: FabricRelease) -> tuple[str, ...]:
    bounds = (("from", release.driver_from), ("below", release.driver_below))
    return (
        name,
        release.nccl or "the image's",
        str(release.cuda or "any"),
        f"below {release.torch_below}" if release.torch_below else "any",
        " ".join(f"{word} {bound}" for word, bound in bounds if bound) or "any",
        f"`{release.nccl_net}`",
        f"`{release.pytorch}`",
    )


def test_the_table_of_images_has_every_machine_with_a_fabric_as_its_release_says() -> None:
    table = PAGE.read_text().partition("| machine | NCCL of jobs |")[2].partition("\n\n")[0].splitlines()[2:]
    found = {tuple(cell.strip() for cell in line.strip("|").split(" | ")) for line in table}
    gcp = [name for name, one in machines().items() if one.clusters and one.cloud == "gcp" and one.fabric != "none"]
    named = {name: (name,) for name in gcp} | CALLED
    assert found == {row(name, release_of(machines()[one])) for name, same in named.items() for one in same}


def test_every_image_that_the_page_says_is_refused_is_by_some_fabric() -> None:
    named = re.findall(r"`pytorch:(\d\d[.]\d\d-py3)`", PAGE.read_text())
    mega = release_of(machines()["a3-megagpu-8g"])
    assert [tag for tag in named if misfit(mega, f"nvcr.io/nvidia/pytorch:{tag}") is None] == []


def test_the_page_about_gke_has_the_plugin_and_the_daemon_of_each_release() -> None:
    page = (PAGE.parents[1] / "reference/inside-gke.md").read_text()
    table = page.partition("| machine type | fabric |")[2].partition("\n\n")[0].splitlines()[2:]
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table]
    found = {name.partition(" ")[0]: (plugin, daemon) for name, *_, plugin, daemon in cells}
    assert found == {
        name: (_short(release.plugin), _short(release.daemon) if release.daemon else "none")
        for name in found
        for release in [release_of(machines()[name])]
    }
    assert set(found) == {"a3-highgpu-8g", "a3-megagpu-8g", "a3-ultragpu-8g", "a4-highgpu-8g"}


def _short(image: str) -> str:
    return f"`{image.rpartition('/')[2]}`"
