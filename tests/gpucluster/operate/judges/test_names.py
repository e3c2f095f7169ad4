"""A property table: rows, wildcards, the rule for the rest, and whole paths."""

from __future__ import annotations

import csv
from collections.abc import Sequence

import pytest

from gpucluster.operate.judges.aws import judge as aws
from gpucluster.operate.judges.gcp import judge as gcp
from gpucluster.operate.judges.names import Names, Place
from tests.cases import cases

TABLE = '''\
type,path,schema,how
*,tags,Tags,tags
*,region,,
a:b:C,*,Data,
a:b:C,name,CName,
a:b:C,log,Logging.Types[].Type,
a:b:C,net.card,NetworkCard,
a:b:C,net.tags,Tags,map
a:b:C,,Kind,"=""C"""
'''
NAMES = Names(list(csv.DictReader(TABLE.splitlines())), str.capitalize)


def _dotted(steps: Sequence[str] | None) -> str | None:
    return None if steps is None else ".".join(steps)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("name", Place(("CName",))),
        ("net", Place(("Data", "Net"))),
        ("net.card", Place(("NetworkCard",))),
        ("net.size", Place(("Size",))),
        ("log", Place(("Logging", "Types[]", "Type"))),
        ("tags", Place(("Tags",), "tags")),
        ("region", None),
    ],
)
def test_a_place_is_that_of_the_row_else_of_the_type_else_of_the_rule(path: str, expected: Place | None) -> None:
    assert NAMES.place("a:b:C", path.split(".")) == expected


@cases
def test_a_whole_path_ends_where_names_of_the_user_start(path: str, expected: str | None) -> None:
    assert _dotted(NAMES.schema_path("a:b:C", path.split("."))) == expected


def test_a_type_without_rows_follows_the_rule_and_what_holds_for_all() -> None:
    assert NAMES.place("x:y:Z", ["size"]) == Place(("Size",))
    assert NAMES.place("x:y:Z", ["tags"]) == Place(("Tags",), "tags")
    assert (NAMES.implied("x:y:Z"), NAMES.implied("a:b:C")) == ((), [Place(("Kind",), '="C"')])


@cases
def test_cloudformation_s_names(type_: str, path: str, expected: str) -> None:
    assert _dotted(aws.NAMES.schema_path(type_, path.split("."))) == expected


@cases
def test_google_s_names(type_: str, path: str, expected: str | None) -> None:
    assert _dotted(gcp.NAMES.schema_path(type_, path.split("."))) == expected
