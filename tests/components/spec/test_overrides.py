"""Other values for a spec, for one preview."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpucluster.components.spec.file import read_spec, stack_spec
from gpucluster.components.spec.overrides import SET_VARIABLE, _short, wanted
from gpucluster.errors import InputError

SPEC = Path(__file__).parents[3] / "stacks" / "specs" / "trial.yaml"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Sets the variable by `asked.setenv`."""
    monkeypatch.delenv(SET_VARIABLE, raising=False)
    return monkeypatch


def _ask(asked: pytest.MonkeyPatch, **values: str) -> None:
    asked.setenv(SET_VARIABLE, json.dumps({name.replace("__", "."): text for name, text in values.items()}))


@pytest.mark.usefixtures("asked")
def test_without_the_variable_a_spec_is_what_it_says() -> None:
    assert (wanted(), stack_spec(SPEC).what_if(), read_spec(SPEC).training.nodes) == ({}, [], 4)


def test_values_stand_for_those_of_the_spec(asked: pytest.MonkeyPatch) -> None:
    plain = read_spec(SPEC)
    _ask(
        asked,
        nodes="8",
        elastic__pools__dev__max_gpus="16",
        labels__team="red",
        duration="30d",
        placement__kind="reservation",
        placement__id="cr-0123456789abcdef0",
    )
    spec = read_spec(SPEC)
    assert (spec.training.nodes, spec.labels["team"], spec.placement.kind) == (8, "red", "reservation")
    assert spec.elastic is not None and plain.elastic is not None
    assert spec.elastic.pools["dev"] == plain.elastic.pools["dev"].model_copy(update={"max_gpus": 16})
    assert spec.duration != plain.duration
    assert stack_spec(SPEC).what_if()[:2] == [
        "training.nodes is 8, 4 in the spec",
        "elastic.pools.dev.max_gpus is 16, 8 in the spec",
    ]


def test_what_the_spec_leaves_out_can_be_set(asked: pytest.MonkeyPatch) -> None:
    _ask(asked, storage__home__expected_gib="500")
    home = read_spec(SPEC).storage.home
    assert home is not None and home.expected_gib == 500
    assert stack_spec(SPEC).what_if() == ["storage.home.expected_gib is 500, not set in the spec"]


def test_a_value_that_cannot_be_is_refused_as_in_the_spec(asked: pytest.MonkeyPatch) -> None:
    _ask(asked, nodes="0")
    with pytest.raises(InputError, match=r"training\.nodes is 0; write a whole number from 1 to 4,096"):
        read_spec(SPEC)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"nods": "8"}', "nods is not a field of a spec; allowed: name, accelerator, training.nodes"),
        ('{"nods": "8"}', "did you mean nodes?"),
        ('{"kind": "none"}', "kind is ambiguous: purchase.kind or placement.kind or"),
        ('{"nodes": "["}', "nodes=[ is not a value; write it as in the spec"),
        ("nodes=8", 'is not a JSON object with string values; write one such as {"training.nodes": "8"}'),
        ('{"nodes": 8}', "is not a JSON object with string values"),
    ],
)
def test_what_cannot_be_set_is_named(asked: pytest.MonkeyPatch, text: str, problem: str) -> None:
    asked.setenv(SET_VARIABLE, text)
    with pytest.raises(InputError) as refused:
        read_spec(SPEC)
    assert problem in str(refused.value)


def test_what_may_hold_a_token_is_not_asked_otherwise_where_all_can_read_it(asked: pytest.MonkeyPatch) -> None:
    _ask(asked, telemetry__alerts__webhook="https://alerts.example.com/s3cret")
    with pytest.raises(InputError, match=r"telemetry\.alerts\.webhook is not a field of a spec; allowed: "):
        read_spec(SPEC)


def test_the_last_part_of_a_field_is_suggested() -> None:
    fields = ["training.nodes", "storage.shared.usable_tib"]
    assert _short(fields) == [*fields, "nodes", "usable_tib"]
