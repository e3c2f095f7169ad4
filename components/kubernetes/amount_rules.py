"""Rules for how much a TrainJob asks for: never more than a machine of its queue has, nor than the queue has together,
and no device beside the runtime's own. What asks for more waits for ever. Imports no Pulumi.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gpucluster.components.kubernetes.cel import text
from gpucluster.components.kubernetes.gpu_pod_variables import QUEUE
from gpucluster.components.kubernetes.job_pool import JobPool
from gpucluster.components.kubernetes.queue_limits import AMOUNT, device_map, is_device, limit_variables, limits_told


def amount_variables(pools: Sequence[JobPool], asks: Mapping[str, Mapping[str, int]]) -> list[dict[str, str]]:
    """asks: runtime -> device -> amount of one pod."""
    runtime = "object.spec.runtimeRef.name"
    return [
        *limit_variables(pools),
        {"name": "asks", "expression": device_map(asks)},
        {"name": "ask", "expression": f"variables.asks[?{runtime}].orValue({{}})"},
        {"name": "limits", "expression": "object.spec.?trainer.?resourcesPerNode.?limits.orValue({})"},
        {"name": "queue", "expression": f"object.metadata.?labels[?{text(QUEUE)}].orValue('')"},
        {"name": "nodes", "expression": "int(object.spec.?trainer.?numNodes.orValue(1))"},
    ]


def amount_validations(pools: Sequence[JobPool]) -> list[dict[str, str]]:
    """Of a policy that has these variables, and `ours`: whether the job's runtime is one of the cluster's."""
    told = limits_told(pools)
    own = AMOUNT.format("variables.limits[k]")
    amount = f"(k in variables.limits ? {own} : variables.ask[?k].orValue(0))"
    free = "!variables.ours || !(variables.queue in variables.machine)"
    return [
        {
            "expression": f"{free} || (variables.machine[variables.queue].all(k, {amount} <= "
            f"variables.machine[variables.queue][k]) && variables.limits.all(k, !{is_device('k')} || "
            "k in variables.machine[variables.queue]))",
            "message": "spec.trainer.resourcesPerNode.limits is more than a machine of the queue has: the job would "
            f"wait for ever; there are: {told}",
        },
        {
            "expression": f"{free} || variables.most[variables.queue].all(k, variables.nodes * {amount} <= "
            "variables.most[variables.queue][k])",
            "message": "spec.trainer.numNodes is more than the queue has: the job would wait for ever; there are: "
            f"{told}",
        },
        {
            "expression": f"!variables.ours || variables.limits.all(k, !{is_device('k')} || k in variables.ask) || "
            f"variables.ask.all(k, k in variables.limits && {own} == 0)",
            "message": "spec.trainer.resourcesPerNode.limits has another device than the runtime's own, and a pod "
            f"would get both; write the runtime's beside it with 0 ({_own_told(pools)})",
        },
    ]


def _own_told(pools: Sequence[JobPool]) -> str:
    return ", ".join(f"{next(iter(pool.ask))} in {pool.name}" for pool in pools)
