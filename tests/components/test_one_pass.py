"""A spec is asked once: its parts are given to those who plan them, not the whole of it from function to function."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import FrameType
from typing import Final

import pytest
import yaml

from gpucluster.components.cluster.cloud import cloud_of
from gpucluster.components.spec.cluster import ClusterSpec
from tests.components.recorded import TRIAL

MOST: Final[Mapping[str, int]] = {"aws": 10, "gcp": 10, "azure": 10}
"""Calls in components/ that receive the whole spec while a cloud plans it."""

# All parts that a spec can request.
SPEC: Final = yaml.safe_load(
    """
    elastic: {pools: {dev: {max_gpus: 8, purchase: [spot]}}}
    mig: {nodes: 1, layout: all-1g.10gb}
    storage: {shared: {usable_tib: 20}, home: {expected_gib: 100}, bucket: {}}
    identities: {data: {writes: [own]}}
    telemetry: {alerts: {webhook: "https://alerts.example.com/gpu"}}
    """
)


@pytest.mark.parametrize("cloud", MOST)
def test_few_calls_receive_the_whole_spec(cloud: str) -> None:
    spec = ClusterSpec.model_validate({**TRIAL, **SPEC})
    known = cloud_of(cloud)
    planning = known.planning(known.locate(known.keys)[0], "dev")
    received: list[str] = []

    def watch(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        _, inside, file = code.co_filename.rpartition("/components/")
        if event != "call" or not inside or file.startswith("spec/"):
            return
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        if any(frame.f_locals.get(name) is spec for name in names):
            received.append(f"{file}: {code.co_name}")

    sys.setprofile(watch)
    try:
        known.plan(spec, planning)
    finally:
        sys.setprofile(None)
    assert [*planning.problems, *planning.config_problems] == []
    assert len(received) <= MOST[cloud], received
