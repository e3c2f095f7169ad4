"""What is wrong with a table is named by file, line and column."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import gpucluster.catalog
from gpucluster.catalog import rows
from gpucluster.catalog.machines import machines
from tests.says import Says

TABLES = Path(gpucluster.catalog.__file__).parent
TABLE = (TABLES / "machines.csv").read_text()
LINE = TABLE.count("\n") + 1
NUMBER = "write a whole number, or leave it empty where no source gives one"
NEW = "aws,p9.48xlarge,,h100,8,192,2048,bundled,8,30400,EFA,3200,100,32,0,2,3,,,,,a page,2026-11-22\n"


@pytest.fixture
def read(tmp_path, monkeypatch):
    """Reads the table of machines with a row more."""

    def with_another(row):
        (tmp_path / "catalog").mkdir()
        for table in TABLES.glob("*.csv"):  # machines refer to others
            shutil.copy(table, tmp_path / "catalog")
        (tmp_path / "catalog/machines.csv").write_text(TABLE + row)
        monkeypatch.setattr(rows, "_ROOT", tmp_path)
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
    with pytest.raises(rows.DamagedTable) as refused:
        read(NEW.replace(old, new, 1))
    assert str(refused.value) == f"catalog/machines.csv line {LINE}: {problem}"


def test_a_gpu_that_is_in_no_row_of_its_table_is_named_with_those_that_are(read):
    with pytest.raises(rows.DamagedTable, match=r"line \d+: gpu is 'h999'; allowed: h100, h100-nvl, h200, "):
        read(NEW.replace("h100", "h999"))


@pytest.mark.parametrize(("row", "values"), [(NEW.replace(",2026-11-22", ""), 22), (f"{NEW.strip()},more\n", 24)])
def test_a_row_has_a_value_for_each_column(read, row, values):
    with pytest.raises(rows.DamagedTable) as refused:
        read(row)
    assert str(refused.value) == Says("catalog/machines.csv", f"{LINE}", values, "23", "not", "cloud,machine_type")


def test_a_quote_that_never_ends_is_no_table(read):
    with pytest.raises(rows.DamagedTable, match=r"catalog/machines.csv cannot be read as CSV in UTF-8: "):
        read(NEW.replace("a page", '"a page'))
