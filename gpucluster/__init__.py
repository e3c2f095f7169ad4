"""Equivalent H100 training clusters on AWS, Google Cloud and Azure, with their cost in the preview.

`gpucluster.aws`, `gpucluster.gcp` and `gpucluster.azure` have the clusters; docs/start/library.md has programs for all.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gpucluster.errors import Error

if TYPE_CHECKING:
    from gpucluster.components.spec.cluster import ClusterSpec

__all__ = ["ClusterSpec", "Error", "declare_stack", "watch"]

# Every command and module of this package imports this file first: slow imports are where they are used.


def __getattr__(name: str) -> Any:
    if name == "ClusterSpec":
        from gpucluster.components.spec.cluster import ClusterSpec

        return ClusterSpec
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def declare_stack() -> None:
    """Declares the cluster of the running stack: its configuration (Pulumi.STACK.yaml) chooses spec, cloud and place,
    as `gpucluster init` writes them. Prices it, and exports the cluster's outputs as those of the stack.

    Raises Error with every mistake in configuration and spec; then nothing is registered.
    """
    from gpucluster.components.resources.run import refusing
    from gpucluster.components.stack.declaration import declare, export, read_trial_start, running_stack
    from gpucluster.components.stack.stack_plan import plan_stack
    from gpucluster.cost.pricing import plan_prices

    # Asks the engine, which runs what is queued: before anything is, since a plan that is refused takes its queue back.
    trial_start = read_trial_start()
    with watch(), refusing():
        plan = plan_stack(running_stack(), plan_prices)
        export(declare(plan), plan.facts.duration_days, trial_start)


@contextmanager
def watch(*, export: bool = True) -> Generator[dict[str, str]]:
    """The cost of what a Pulumi program, or a part of it, declares inside of the `with`, of any package.

    At its end a preview prints the table. At the end of the program one block has the total of every `watch`. Gives the
    totals, which are empty until then: `monthly`, `monthlyFloor`, `monthlyCeiling`, `hourly`; `perTrainingGpuHour`,
    `committedElsewhere` and `notPriced` (how many) where there are any. Amounts are in USD, a month being 730 hours;
    "73.00 to 75.10", "at least 73.00" or "unknown" where something has no price.

    export: the totals become outputs of the stack, so that previews show how they change; False for a second `watch`.

    Raises Error where the total is over the budget that a cluster states with `on_exceed: fail`, prices of
    your own can't be used, or the stack has such outputs already. After an error inside or at the end, nothing of what
    was declared inside is registered. Not seen: what was declared before, and what an `apply` declares.
    """
    import pulumi

    from gpucluster.cost import preview

    preview.parts_of_program()
    watched = preview.watch()
    totals: dict[str, str] = {}
    try:
        with preview.watching():
            yield totals
        taken = getattr(pulumi.runtime.get_root_resource(), "outputs", {}) if export else {}
        if "monthly" in taken:
            raise preview.NotRegistered("the stack has an output monthly already; write gpucluster.watch(export=False)")
    except BaseException:
        watched.withdraw()
        raise
    watched.stop()
    totals.update(preview.costed_plan(watched))
    for name, total in totals.items() if export else ():
        pulumi.export(name, total)
