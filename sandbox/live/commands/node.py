"""The rows of a list of nodes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.errors import InputError
from gpucluster.options import form_of, stack_option
from gpucluster.sandbox.live.nodes.manifest import POOL
from gpucluster.sandbox.live.nodes.pool import GPU

if TYPE_CHECKING:
    from gpucluster.sandbox.clouds.store.ledger import Entry
    from gpucluster.sandbox.live.cluster import LiveCluster


_ENDED = ("Succeeded", "Failed")


def rows(nodes: Sequence[Mapping[str, Any]], pods: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A row for each node: name, pool, machine, zone, state, gpus (used / working), pods."""
    on: dict[str, list[Mapping[str, Any]]] = {}
    for pod in pods:
        if mapping(pod.get("status")).get("phase") not in _ENDED:
            on.setdefault(str(mapping(pod.get("spec")).get("nodeName")), []).append(pod)
    return sorted((_row(node, on) for node in nodes), key=lambda row: (row["pool"], row["name"]))


def _row(node: Mapping[str, Any], on: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, Any]:
    metadata = mapping(node.get("metadata"))
    labels, name = mapping(metadata.get("labels")), str(metadata.get("name"))
    there = mapping(mapping(node.get("status")).get("allocatable"))
    gpus = sum(int(amount) for key, amount in there.items() if key == GPU or key.startswith("nvidia.com/mig-"))
    pods = on.get(name, ())
    return {
        "name": name,
        "pool": str(mapping(metadata.get("annotations")).get(POOL) or labels.get("karpenter.sh/nodepool") or "-"),
        "machine": str(labels.get("node.kubernetes.io/instance-type")),
        "zone": str(labels.get("topology.kubernetes.io/zone")),
        "state": state_of(node),
        "gpus": f"{sum(map(gpus_of, pods))}/{gpus}" if gpus else "-",
        "pods": len(pods),
    }


def state_of(node: Mapping[str, Any]) -> str:
    """Ready, NotReady or Unreachable, then all obstacles for pods and all faults."""
    status, spec = mapping(node.get("status")), mapping(node.get("spec"))
    conditions = {str(it.get("type")): it for it in map(mapping, items(status.get("conditions")))}
    ready = str(mapping(conditions.get("Ready")).get("status"))
    states = [{"True": "Ready", "Unknown": "Unreachable"}.get(ready, "NotReady")]
    if spec.get("unschedulable"):
        states.append("cordoned")
    return ", ".join([*states, *_wrong(conditions, mapping(status))])


def _wrong(conditions: Mapping[str, Mapping[str, Any]], status: Mapping[str, Any]) -> Iterator[str]:
    """Conditions set by agents that differ from those of a healthy node, and failed devices."""
    for name, condition in conditions.items():
        if name != "Ready" and condition.get("status") == ("False" if name.endswith("Ready") else "True"):
            yield name
    works = mapping(status.get("allocatable"))
    for name, amount in mapping(status.get("capacity")).items():
        if name.startswith("nvidia.com/") and works.get(name) != amount:
            yield f"{works.get(name)} of {amount} {name} work"


def gpus_of(pod: Mapping[str, Any]) -> int:
    """GPUs or slices that a pod requests."""
    requested = 0
    for container in map(mapping, items(mapping(pod.get("spec")).get("containers"))):
        limits = mapping(mapping(container.get("resources")).get("limits"))
        requested += sum(
            int(amount) for key, amount in limits.items() if key.startswith(("nvidia.com/gpu", "nvidia.com/mig-"))
        )
    return requested


Node = Mapping[str, Any]

_stack = stack_option("Stack of the cluster.", required=True)


@click.group()
def node() -> None:
    """List and break nodes of a live cluster.

    Starts the cluster if it does not run. Its controllers react as in a real cluster.
    """


@node.command("list")
@stack_option("Stack of the cluster.  [default: the selected one]")
@form_of("table", "json")
def list_(stack: str | None, form: str) -> None:
    """List the nodes: pool, machine, state, devices in use."""

    with _cluster(stack) as (cluster, _):
        found = rows(cluster.client.list("v1", "Node"), cluster.client.list("v1", "Pod"))
    if form == "json":
        click.echo(json.dumps({"schema_version": 1, "nodes": found}, indent=2))
        return
    titles = {"name": "NODE", "pool": "POOL", "machine": "MACHINE", "state": "STATE", "gpus": "GPUS", "pods": "PODS"}
    shown = [titles, *({name: str(row[name]) for name in titles} for row in found)]
    widths = {name: max(len(row[name]) for row in shown) for name in titles}
    for row in shown:
        click.echo("  ".join(f"{row[name]:{widths[name]}}" for name in titles).rstrip())


def _command(name: str, summary: str) -> Callable[[Callable[[LiveCluster, Entry, Node], str]], click.Command]:
    """A command on one node. The function executes it, and returns a description of the effect."""

    def declare(does: Callable[[LiveCluster, Entry, Node], str]) -> click.Command:
        @node.command(name, help=summary)
        @click.argument("name", help="Node, as `gpucluster sandbox node list` shows it.")
        @_stack
        def run(name: str, stack: str) -> None:
            with _cluster(stack) as (cluster, entry):
                click.echo(f"{name}: {does(cluster, entry, _found(cluster, name))}")

        return run

    return declare


@_command("fail", "Stop the kubelet of a node.")
def fail(cluster: LiveCluster, entry: Entry, found: Node) -> str:
    from gpucluster.sandbox.live import node_events

    del entry
    return node_events.fail(cluster.client, found)


@_command("repair", "Restart a machine and repair all its faults.")
def repair(cluster: LiveCluster, entry: Entry, found: Node) -> str:
    from gpucluster.sandbox.live import node_events

    return node_events.repair(cluster.client, found, entry, cluster.ledger.all())


@_command("cordon", "Keep new pods off a node.")
def cordon(cluster: LiveCluster, entry: Entry, found: Node) -> str:
    from gpucluster.sandbox.live import node_events

    del entry
    return node_events.cordon(cluster.client, found)


@_command("uncordon", "Allow new pods on a node again.")
def uncordon(cluster: LiveCluster, entry: Entry, found: Node) -> str:
    from gpucluster.sandbox.live import node_events

    del entry
    return node_events.uncordon(cluster.client, found)


@_command("degrade", "Break one GPU of a node.")
def degrade(cluster: LiveCluster, entry: Entry, found: Node) -> str:
    from gpucluster.sandbox.live import node_events

    return node_events.degrade(cluster.client, found, entry, cluster.ledger.all())


@_command("interrupt", "Announce that the cloud reclaims a machine.")
def interrupt(cluster: LiveCluster, entry: Entry, found: Node) -> str:
    from gpucluster.sandbox.live import node_events

    return node_events.interrupt(cluster.client, found, entry)


@node.command()
@click.argument("name", help="Node, as `gpucluster sandbox node list` shows it.")
@_stack
@click.option(
    "--new-after",
    metavar="SECONDS",
    type=click.IntRange(0),
    default=20,
    show_default=True,
    help="Seconds until a new machine starts.",
)
def delete(name: str, stack: str, new_after: int) -> None:
    """Take a machine away without notice.

    If its pool has a fixed size, the cloud starts another one a moment later.
    """
    from gpucluster.sandbox.live import node_events
    from gpucluster.sandbox.live.nodes.fleet import sync

    with _cluster(stack) as (cluster, entry):
        click.echo(f"{name}: {node_events.take_away(cluster.client, _found(cluster, name))}")
        time.sleep(new_after)
        for made in sync(cluster.client, cluster.ledger.all(), entry).made:
            click.echo(f"{made['metadata']['name']}: a new machine in its place")


@contextmanager
def _cluster(stack: str | None) -> Generator[tuple[LiveCluster, Entry]]:
    # Imported late: it would delay every `gpucluster sandbox pulumi`.
    from gpucluster.sandbox.clouds.kubernetes.objects import cluster_at
    from gpucluster.sandbox.live.cluster import open_cluster
    from gpucluster.sandbox.project.project import current_project

    with open_cluster(current_project(), stack) as cluster:
        entry = cluster_at(cluster.ledger, cluster.scope)
        assert entry is not None
        yield cluster, entry


def _found(cluster: LiveCluster, name: str) -> Node:
    """The node; raises InputError if there is none."""
    there = {str(mapping(it.get("metadata")).get("name")): it for it in cluster.client.list("v1", "Node")}
    if name not in there:
        raise InputError(f"there is no node {name!r}; there are: {', '.join(sorted(there)) or 'none'}")
    return there[name]
