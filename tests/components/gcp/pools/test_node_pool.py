"""What pools of GPU nodes keep as it was made, because GKE would make their nodes anew."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pulumi
import pytest

from gpucluster.components.gcp.cloud import CLOUD
from gpucluster.components.gcp.location import Location
from gpucluster.components.spec.file import read_spec

SPECS = Path(__file__).parents[4] / "examples/specs/gcp"
HERE = Location(project="my-project", region="us-central1", zone="us-central1-b")
MADE_SO = ["bestEffortProvisioning"]
SCALED = ["nodeCount"]
FROZEN = [
    "nodeConfig.resourceLabels",
    "nodeConfig.maxRunDuration",
    "nodeConfig.guestAccelerators[0].gpuDriverInstallationConfig",
]

Registered = Callable[[Callable[[], object]], Any]


def kept(registered: Registered, example: str, **changes: Any) -> dict[str, list[str]]:
    """Name of each node pool of an example -> what it keeps. changes: fields of its sections, by section."""
    from gpucluster.components.gcp.cluster import TrainingCluster

    spec = read_spec(SPECS / f"{example}.yaml")
    spec = spec.model_copy(
        update={name: getattr(spec, name).model_copy(update=fields) for name, fields in changes.items()}
    )
    found: dict[str, list[str]] = {}

    def note(args: pulumi.ResourceTransformationArgs) -> None:
        if args.type_ == "gcp:container/nodePool:NodePool":
            found[args.name] = list(args.opts.ignore_changes or [])

    plan = CLOUD.plan_cluster(spec, HERE, stack="gcp-trial")
    registered(lambda: TrainingCluster(plan.name, plan, pulumi.ResourceOptions(transformations=[note])))
    return found


def test_another_maintenance_of_hosts_is_refused_while_nodes_run(registered: Registered) -> None:
    with mock.patch.object(pulumi, "ResourceHook", wraps=pulumi.ResourceHook) as hook:
        kept(registered, "reservation")
    check = next(call.args[1] for call in hook.call_args_list if "training" in call.args[0])
    old, kind = {"zone": HERE.zone}, "gpucluster:gcp:TrainingPool"
    new = {**old, "hostMaintenance": "periodic"}
    with pytest.raises(RuntimeError, match="changes in hostMaintenance; revert"):
        check(pulumi.ResourceHookArgs("urn", "id", "trial-training", kind, new_inputs=new, old_inputs=old))


@pytest.mark.parametrize(
    ("example", "pools"),
    [
        (
            "elastic-native",
            {"training": MADE_SO + FROZEN, "elastic-dev": FROZEN, "elastic-fine-tuning": FROZEN, "system": SCALED},
        ),
        ("mig", {"training": MADE_SO + FROZEN, "mig": FROZEN, "system": SCALED}),
    ],
)
def test_labels_and_the_end_of_a_trial_are_no_part_of_what_makes_gpu_nodes_anew(registered, example, pools):
    found = kept(registered, example)
    assert {name.split("-", 1)[1].removesuffix("-nodes"): properties for name, properties in found.items()} == pools


def test_a_roll_that_the_spec_allows_brings_the_labels_of_today(registered):
    found = kept(registered, "mig", training={"roll": True}, mig={"roll": True})
    assert {name: properties for name, properties in found.items() if properties} == {
        "slices-system-nodes": SCALED,
        "slices-training-nodes": MADE_SO,
    }
