"""Our share of a preview: spec, plan, components and cost, after importing the SDKs.

Pulumi's own work in registering a resource is listed separately: a program without this toolkit has it too.
"""

from __future__ import annotations

import base64
import gc
import importlib
import itertools
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, cast
from unittest.mock import patch

import pulumi
import yaml
from pulumi.runtime.mocks import MockCallArgs, MockResourceArgs, Mocks

from benchmarks.bars import RUNS, Bar

ROOT = Path(__file__).parents[1]
# Our modules import single modules of an SDK, as the stack does.
SDKS = {
    "aws": (
        "gpucluster.components.aws.amp",
        *(
            f"pulumi_aws.{name}"
            for name in (
                "autoscaling",
                "cloudwatch",
                "ec2",
                "ecr",
                "efs",
                "eks",
                "fsx",
                "iam",
                "kms",
                "s3",
                "sqs",
                "vpc",
            )
        ),
        "pulumi_kubernetes.provider",
    ),
    "gcp": (
        "gpucluster.components.gcp.compute",
        *(
            f"pulumi_gcp.{name}"
            for name in (
                "artifactregistry",
                "container",
                "kms",
                "lustre",
                "projects",
                "serviceaccount",
                "servicenetworking",
                "storage",
            )
        ),
        "pulumi_kubernetes.provider",
    ),
    "azure": (
        *(
            f"pulumi_azure_native.{name}"
            for name in (
                "alertsmanagement",
                "authorization",
                "containerregistry",
                "containerservice",
                "features",
                "managedidentity",
                "monitor",
                "network",
                "operationalinsights",
                "resources",
                "storagecache",
            )
        ),
        "pulumi_kubernetes.provider",
    ),
}
"""Parts of the SDKs that each cloud's trial uses. A missing part would be measured as ours: such a run is
refused.
"""


_REGISTERING = "Pulumi"
"""The part that is not ours."""

_PACKAGES = ("pulumi_aws", "pulumi_azure_native", "pulumi_gcp", "pulumi_kubernetes")


_ANSWERS: dict[str, dict[str, Any]] = {
    "azure-native:authorization:getClientConfig": {"objectId": "someone"},
    "azure-native:authorization:getClientToken": {"token": f"h.{base64.urlsafe_b64encode(b'{}').decode()}.s"},
    "azure-native:containerservice:listManagedClusterUserCredentials": {"kubeconfigs": []},
    "azure-native:features:getSubscriptionFeatureRegistration": {"properties": {"state": "Registered"}},
    "pulumi:pulumi:readStackOutputs": {},
}

# Output as a map, but input as a list.
_IDENTITY = ("azure-native:containerservice:ManagedCluster", "identity")


class _Nothing(Mocks):
    def new_resource(self, args: MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        inputs = cast("dict[str, Any]", args.inputs)
        return args.name, {key: value for key, value in inputs.items() if (args.typ, key) != _IDENTITY}

    def call(self, args: MockCallArgs) -> Any:
        """Answers calls that a real preview skips, since their inputs do not exist yet."""
        if args.token not in _ANSWERS:
            raise AssertionError(f"a preview asks no cloud: {args.token}")
        return _ANSWERS[args.token]


class _Registering:
    """Seconds in Pulumi's constructor of resources, without the transformations, which are ours."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._known: set[object] = set()
        construct = pulumi.Resource.__init__

        def timed(
            resource: pulumi.Resource,
            t: str,
            name: str,
            custom: bool,
            props: Any = None,
            opts: pulumi.ResourceOptions | None = None,
            *more: Any,
            **other: Any,
        ) -> None:
            if opts is not None and opts.transformations:
                opts.transformations = [self.leave_out(each) for each in opts.transformations]
            begun = time.process_time()
            try:
                construct(resource, t, name, custom, props, opts, *more, **other)
            finally:
                self.seconds += time.process_time() - begun

        patch.object(pulumi.Resource, "__init__", timed).start()

    def leave_out(self, transformation: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """The transformation, not counted as Pulumi's; already wrapped ones are returned unchanged."""
        if transformation in self._known:
            return transformation

        def timed(args: Any) -> Any:
            begun = time.process_time()
            try:
                return transformation(args)
            finally:
                self.seconds -= time.process_time() - begun

        self._known.add(timed)
        return timed


def _sdk_modules() -> set[str]:
    """Loaded modules, not those only named by the package above them."""
    return {name for name, of in sys.modules.items() if name.split(".")[0] in _PACKAGES and type(of) is ModuleType}


def _laps(cloud: str) -> dict[str, float]:
    """Seconds of each part of one run: of this process only, so that other processes do not count."""
    for name in SDKS[cloud]:
        getattr(importlib.import_module(name.rpartition(".")[0]), "_", None)
        module = importlib.import_module(name)
        for part in getattr(module, "__all__", ["_"]):  # Loads it: the SDKs import their modules on first use.
            getattr(module, part, None)
    loaded = _sdk_modules()
    gc.disable()  # as in the stack
    registering = _Registering()
    stack, program_folder = f"{cloud}-trial", ROOT / "stacks"
    config = yaml.safe_load((program_folder / f"Pulumi.{stack}.yaml").read_text())["config"]  # the engine reads it
    pulumi.runtime.set_mocks(_Nothing(), project="gpucluster", stack=stack, preview=True)
    laps: list[tuple[str, float]] = [("", time.process_time())]

    def lap(name: str) -> None:
        laps.append((name, time.process_time()))

    @pulumi.runtime.test
    def program() -> None:
        from gpucluster.components.declare import declare
        from gpucluster.components.stack_config import stack_config
        from gpucluster.components.stack_plan import plan_stack
        from gpucluster.cost import plan_prices
        from gpucluster.cost.documents.formats import written
        from gpucluster.cost.documents.report import report_document
        from gpucluster.cost.estimate import estimate
        from gpucluster.program.readers.running import Watched

        lap("import")
        watched = Watched()
        pulumi.runtime.register_stack_transformation(registering.leave_out(watched.see))
        running = stack_config(config, project="gpucluster", stack=stack, program=program_folder, root=ROOT)
        plan = plan_stack(running, plan_prices)
        lap("spec and plan")
        declare(plan)
        lap("components")
        resources = watched.resources()
        lap("reading")
        found = estimate(resources)
        lap("estimate")
        written(report_document(found), "table")
        lap("table")

    program()
    if late := sorted(_sdk_modules() - loaded):
        sys.exit(f"SDKS lacks what the stack imports, so that it would be measured as ours: {', '.join(late)}")
    parts = {name: after - before for (_, before), (name, after) in itertools.pairwise(laps)}
    parts["components"] -= registering.seconds
    return {**parts, _REGISTERING: registering.seconds}


def bars(stack: str) -> list[Bar]:
    """Each run in a separate process: a program is imported once."""
    command = [sys.executable, "-m", __spec__.name, stack.removesuffix("-trial")]
    runs = [json.loads(subprocess.check_output(command, cwd=ROOT)) for _ in range(RUNS)]
    for name in runs[0]:
        print(f"{stack}: our share, {name:<13} {statistics.median(run[name] for run in runs):6.3f} s")
    together = statistics.median(sum(run.values()) - run[_REGISTERING] for run in runs)
    return [Bar(f"{stack}: our share of a preview, without SDK import, Pulumi and engine", together, 0.20, "s")]


if __name__ == "__main__":
    print(json.dumps(_laps(sys.argv[1])))
