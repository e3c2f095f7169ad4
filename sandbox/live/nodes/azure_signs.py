"""Signs of AKS about its machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from gpucluster.core.text.type_guards import mapping
from gpucluster.sandbox.clouds.store.ledger import Entry
from gpucluster.sandbox.clouds.types.values import plain
from gpucluster.sandbox.live.nodes.signs import Condition, Sign

_AGENT_POOL: Final = "azure-native:containerservice:AgentPool"


def interruption(node: Mapping[str, Any]) -> Sign | None:
    """A scheduled event that ends the machine: Redeploy, or Preempt of a Spot machine.

    Sources: AKS documentation, "Node problem detector" (VMEventScheduled) and "Node auto-drain".
    """
    labels = mapping(mapping(node.get("metadata")).get("labels"))
    event = "Preempt" if labels.get("kubernetes.azure.com/scalesetpriority") == "spot" else "Redeploy"
    return Sign(
        says=f"AKS sees the scheduled event {event}, cordons the node and drains it",
        taints=[{"key": "remediator.kubernetes.azure.com/unschedulable", "effect": "NoSchedule"}],
        conditions=[
            Condition(type="VMEventScheduled", status="True", reason="VMEventScheduled", message=f"{event} Scheduled")
        ],
        drains=True,
    )


def broken(node: Mapping[str, Any], entries: Sequence[Entry]) -> Sequence[Condition]:
    """A missing GPU, as reported by AKS' node problem detector; it detects none in pools whose driver is not AKS'.

    entries: all of the ledger. Source: AKS documentation, "GPU health monitoring".
    """
    pool = mapping(mapping(node.get("metadata")).get("labels")).get("agentpool")
    for entry in entries:
        made = mapping(plain(entry.outputs))
        if (entry.type, entry.name) == (_AGENT_POOL, pool) and mapping(made.get("gpuProfile")).get("driver") == "None":
            return ()
    return (Condition(type="GPUMissing", status="True", reason="GPUMissing"),)
