"""What stops an update of Trainer's release, without an engine."""

from __future__ import annotations

from typing import Any
from unittest import mock

import pulumi
import pytest

from gpucluster.components.kubernetes.jobs.trainer_crds import keeps_trainer_crds
from gpucluster.components.kubernetes.objects.charts import CHART_SET


def told(old: dict[str, Any] | None, new: dict[str, Any] | None, chart_set: str | None = None) -> str | None:
    """What the hook of an update says, None if it lets it pass."""
    with mock.patch.object(pulumi, "ResourceHook") as hook, mock.patch.object(pulumi, "ResourceHookBinding"):
        keeps_trainer_crds("jobs-trainer", chart_set)
    check = hook.call_args.args[1]
    assert hook.call_args.args[2].on_dry_run
    args = pulumi.ResourceHookArgs("urn", "id", "jobs-trainer", "type", new_inputs=new, old_inputs=old)
    try:
        check(args)
    except RuntimeError as error:
        return str(error)
    return None


@pytest.mark.parametrize("old", ["2.3.0", "2.4.1", "3.0.0", "latest"])
def test_an_update_that_deletes_the_crds_of_all_jobs_is_refused_with_the_way_out(old):
    said = told({"version": old}, {"version": "2.2.1"})
    assert said is not None
    for fact in (
        f"Trainer {old} -> 2.2.1",
        "all TrainJobs and runtimes",
        "docs/upgrading-jobs.md",
        f"versions.charts: '{CHART_SET}'",
    ):
        assert fact in said


def test_it_passes_once_the_spec_names_the_set_of_charts_and_not_with_another():
    assert told({"version": "2.3.0"}, {"version": "2.2.1"}, CHART_SET) is None
    assert told({"version": "2.3.0"}, {"version": "2.2.1"}, "2026-11") is not None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"version": "2.1.0"}, {"version": "2.2.1"}),
        ({"version": "2.2.0"}, {"version": "2.2.1"}),
        ({"version": "2.2.1"}, {"version": "2.3.0"}),
        ({"version": "2.3.0"}, {"version": "2.3.1"}),
        ({"version": "2.2.1"}, {"version": "2.2.1"}),
    ],
)
def test_any_other_update_passes(old, new):
    assert told(old, new) is None
