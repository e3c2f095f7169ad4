"""The API server of a kubeconfig."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from gpucluster.sandbox.clouds.kubernetes.cloud import api_server

CONFIG = {
    "current-context": "one",
    "contexts": [
        {"name": "one", "context": {"cluster": "c1", "user": "u"}},
        {"name": "two", "context": {"cluster": "c2", "user": "u"}},
    ],
    "clusters": [
        {"name": "c1", "cluster": {"server": "https://one.sandbox.invalid"}},
        {"name": "c2", "cluster": {"server": "https://two.sandbox.invalid"}},
    ],
}


@pytest.mark.parametrize("text", [json.dumps(CONFIG), yaml.safe_dump(CONFIG), CONFIG], ids=["json", "yaml", "object"])
def test_the_server_is_that_of_the_current_context(text: Any) -> None:
    assert api_server({"kubeconfig": text}) == "https://one.sandbox.invalid"


@pytest.mark.parametrize("override", [{"context": "two"}, {"cluster": "c2"}], ids=str)
def test_a_provider_may_choose_another_context_or_cluster(override: dict[str, str]) -> None:
    assert api_server({"kubeconfig": CONFIG, **override}) == "https://two.sandbox.invalid"


@pytest.mark.parametrize("text", [None, "", "]", "a: b", "[]", {**CONFIG, "current-context": "none"}], ids=str)
def test_what_names_no_server_is_none(text: Any) -> None:
    assert api_server({"kubeconfig": text}) is None
