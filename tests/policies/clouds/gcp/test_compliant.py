"""Compliant clusters on Google Cloud have no finding of any rule, and leave nothing open."""

from __future__ import annotations

import pytest

from gpucluster.policies.engine.run import evaluate
from gpucluster.policies.packs import TRAINING


@pytest.mark.parametrize("machine", ["high", "mega", "ultra"])
def test_a_compliant_cluster_has_no_finding(request, machine):
    program = request.getfixturevalue(machine)
    outcomes = evaluate(TRAINING.rules, program.stack().resources, today=program.today)
    found = [(outcome.rule.name, v.what) for outcome in outcomes for v in (*outcome.violations, *outcome.unknown)]
    assert [finding for finding in found if not finding[0].startswith(("budget", "not-known-yet"))] == []


def test_a_cluster_without_gpus_has_no_finding_of_any_rule(high):
    for name in list(high.declared):
        if name not in ("trial", "vpc", "cluster"):
            high.remove(name)
    high["vpc"].pop("mtu")
    high["cluster"].update(enableMultiNetworking=False)
    high.add(
        "gcp:container/nodePool:NodePool",
        "web",
        {
            "cluster": "trial",
            "location": "us-central1",
            "nodeCount": 3.0,
            "nodeConfig": {
                "machineType": "e2-standard-4",
                "spot": True,
                "labels": dict(high.labels),
                "resourceLabels": dict(high.labels),
            },
        },
        cluster=["cluster"],
    )
    outcomes = evaluate(TRAINING.rules, high.stack().resources, today=high.today)
    found = [(outcome.rule.name, v.what) for outcome in outcomes for v in (*outcome.violations, *outcome.unknown)]
    assert [finding for finding in found if not finding[0].startswith(("budget", "not-known-yet"))] == []
