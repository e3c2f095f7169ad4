"""Locations of programs and the keys of a stack's configuration that they stand for."""

from __future__ import annotations

from dataclasses import make_dataclass
from typing import Any

import pytest
from pydantic.alias_generators import to_camel, to_snake

from gpucluster.components.stack.from_python import ProgramCloud, _keys, _values
from gpucluster.core.catalog.clouds import clouds


@pytest.mark.parametrize("cloud", clouds())
def test_each_key_of_a_stack_is_a_field(cloud: str) -> None:
    keys = _keys(cloud)
    fields = [to_snake(key) for key in keys]
    assert [to_camel(field) for field in fields] == keys
    assert all(field.islower() for field in fields)
    values, problems = _values(cloud, make_dataclass("Location", fields)(*range(len(fields))))
    assert (values, problems) == ({key: str(at) for at, key in enumerate(keys)}, [])


@pytest.mark.parametrize(("value", "text"), [("a", "a"), (1, "1"), (True, "true"), (False, "false"), (None, None)])
def test_a_field_is_written_as_in_the_configuration(value: Any, text: str | None) -> None:
    values, problems = _values("azure", make_dataclass("Location", ["kube_proxy"])(value))
    assert (values, problems) == ({} if text is None else {"kubeProxy": text}, [])


def test_a_required_key_without_a_value_is_a_problem() -> None:
    _, (problem,) = _values("azure", make_dataclass("Location", ["region"])(None))
    assert problem.field == "region"
    _, (problem,) = _values("aws", make_dataclass("Location", ["account"])([1]))
    assert (problem.field, "[1]" in str(problem)) == ("account", True)


def test_a_text_names_fields_in_place_of_keys_with_capitals() -> None:
    location = ProgramCloud("aws", object)
    capitals = [key for key in _keys("aws") if key != key.lower()]
    for key in capitals:
        assert (
            location.in_user_terms(f"set gpucluster:{key} or {key}")
            == f"set location.{to_snake(key)} or location.{to_snake(key)}"
        )
    assert location.in_user_terms("set region") == "set region"
