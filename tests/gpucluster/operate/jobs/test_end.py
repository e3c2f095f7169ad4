"""Which job `sandbox job finish` and `fail` end, and which of its pods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import pytest

from gpucluster.errors import InputError
from gpucluster.operate.jobs.end import end_pods, find, jobs_in
from gpucluster.sandbox.api_server.client import Client
from tests.gpucluster.operate.jobs.objects import condition, job, owner, pod, workload

LOADS = [
    workload("one", condition("Admitted")),
    workload("one", condition("Admitted"), kind="Job", namespace="team-vision"),
    workload("notebook", condition("Admitted"), kind="StatefulSet"),
]
OBJECTS = {
    "Workload": LOADS,
    "TrainJob": [job("one"), job("two")],
    "Job": [job("one", kind="Job", namespace="team-vision")],
    "Pod": [
        pod("one-node-0-0", "one"),
        pod("one-node-0-1", "one"),
        pod("notebook-0", "", owned=owner("StatefulSet", "notebook")),
    ],
}


class Server:
    """Lists OBJECTS, and keeps what it is asked to change."""

    def __init__(self) -> None:
        self.changes: list[tuple[str, Any]] = []

    def knows(self, version: str, kind: str) -> bool:
        del version
        return kind in OBJECTS

    def list(self, version: str, kind: str) -> Sequence[Mapping[str, Any]]:
        del version
        return OBJECTS[kind]

    def patch(self, document: Mapping[str, Any], change: object) -> None:
        self.changes.append((document["metadata"]["name"], change))


@pytest.mark.parametrize(
    ("name", "namespace", "pods"),
    [
        ("two", None, []),
        ("one", "training", ["one-node-0-0", "one-node-0-1"]),
        ("one", "team-vision", []),
        ("notebook", None, ["notebook-0"]),
    ],
)
def test_a_job_of_every_kind_is_found_by_its_name_and_namespace_with_its_pods(
    name: str, namespace: str | None, pods: list[str]
) -> None:
    found = find(jobs_in(cast(Client, Server())), name, namespace)
    assert (found.name, [one.name for one in found.pods]) == (name, pods)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "three",
            "there is no job 'three'; there are: team-vision/one, training/notebook, training/one, training/two",
        ),
        (
            "one",
            "several jobs are called 'one': team-vision/one, training/one; name the namespace of one by --namespace",
        ),
    ],
)
def test_a_job_that_is_not_there_or_not_clear_is_an_error_that_lists_what_there_is(name: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        find(jobs_in(cast(Client, Server())), name, None)
    assert str(caught.value) == message


def test_the_containers_of_its_pods_exit_with_the_code() -> None:
    server = Server()
    found = find(jobs_in(cast(Client, server)), "one", "training")
    end_pods(cast(Client, server), found, 3, ["one-node-0-1"])
    assert server.changes == [("one-node-0-1", {"metadata": {"annotations": {"sandbox.gpucluster/exit-code": "3"}}})]
