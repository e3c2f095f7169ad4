"""Every table of the catalog: a source and a day in every row, and no such table anywhere else."""

from __future__ import annotations

import ast
import csv
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import gpucluster.core.catalog
from gpucluster.core.catalog import tables as rows_module
from gpucluster.core.catalog.labels import PACKAGES
from gpucluster.core.catalog.machines import machines
from gpucluster.core.catalog.tables import rows
from tests.cases import cases
from tests.says import Says

ROOT = Path(__file__).parents[4]
# The one source of these is the SDK in the lock, which test_labelled compares them with.
FROM_SDKS = {f"labelled_{package}" for package in PACKAGES}
# Names that we gave, which no source can confirm.
NAMES = {"clouds"}
TABLES = sorted(
    path.stem
    for path in Path(gpucluster.core.catalog.__file__).parent.glob("*.csv")
    if path.stem not in FROM_SDKS | NAMES
)
KEYS = {
    "aws_local_zones": ("zone",),
    "aws_regions": ("region",),
    "azure_ranges": ("range",),
    "azure_regions": ("zones", "source"),
    "cpu_machines": ("machine_type",),
    "eks_pods": ("machine_type",),
    "failed_states": ("type",),
    "fabric_releases": ("fabric", "machines", "plugin"),
    "free": ("type",),
    "gpu_drivers": ("cloud", "kubernetes"),
    "gpu_families": ("cloud",),
    "gpudirect": ("fabric",),
    "gpus": ("gpu",),
    "holdings": ("type",),
    "image_tags": ("image", "tag_from"),
    "lustre_efa": ("machine_type",),
    "machines": ("machine_type",),
    "mig": ("gpu", "size"),
    "node_daemons": ("object",),
    "node_changes": ("type", "properties"),
    "racks": ("machine_type", "nodes"),
    "read_by_all": ("type",),
    "regions_from": ("cloud", "from", "name"),
    "sold": ("machine_types", "purchase"),
    "sold_instead": ("cloud", "accelerator"),
    "versions": ("kind", "name", "kubernetes", "version"),
    "workloads": ("package", "workload"),
    "zones": ("machines",),
}


@pytest.mark.parametrize("table", TABLES)
def test_every_row_has_a_source_and_its_day_or_says_that_nobody_wrote_one_down(table):
    for row in rows(table):
        assert row["source"]
        assert re.fullmatch(r"\d{4}-\d\d(-\d\d)?", row["as_of"]) or row["as_of"] == "not recorded"


def test_no_fact_is_in_a_table_twice():
    assert sorted(KEYS) == TABLES
    for table, key in KEYS.items():
        found = [tuple(row[name] for name in key) for row in rows(table)]
        assert [one for one in found if found.count(one) > 1] == []


MACHINE_TYPE = re.compile(
    r"(?<![\w.])("
    r"(p[2-9]\w*(-b\d00)?|g[3-9]\w*|gr\d\w*)\.(\d+x|metal|x)?large"
    r"|a[2-9]x?-(high|mega|ultra|edge|max)gpu(-\d+g)?(-nolssd)?-?"
    r"|standard_n[a-z]+\d+\w*"
    r")(?![\w.])",
    re.IGNORECASE,
)
# The catalog itself; what judges by tables of its own, as its modules say; and what is no part of the product.
ELSEWHERE = {"build", "docs", "examples", "sandbox", "tests"}
TABLES_OF_MACHINES = {ROOT / folder for folder in ("cost/comparison", "cost/prices", "gpucluster/core/catalog")}
EXCEPTIONS = {
    "gpucluster/operate/acceptance/verdicts/references.csv": "rates that others measured, which no cloud sells",
    "tools/benchmarks/cost_plan.py": "a program to cost",
    "cost/purchasing/spot_interruption.csv": "how often each is taken back as spot, by region",
    "cost/prices/live/google_machines.csv": "which SKUs of a live price list make a machine",
}


def test_no_other_table_has_machine_types():
    """A literal that is a machine type, or a cell of a table; sentences may name one."""
    found = {str(path.relative_to(ROOT)) for path in _sources() if any(map(MACHINE_TYPE.fullmatch, _words(path)))}
    assert found == set(EXCEPTIONS)


def _sources() -> Iterator[Path]:
    folders = [path for path in ROOT.iterdir() if path.is_dir() and path.name.isidentifier()]
    for folder in folders:
        for path in [] if folder.name in ELSEWHERE else folder.rglob("*"):
            # Prices are by machine type, and so is what others offer.
            if path.suffix in (".py", ".csv") and path.parent not in TABLES_OF_MACHINES:
                yield path


def _words(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".csv":
        yield from (word for row in csv.reader(text.splitlines()) for cell in row for word in cell.split())
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


@cases
def test_a_machine_type_is_known_by_its_name(text, is_one):
    assert (MACHINE_TYPE.fullmatch(text) is not None) is is_one


ROWS_TABLES = Path(gpucluster.core.catalog.__file__).parent
TABLE = (ROWS_TABLES / "machines.csv").read_text()
LINE = TABLE.count("\n") + 1
NUMBER = "write a whole number, or leave it empty where no source gives one"
NEW = "aws,p9.48xlarge,,h100,8,192,2048,bundled,8,30400,EFA,3200,100,32,0,2,3,,,,,a page,2026-11-22\n"


@pytest.fixture
def read(tmp_path, monkeypatch):
    """Reads the table of machines with a row more."""

    def with_another(row):
        (tmp_path / "gpucluster/core/catalog").mkdir(parents=True)
        for table in ROWS_TABLES.glob("*.csv"):  # machines refer to others
            shutil.copy(table, tmp_path / "gpucluster/core/catalog")
        (tmp_path / "gpucluster/core/catalog/machines.csv").write_text(TABLE + row)
        monkeypatch.setattr(rows_module, "_ROOT", tmp_path)
        return machines.__wrapped__()

    return with_another


def test_a_machine_is_a_row(read):
    assert read(NEW)["p9.48xlarge"].vcpus == 192


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (",192,", ",about 192,", f"vcpus is 'about 192'; {NUMBER}"),
        (",bundled,", ",bundeld,", "nvme is 'bundeld'; allowed: bundled, optional, none"),
        (",EFA,", ",efa,", "fabric is 'efa'; allowed: EFA, TCPX, TCPXO, RoCE, InfiniBand, none"),
        (",,h100", ",no,h100", "clusters is 'no'; allowed: yes, empty"),
        ("p9.", "p5.", "machine_type is 'p5.48xlarge'; it has a row already"),
    ],
)
def test_a_wrong_value_of_a_machine_is_named_with_what_to_write(read, old, new, problem):
    with pytest.raises(rows_module.DamagedTable) as refused:
        read(NEW.replace(old, new, 1))
    assert str(refused.value) == f"gpucluster/core/catalog/machines.csv line {LINE}: {problem}"


def test_a_gpu_that_is_in_no_row_of_its_table_is_named_with_those_that_are(read):
    with pytest.raises(rows_module.DamagedTable, match=r"line \d+: gpu is 'h999'; allowed: h100, h100-nvl, h200, "):
        read(NEW.replace("h100", "h999"))


@pytest.mark.parametrize(("row", "values"), [(NEW.replace(",2026-11-22", ""), 22), (f"{NEW.strip()},more\n", 24)])
def test_a_row_has_a_value_for_each_column(read, row, values):
    with pytest.raises(rows_module.DamagedTable) as refused:
        read(row)
    assert str(refused.value) == Says(
        "gpucluster/core/catalog/machines.csv", f"{LINE}", values, "23", "not", "cloud,machine_type"
    )


def test_a_quote_that_never_ends_is_no_table(read):
    with pytest.raises(
        rows_module.DamagedTable, match=r"gpucluster/core/catalog/machines.csv cannot be read as CSV in UTF-8: "
    ):
        read(NEW.replace("a page", '"a page'))
