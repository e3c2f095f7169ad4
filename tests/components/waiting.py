"""What each resource of a plan waits for: the graph of an example's program, and rules that walk it.

An engine makes side by side whatever no dependency orders. A `Wait` says of one type of resource what must stand before
it: the policies of the role it names, the rules of its security group, the definition of its kind.

`graphs` gives what the examples of a cloud register, `early` whatever does not wait. tests/components/aws/test_waits.py
has the rules of AWS.

The graphs come from the stack's own program, run by `python -m tests.components.waiting CLOUD` against a monitor that
answers as a first preview does.
"""

from __future__ import annotations

import functools
import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final, cast
from unittest import mock

from gpucluster.sandbox.clouds.kubernetes.definitions import kinds_of_release

__all__ = ["KUBERNETES", "Graph", "Registered", "Wait", "early", "graphs"]

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, kw_only=True)
class Registered:
    """One resource as the SDK registers it.

    needs: URNs of all it waits for itself: what its values come from, what it depends on, its provider and parent.
    sources: property -> URNs of the resources that its value comes from. held: whether the engine runs something of
    ours after it is created, before what depends on it.
    """

    urn: str
    type: str
    name: str
    inputs: Mapping[str, Any] = field(default_factory=dict[str, Any])
    needs: frozenset[str] = frozenset()
    sources: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    held: bool = False


class Graph:
    """The resources of one program. example: its name."""

    def __init__(self, example: str, resources: Iterable[Registered]) -> None:
        self.example = example
        self._by_urn = {item.urn: item for item in resources}
        self._behind = dict[str, frozenset[str]]()

    def __iter__(self) -> Iterator[Registered]:
        return iter(self._by_urn.values())

    def of(self, *types: str) -> list[Registered]:
        """Those of these types, in the order of registration."""
        return [item for item in self if item.type in types]

    def sources(self, item: Registered, *properties: str) -> list[Registered]:
        """The resources that values of these properties come from."""
        urns = (urn for name in properties for urn in sorted(item.sources.get(name, ())))
        return [self._by_urn[urn] for urn in urns if urn in self._by_urn]

    def users(self, source: Registered, property_: str, *types: str) -> list[Registered]:
        """Those of these types with a value of this property that comes from a resource."""
        return [item for item in self.of(*types) if source.urn in item.sources.get(property_, ())]

    def waits(self, item: Registered, other: Registered) -> bool:
        """Whether one is made after the other."""
        return other.urn in self._all_behind(item.urn)

    def _all_behind(self, urn: str) -> frozenset[str]:
        known = self._behind.get(urn)
        if known is None:
            needs = self._by_urn[urn].needs if urn in self._by_urn else frozenset[str]()
            known = self._behind[urn] = needs.union(*map(self._all_behind, needs))
        return known


@dataclass(frozen=True, kw_only=True)
class Wait:
    """Resources of a type, which may end in `*`, wait for others. why: what the cloud does where they do not, with the
    source.
    """

    of: str
    what: Callable[[Graph, Registered], Iterable[Registered]]
    why: str

    def pairs(self, graph: Graph) -> list[tuple[Registered, Registered]]:
        """(what waits, what it has to wait for)."""
        items = (item for item in graph if fnmatchcase(item.type, self.of))
        return [(item, other) for item in items for other in self.what(graph, item)]


def early(graph: Graph, rules: Sequence[Wait]) -> list[str]:
    """What is made before something it needs, in words."""
    return [
        f"{graph.example}: {item.name} does not wait for {other.name}: {rule.why}"
        for rule in rules
        for item, other in rule.pairs(graph)
        if not graph.waits(item, other)
    ]


def _definers(graph: Graph, item: Registered) -> list[Registered]:
    """The releases of the same cluster that bring the definition of an object's kind."""
    group, kind = item.type.removeprefix("kubernetes:").split("/")[0], item.type.rpartition(":")[2]
    return [
        release
        for release in graph.of("kubernetes:helm.sh/v3:Release")
        if f"{group}:{kind}" in kinds_of_release(release.inputs)
    ]


KUBERNETES: Final = (
    Wait(of="kubernetes:*", what=_definers, why="no matches for its kind before the chart that defines it"),
)
"""For the objects inside a cluster of any cloud."""


@functools.cache
def graphs(cloud: str) -> tuple[Graph, ...]:
    """The graph of every example of a cloud. Runs their programs in a process of its own: the SDK keeps its settings
    for the whole of one."""
    command = [sys.executable, "-m", "tests.components.waiting", cloud]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return tuple(
        Graph(name, [_read(item) for item in items]) for name, items in json.loads(done.stdout.splitlines()[-1]).items()
    )


def _read(item: Mapping[str, Any]) -> Registered:
    sources = {name: frozenset(urns) for name, urns in item["sources"].items()}
    return Registered(
        urn=item["urn"],
        type=item["type"],
        name=item["name"],
        inputs=item["inputs"],
        needs=frozenset(item["needs"]),
        sources=sources,
        held=item["held"],
    )


def _recorded(cloud: str) -> dict[str, list[dict[str, Any]]]:
    """Example -> its registrations, as JSON has them."""
    from pulumi.runtime.mocks import MockMonitor

    from tools.pages.examples import declared, examples

    found = dict[str, list[dict[str, Any]]]()
    for example in examples():
        if example.cloud == cloud:
            seen: list[dict[str, Any]] = []
            found[example.spec.stem] = seen
            with mock.patch.object(MockMonitor, "RegisterResource", _remembering(seen)):
                declared(example)
    return found


def _remembering(seen: list[dict[str, Any]]) -> Callable[[Any, Any], Any]:
    """The monitor's own answer, with each request kept."""
    from pulumi.runtime import rpc
    from pulumi.runtime.mocks import MockMonitor

    answer = cast("Callable[[Any, Any], Any]", MockMonitor.RegisterResource)

    def register(monitor: Any, request: Any) -> Any:
        reply = answer(monitor, request)
        provider = request.provider.rpartition("::")[0]
        seen.append(
            {
                "urn": reply.urn,
                "type": request.type,
                "name": request.name,
                "inputs": rpc.deserialize_properties(request.object, keep_unknowns=False),
                "needs": sorted({*request.dependencies, provider, request.parent} - {""}),
                "sources": {name: sorted(by.urns) for name, by in request.propertyDependencies.items()},
                "held": bool(request.hooks.after_create),
            }
        )
        return reply

    return register


if __name__ == "__main__":
    print(json.dumps(_recorded(sys.argv[1]), default=str))
