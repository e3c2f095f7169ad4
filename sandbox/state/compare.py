"""Differences between the simulated clouds and Pulumi's state.

Pending operations are not sufficient: when a provider dies during a create, the engine records only a failure, and the
created resource is an orphan without a trace in the state.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from gpucluster.core.text.type_guards import is_list, is_object, mapping
from gpucluster.sandbox.clouds.azure.cloud import own_part
from gpucluster.sandbox.clouds.store.ledger import Entry
from gpucluster.sandbox.clouds.types.values import Secret, to_wire
from gpucluster.sandbox.state.state import Recorded, StackState, is_cloud_resource, seconds

_Resource = Mapping[str, Any]

_TAGGED: Final = "4dabf18193072939515e22adb298388d"
"""Key of a secret, an asset or an archive; its content is encrypted or a hash and cannot be compared."""


@dataclass
class Difference:
    """Differences between one stack and the clouds.

    orphans: in the clouds, but never in a state; oldest first.
    kept: in the clouds and formerly in the state, which released it without deletion (`retainOnDelete`, `state
    delete`).
    ghosts: in the state, not in the clouds.
    changed: in both, with different properties.
    remade: in the state as deleted for a replacement, while the cloud already has the replacement under the same id.
    pending: operations that the state has started and not finished.
    """

    stack: str
    orphans: list[Entry] = field(default_factory=list[Entry])
    kept: list[Entry] = field(default_factory=list[Entry])
    ghosts: list[_Resource] = field(default_factory=list[_Resource])
    changed: list[_Resource] = field(default_factory=list[_Resource])
    remade: list[tuple[_Resource, Entry]] = field(default_factory=list[tuple[_Resource, Entry]])
    pending: list[_Resource] = field(default_factory=list[_Resource])

    def __bool__(self) -> bool:
        """Whether there is anything to recover; resources kept on purpose need no repair."""
        return bool(self.orphans or self.ghosts or self.changed or self.remade or self.pending)


def stack_of(urn: str) -> str:
    """The stack of a URN."""
    return urn.split(":")[2] if urn.startswith("urn:pulumi:") else ""


def compare(
    states: Sequence[StackState], ledger: Sequence[Entry], recorded: Callable[[], Recorded]
) -> list[Difference]:
    """The differences of each stack, and of deleted stacks that still have resources in the clouds.

    All stacks at once: one may have imported another's resource. `recorded` is called only for resources in no state.
    """
    found = {state.stack: Difference(state.stack, pending=list(state.pending)) for state in states}
    pairs, missing, unowned = _match(
        [(state.stack, resource) for state in states for resource in _owned(state)], ledger
    )
    for stack, resource in missing:
        # Deleted and to be created again, or still to be deleted: the state records it.
        if not any(resource.get(mark) for mark in ("pendingReplacement", "delete", "external")):
            found[stack].ghosts.append(resource)
    for stack, resource, entry in pairs:
        if resource.get("pendingReplacement"):
            found[stack].remade.append((resource, entry))
        elif not resource.get("delete") and not is_same(
            own_part(mapping(resource.get("outputs")), entry), entry.outputs
        ):
            found[stack].changed.append(resource)
    for entry in unowned:
        stack = stack_of(entry.urn)
        if not stack:
            # It existed before any stack.
            continue
        # The same id at an earlier time was another resource: names chosen by the program are reused.
        kept = recorded().get((entry.type, entry.id, entry.urn), -1.0) >= seconds(entry.created_at)
        difference = found.setdefault(stack, Difference(stack))
        (difference.kept if kept else difference.orphans).append(entry)
    return list(found.values())


def _owned(state: StackState) -> Iterable[_Resource]:
    return (resource for resource in state.resources if is_cloud_resource(resource))


_TESTS: Final[tuple[Callable[[_Resource, Entry], bool], ...]] = (
    lambda resource, entry: resource.get("provider") == entry.provider_ref and resource["urn"] == entry.urn,
    lambda resource, entry: resource.get("provider") == entry.provider_ref,
    lambda resource, entry: resource["urn"] == entry.urn,
    lambda resource, entry: mapping(resource.get("outputs")).get("region") == entry.outputs.get("region"),
)
"""What identifies the ledger entry of a state's resource beyond type and id, most reliable first: an id can exist in
several regions or clusters, and an imported resource has the URN and provider of its first owner."""


def _match(
    resources: Sequence[tuple[str, _Resource]], ledger: Sequence[Entry]
) -> tuple[list[tuple[str, _Resource, Entry]], list[tuple[str, _Resource]], list[Entry]]:
    """Pairs of resource and entry, resources without an entry, entries without a resource."""
    free: dict[tuple[str, str], list[Entry]] = defaultdict(list)
    for entry in ledger:
        free[entry.type, entry.id].append(entry)
    claimed: set[int] = set()
    pairs: list[tuple[str, _Resource, Entry]] = []
    left = list(resources)
    for test in _TESTS:
        missing: list[tuple[str, _Resource]] = []
        for stack, resource in left:
            candidates = free[str(resource["type"]), str(resource.get("id"))]
            entry = next((entry for entry in candidates if test(resource, entry)), None)
            if entry is None:
                missing.append((stack, resource))
            else:
                # Not removed: a resource that is only read has another owner, too.
                claimed.add(id(entry))
                pairs.append((stack, resource, entry))
        left = missing
    return pairs, left, [entry for entry in ledger if id(entry) not in claimed]


def is_same(state: Any, cloud: Any) -> bool:
    """Whether two values agree as far as they can be compared; a missing value equals null."""
    if isinstance(cloud, Secret) or (is_object(state) and _TAGGED in state):
        return True
    if is_object(state) and is_object(cloud):
        return all(is_same(state.get(key), cloud.get(key)) for key in {*state, *cloud})
    if is_list(state) and is_list(cloud):
        return len(state) == len(cloud) and all(map(is_same, state, cloud))
    return state == to_wire(cloud)
