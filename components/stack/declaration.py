"""Declares a planned cluster on its cloud, and the exports of its stack."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar, cast

import pulumi
from pulumi.runtime.config import CONFIG, get_config_env

from gpucluster.components.cluster.cloud import ClusterPlan, Training, cloud_of, missing_sdk
from gpucluster.components.cluster.outputs import Cluster
from gpucluster.components.kubernetes.objects.charts import CHART_SET
from gpucluster.components.planning.names import GPU
from gpucluster.components.planning.planning import PlanError
from gpucluster.components.resources.run import simulated
from gpucluster.components.shared.fleet import FleetPlan, Worker, by_price, worker_of, worker_problems
from gpucluster.components.spec.file import SET_VARIABLE, overrides, show_from
from gpucluster.components.stack.stack_config import StackConfig, stack_config
from gpucluster.core.program.closing import OUTPUT_VARIABLE, in_full
from gpucluster.core.program.facts import Facts
from gpucluster.core.program.readers.last_outputs import last_outputs, stack_outputs
from gpucluster.core.program.resources import Unknown
from gpucluster.core.text.project_file import read_project
from gpucluster.cost.estimate.trial import now
from gpucluster.errors import InputError

if TYPE_CHECKING:
    from gpucluster.components.cluster.outputs import Cluster


_CALLS: Final = 8
"""Number of stack frames that Pulumi records for a resource: its own six, one of this package that declares it, and one
more in case Pulumi or an SDK adds a call.
"""


Plan = TypeVar("Plan", bound=ClusterPlan)


class _NoText(dict[str, Any]):
    """A line cache (`linecache.cache`) in which every file is known and empty, so that none is read or checked."""

    def __contains__(self, file: object) -> bool:
        return True

    def __missing__(self, file: str) -> tuple[int, None, list[str], str]:
        return 0, None, [], file


class Planned(Protocol):
    """The plan of a cluster or of a part."""

    @property
    def name(self) -> str: ...
    @property
    def training(self) -> Training: ...
    @property
    def facts(self) -> Facts: ...


def forbid_overrides() -> None:
    """Raises InputError if an update runs with values that are meant for a preview."""
    if overrides() and not pulumi.runtime.is_dry_run():
        raise InputError(SET_VARIABLE, ["is for previews only; unset it, and write its values into the spec"])


def running_stack() -> StackConfig:
    """The configuration of the running stack, with every problem in it.

    Raises InputError if an update runs with values that are meant for a preview.
    """
    forbid_overrides()
    root = Path(pulumi.get_root_directory())
    show_from(root)
    return stack_config(
        {**get_config_env(), **CONFIG.get()},
        project=pulumi.get_project(),
        stack=pulumi.get_stack(),
        program=Path.cwd(),
        root=root,
        stacks=root / read_project(root / "Pulumi.yaml").stack_folder,
    )


def declare(plan: ClusterPlan) -> Cluster:
    """The cluster of a plan.

    Raises InputError with every invalid part of its Kubernetes objects, or if the cloud's SDK is missing.
    """
    if missing := missing_sdk(plan.training.shape.cloud):
        raise InputError(f"cluster {plan.name}", [missing])
    with cluster_declaration_context(plan) as joined:
        return cloud_of(plan.training.shape.cloud).declare(joined)


@contextmanager
def cluster_declaration_context(plan: Plan, *, in_user_terms: Callable[[str], str] = str) -> Generator[Plan]:
    """`declaration_context` of a whole cluster; gives the plan with the workers of its fleet.

    Raises InputError if an update would build an unreachable cluster; the sandbox itself uses such addresses. Also for
    workers that can't join.
    """
    why = plan.access.only_examples
    if why and not pulumi.runtime.is_dry_run() and not simulated():
        raise InputError(f"cluster {plan.name}", [in_user_terms(why)])
    joined = plan if plan.fleet is None else replace(cast(Any, plan), fleet=_with_workers(plan, plan.fleet))
    with declaration_context(plan, f"API reachable {plan.access.summary}", in_user_terms=in_user_terms):
        yield joined


def _with_workers(plan: ClusterPlan, fleet: FleetPlan) -> FleetPlan:
    """The fleet with its workers as their stacks describe them; without an engine, with workers like this cluster."""
    like_this = Worker(
        stack="",
        manager=pulumi.get_stack(),
        namespaces=plan.people.namespaces,
        nodes=plan.training.nodes,
        gpus=plan.training.shape.gpus,
        quotas={GPU: str(plan.training.nodes * plan.training.shape.gpus)},
        cidrs=(),
        charts=CHART_SET,
        leader_worker_sets=plan.leader_worker_sets,
    )
    found: dict[str, Worker | None] = {}
    for stack in fleet.names:
        try:
            outputs = stack_outputs(stack)
        except Exception:  # The SDK raises no narrower one for a stack that does not exist.
            outputs = dict[str, Any]()
        found[stack] = replace(like_this, stack=stack) if outputs is None else worker_of(stack, outputs)
    if problems := [str(problem) for problem in worker_problems(found, like_this)]:
        raise InputError(f"cluster {plan.name}", problems)
    return replace(fleet, workers=by_price([worker for worker in found.values() if worker is not None]))


@contextmanager
def declaration_context(plan: Planned, *notes: str, in_user_terms: Callable[[str], str] = str) -> Generator[None]:
    """Wraps the declaration of a plan: first reports what the cloud cannot provide, what to do before `up`, and the
    number of the other notes, or all of them if the user wants everything.

    notes: in addition to the plan's. in_user_terms: rewrites configuration keys in a text as the user writes them.
    Raises InputError with every invalid part of Kubernetes objects.
    """
    title = cloud_of(plan.training.shape.cloud).title
    for loss in plan.facts.losses:
        pulumi.log.warn(f"{plan.name}: not available on {title}: {in_user_terms(loss)}")
    later = [*plan.facts.notes, *notes]
    if not in_full() and later:
        later = [f"{len(later)} more notes: set {OUTPUT_VARIABLE}=full, or run `gpucluster check`"]
    for note in (*(f"before up: {note}" for note in plan.facts.before_up), *later):
        pulumi.log.info(f"{plan.name}: {in_user_terms(note)}")
    try:
        with few_calls():
            yield
    except PlanError as error:
        raise InputError(f"cluster {plan.name}", [str(problem) for problem in error.problems]) from None


@contextmanager
def few_calls() -> Generator[None]:
    """Shortens the stack trace that Pulumi records for each resource: half the time of a declaration.
    Python's traceback limit applies to it too, and its line cache provides the text of each line, which Pulumi does not
    send. Errors are printed after this context ends, and in full.
    """
    before: int | None = getattr(sys, "tracebacklimit", None)
    texts = linecache.cache
    sys.tracebacklimit = _CALLS if before is None else min(before, _CALLS)
    linecache.cache = _NoText()
    try:
        yield
    finally:
        linecache.cache = texts
        del sys.tracebacklimit
        if before is not None:
            sys.tracebacklimit = before


def export(cluster: Cluster, days: Decimal | Unknown | None, trial_start: datetime | None) -> None:
    """Exports the cluster's outputs next to the cost, by the same names on every cloud; `gpucluster connect` reads
    them.

    days: the cluster's duration. trial_start: time of the stack's first update, None before.
    """
    found = cluster.outputs()
    # Endpoint and pools are in the kubeconfig and in the plan.
    names = ("clusterName", "kubeconfig", "account", "metrics", "logs", "registry")
    outputs: dict[str, Any] = {name: found[name] for name in names if name in found}
    if cluster.bucket is not None:
        outputs["bucket"] = cluster.bucket
    if cluster.identities:
        outputs["identities"] = cluster.identities
    outputs |= cluster.fleet
    if cluster.slurm_login:
        outputs["slurmLogin"] = cluster.slurm_login
    commands = _next(pulumi.get_stack(), logs=cluster.logs is not None, slurm_login=cluster.slurm_login)
    for name, value in {**outputs, "sharedStorage": found["storage"], "next": commands}.items():
        pulumi.export(name, value)
    if trial_start:
        pulumi.export(OUTPUT, trial_start.isoformat())
        if isinstance(days, Decimal):
            pulumi.export("ends", (trial_start + timedelta(days=float(days))).isoformat())


def _next(stack: str, *, logs: bool, slurm_login: str) -> list[str]:
    """slurm_login: as the cluster has it."""
    sandbox = "sandbox " if simulated() else ""
    jobs = (
        [slurm_login] if slurm_login else ["kubectl apply -f examples/jobs/pytorch.yaml", f"gpucluster {sandbox}jobs"]
    )
    return [
        f"gpucluster {sandbox}connect --stack {stack}",
        *jobs,
        *([f"{'gpucluster sandbox ' if sandbox else ''}pulumi stack output logs --stack {stack}"] if logs else []),
    ]


OUTPUT: Final = "begun"


def read_trial_start() -> datetime | None:
    """Time of the first update: now during that update, None in a preview before it."""
    if stored := last_outputs().get(OUTPUT):
        return datetime.fromisoformat(stored)
    return None if pulumi.runtime.is_dry_run() else now()
