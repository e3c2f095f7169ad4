"""A rehearsal takes away what it made, whatever happens in between."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import pytest

from gpucluster.errors import InputError
from gpucluster.operate.rehearse import session
from gpucluster.operate.rehearse.objects import Manifest
from gpucluster.operate.rehearse.outcome import Verdict
from gpucluster.operate.rehearse.session import rehearse
from gpucluster.sandbox.api_server.client import Client, ObjectRefused


class Cluster:
    """A cluster in which a pod runs as soon as it is made, and a machine comes with it."""

    def __init__(self, *, refuses: str = "") -> None:
        self.there: dict[tuple[str, str], dict[str, Any]] = {}
        self.refuses = refuses

    def knows(self, api_version: str, kind: str) -> bool:
        return kind in ("Pod", "Node", "NodeClaim", "Event") and bool(api_version)

    def get(self, document: Mapping[str, Any]) -> Mapping[str, Any] | None:
        return self.there.get((document["kind"], document["metadata"]["name"]))

    def list(self, api_version: str, kind: str, *, namespace: str | None = None) -> list[Mapping[str, Any]]:
        del api_version, namespace
        return [it for (found, _), it in self.there.items() if found == kind]

    def apply(self, document: Mapping[str, Any], *, dry_run: bool) -> None:
        assert dry_run
        if document["metadata"]["name"] == self.refuses:
            raise ObjectRefused(403, {"message": "forbidden: no queue"})

    def create(self, document: Mapping[str, Any]) -> Mapping[str, Any]:
        name = document["metadata"]["name"]
        made = {**document, "metadata": {"name": name, "uid": name}, "status": {"phase": "Running"}}
        self.there["Pod", name] = {**made, "spec": {**document["spec"], "nodeName": "n"}}
        self.there["NodeClaim", f"for-{name}"] = {"kind": "NodeClaim", "metadata": {"name": f"for-{name}"}}
        return made

    def delete(self, document: Mapping[str, Any]) -> None:
        self.there.pop((document["kind"], document["metadata"]["name"]), None)


class Narrow(Cluster):
    """A cluster with quota for one pod, which a config map names."""

    def knows(self, api_version: str, kind: str) -> bool:
        return kind == "ConfigMap" or super().knows(api_version, kind)

    def create(self, document: Mapping[str, Any]) -> Mapping[str, Any]:
        name = document["metadata"]["name"]
        if document["kind"] == "ConfigMap":
            self.there["ConfigMap", name] = {**document, "metadata": {"name": name, "uid": name}}
            return self.there["ConfigMap", name]
        assert ("ConfigMap", "settings") in self.there
        free = not any(kind == "Pod" for kind, _ in self.there)
        made = super().create(document)
        if not free:
            said = {"type": "PodScheduled", "status": "False", "message": "insufficient unused quota"}
            self.there["Pod", name] |= {"status": {"phase": "Pending", "conditions": [said]}}
        return made


class Lingering(Cluster):
    """A cluster in which a machine goes two looks after it is told to, and there is room for one."""

    def __init__(self) -> None:
        super().__init__()
        self.going: dict[str, int] = {}

    def get(self, document: Mapping[str, Any]) -> Mapping[str, Any] | None:
        name = document["metadata"]["name"]
        if name in self.going:
            self.going[name] -= 1
            if self.going[name] == 0:
                super().delete(document)
        return super().get(document)

    def create(self, document: Mapping[str, Any]) -> Mapping[str, Any]:
        assert not any(kind == "NodeClaim" for kind, _ in self.there)
        return super().create(document)

    def delete(self, document: Mapping[str, Any]) -> None:
        if document["kind"] == "NodeClaim":
            self.going.setdefault(document["metadata"]["name"], 2)
        else:
            super().delete(document)


class Slow(Cluster):
    """A cluster in which a job's set goes at once, and its pod two looks after the set."""

    def __init__(self, *, looks: int = 2) -> None:
        super().__init__()
        self.looks = looks

    def knows(self, api_version: str, kind: str) -> bool:
        return kind in ("TrainJob", "JobSet") or super().knows(api_version, kind)

    def list(self, api_version: str, kind: str, *, namespace: str | None = None) -> list[Mapping[str, Any]]:
        found = super().list(api_version, kind, namespace=namespace)
        if kind == "Pod" and ("TrainJob", "t") not in self.there:
            self.looks -= 1
            if self.looks == 0:
                super().delete({"kind": "Pod", "metadata": {"name": "p"}})
        return found

    def create(self, document: Mapping[str, Any]) -> Mapping[str, Any]:
        del document
        for kind, name, owner in (
            ("TrainJob", "t", None),
            ("JobSet", "s", ("TrainJob", "t")),
            ("Pod", "p", ("JobSet", "s")),
        ):
            references = [{"apiVersion": "v1", "kind": owner[0], "name": owner[1], "uid": owner[1]}] if owner else []
            metadata = {"name": name, "uid": name, "ownerReferences": references}
            status = {"phase": "Running"} if kind == "Pod" else {}
            spec = {"containers": [{"name": "c"}], "nodeName": "n"}
            self.there[kind, name] = {"kind": kind, "metadata": metadata, "spec": spec, "status": status}
        return self.there["TrainJob", "t"]

    def delete(self, document: Mapping[str, Any]) -> None:
        super().delete(document)
        super().delete({"kind": "JobSet", "metadata": {"name": "s"}})


def trainjob() -> Manifest:
    body = {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "metadata": {"name": "t"}, "spec": {}}
    return Manifest(source="f", body=body)


def pod(name: str) -> Manifest:
    spec = {"containers": [{"name": "c"}]}
    return Manifest(source="f", body={"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec})


def settings() -> Manifest:
    return Manifest(source="f", body={"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}})


@pytest.mark.parametrize(
    ("together", "verdicts"), [(False, [Verdict.RUNS, Verdict.RUNS]), (True, [Verdict.RUNS, Verdict.WAITS])]
)
def test_jobs_leave_each_other_their_room_but_where_they_are_rehearsed_together(
    together: bool, verdicts: list[Verdict]
) -> None:
    cluster = Narrow()
    seen = rehearse(cast(Client, cluster), [pod("a"), pod("b"), settings()], seconds=0, together=together, say=print)
    assert [outcome.verdict for outcome in seen.outcomes] == verdicts
    assert cluster.there == {}


def test_a_job_that_nothing_moves_any_more_waits_long_before_its_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "_TICK_SECONDS", 0.0)
    seen = rehearse(cast(Client, Narrow()), [pod("a"), pod("b"), settings()], seconds=3600, together=True, say=print)
    assert [outcome.verdict for outcome in seen.outcomes] == [Verdict.RUNS, Verdict.WAITS]


def test_the_machine_of_a_job_has_gone_before_the_next_job_comes() -> None:
    cluster = Lingering()
    seen = rehearse(cast(Client, cluster), [pod("a"), pod("b")], seconds=5, say=print)
    assert [outcome.verdict for outcome in seen.outcomes] == [Verdict.RUNS, Verdict.RUNS]
    assert cluster.there == {}


def test_what_was_made_and_the_machines_that_came_for_it_are_gone() -> None:
    cluster = Cluster()
    seen = rehearse(cast(Client, cluster), [pod("a"), pod("b")], seconds=5, say=print)
    assert [outcome.verdict for outcome in seen.outcomes] == [Verdict.RUNS, Verdict.RUNS]
    assert cluster.there == {}


def test_a_pod_is_waited_for_though_its_owners_have_gone_before_it() -> None:
    cluster = Slow()
    rehearse(cast(Client, cluster), [trainjob()], seconds=0, say=print)
    assert cluster.there == {}


def test_what_stays_though_deleted_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "_GONE_SECONDS", 0.0)
    said: list[str] = []
    rehearse(cast(Client, Slow(looks=9)), [trainjob()], seconds=0, say=said.append)
    assert said[-1] == "still exists 0 s after deletion: Pod p"


def test_a_refused_object_keeps_no_other_from_being_rehearsed() -> None:
    cluster = Cluster(refuses="a")
    seen = rehearse(cast(Client, cluster), [pod("a"), pod("b")], seconds=5, say=print)
    assert [(it.manifest.name, it.verdict, it.why) for it in seen.outcomes] == [
        ("a", Verdict.REFUSED, ("forbidden: no queue",)),
        ("b", Verdict.RUNS, ()),
    ]


def test_what_is_in_the_cluster_already_is_not_touched() -> None:
    cluster = Cluster()
    cluster.create(pod("a").body)
    before = dict(cluster.there)
    with pytest.raises(InputError, match="f: Pod default/a already exists in the cluster; delete it first"):
        rehearse(cast(Client, cluster), [pod("a"), pod("b")], seconds=5, say=print)
    assert cluster.there == before


def grouped(name: str) -> Manifest:
    labels = {"kueue.x-k8s.io/pod-group-name": "pair"}
    body = {**pod(name).body, "metadata": {"name": name, "labels": labels}}
    return Manifest(source="f", body=body)


def test_pods_of_one_group_are_rehearsed_together_and_others_one_by_one() -> None:
    said: list[str] = []
    rehearse(cast(Client, Cluster()), [grouped("a"), pod("b"), grouped("c")], seconds=5, say=said.append)
    assert [line.partition(";")[0] for line in said if line.startswith("submitted")] == [
        "submitted Pod default/a, Pod default/c",
        "submitted Pod default/b",
    ]


class Silent(Cluster):
    """A cluster whose queue admits a job, of which no pod comes."""

    def knows(self, api_version: str, kind: str) -> bool:
        return kind in ("TrainJob", "Workload") or super().knows(api_version, kind)

    def create(self, document: Mapping[str, Any]) -> Mapping[str, Any]:
        owner = {"apiVersion": "v1", "kind": "TrainJob", "name": "t", "uid": "t"}
        self.there["TrainJob", "t"] = {**document, "metadata": {"name": "t", "uid": "t"}}
        self.there["Workload", "trainjob-t"] = {
            "metadata": {"name": "trainjob-t", "uid": "w", "ownerReferences": [owner]},
            "status": {"conditions": [{"type": "Admitted", "status": "True"}]},
        }
        return self.there["TrainJob", "t"]

    def delete(self, document: Mapping[str, Any]) -> None:
        del document
        self.there.clear()


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (
            '{"level":"error","msg":"Reconciler error","namespace":"default","name":"t","error":"field is immutable"}',
            ("none of its pods was created", "kueue: field is immutable"),
        ),
        (
            '2026-11-28T12:50:36Z\tERROR\tReconciler error\t{"namespace": "default", "name": "t", "error": "invalid"}',
            ("none of its pods was created", "kueue: invalid"),
        ),
        (
            '{"level":"error","namespace":"other","name":"t","error":"field is immutable"}',
            ("none of its pods was created",),
        ),
    ],
    ids=["json", "text", "namesake"],
)
def test_an_admitted_job_without_pods_is_told_the_error_of_its_controller(line: str, why: tuple[str, ...]) -> None:
    seen = rehearse(cast(Client, Silent()), [trainjob()], seconds=0, say=print, logs=lambda: [("kueue", line)])
    assert [(one.verdict, one.why) for one in seen.outcomes] == [(Verdict.WAITS, why)]
