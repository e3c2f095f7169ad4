"""What a rehearsal tells of the jobs of the repository, and of wrong ones; nothing of them stays."""

from __future__ import annotations

import copy
from typing import Any

from gpucluster.operate.rehearse.command import rehearsed
from gpucluster.operate.rehearse.objects import Manifest, read_manifests
from gpucluster.operate.rehearse.outcome import Verdict
from gpucluster.operate.rehearse.report import Report
from gpucluster.sandbox.project.project import find_project
from tests.live.harness import EXAMPLES, Live, trainjob
from tests.waiting import LIMIT

POD = {"containers": [{"name": "c", "image": "x", "resources": {"limits": {"nvidia.com/gpu": 1}}}]}


def rehearsal(live: Live, *manifests: Manifest, together: bool = False) -> Report:
    """Of the project that the cluster stands in."""
    project = find_project(live.cluster.folder)
    assert project is not None
    return rehearsed(project, f"{live.cloud}-trial", [*manifests], seconds=LIMIT, together=together, say=print)


def of(document: dict[str, Any]) -> Manifest:
    return Manifest(source="job.yaml", body=document)


def there(live: Live) -> set[str]:
    """Everything in the cluster that a job may leave: not the pods of DaemonSets, which go after their machine."""
    versions = {"Pod": "v1", "Job": "batch/v1", "Deployment": "apps/v1", "NodeClaim": "karpenter.sh/v1"}
    others = {"Workload": "kueue.x-k8s.io/v1beta2", "JobSet": "jobset.x-k8s.io/v1alpha2"}
    kinds = {**versions, **others, "TrainJob": "trainer.kubeflow.org/v1alpha1"}
    return {
        f"{kind} {item['metadata']['name']}"
        for kind, version in kinds.items()
        if live.client.knows(version, kind)
        for item in live.client.list(version, kind)
        if not item["metadata"].get("deletionTimestamp")
        and not any(owner["kind"] == "DaemonSet" for owner in item["metadata"].get("ownerReferences", []))
    }


def settled(live: Live) -> set[str]:
    """The same, once what earlier scenarios started has ended: a machine that is taken away meanwhile is not ours."""

    def is_settled() -> bool:
        return not any(one.startswith("NodeClaim ") for one in there(live))

    live.wait_until("machines of earlier scenarios are gone", is_settled)
    return there(live)


def test_a_rehearsal_tells_where_the_three_examples_run_and_for_how_much(live: Live) -> None:
    """Five nodes are free. Three examples: where each runs, with the price of its machines; nothing stays."""
    before = settled(live)
    names = ("nccl-all-reduce", "pytorch", "single-gpu")
    report = rehearsal(live, *read_manifests([EXAMPLES / f"{name}.yaml" for name in names]))
    found = {job.outcome.manifest.name: job for job in report.jobs}
    # The machines of Google's pool of single GPUs come by a program that does not run here.
    elastic = Verdict.UNKNOWN if live.cloud == "gcp" else Verdict.RUNS
    wanted = {"nccl-all-reduce": Verdict.RUNS, "pytorch": Verdict.RUNS, "single-gpu": elastic}
    assert {name: found[name].outcome.verdict for name in wanted} == wanted
    assert report.would_run
    for name in ("nccl-all-reduce", "pytorch"):
        [machines] = found[name].machines
        assert (machines.count, machines.gpus, machines.elastic) == (2, 16, False)
        assert machines.each is not None and machines.hourly == 2 * machines.each
    if live.client.list("kueue.x-k8s.io/v1beta2", "Topology"):
        places, switches = found["pytorch"].outcome.places, found["pytorch"].switches
        assert {*switches} == {place.node for place in places}
        assert len({*switches.values()}) == 1, switches
    assert there(live) - before == set()


def test_the_jobs_that_copy_data_run_as_the_identity_that_the_stack_declares(live: Live) -> None:
    """A stack with an identity of jobs. Both jobs that copy data run as it; as one that is not declared, none runs."""
    before = settled(live)
    jobs = read_manifests([EXAMPLES / "copy-in.yaml", EXAMPLES / "copy-out.yaml"])
    report = rehearsal(live, *jobs)
    assert {job.outcome.manifest.name: job.outcome.verdict for job in report.jobs} == {
        "copy-in": Verdict.RUNS,
        "copy-out": Verdict.RUNS,
    }
    nobodys = copy.deepcopy(jobs[0].body)
    nobodys["spec"]["template"]["spec"]["serviceAccountName"] = "nobody"
    [refused] = rehearsal(live, of(nobodys)).jobs
    assert refused.outcome.verdict is not Verdict.RUNS
    assert 'serviceaccount "nobody" not found' in " ".join(refused.outcome.why)
    assert there(live) - before == set()


def test_three_jobs_that_fit_one_by_one_are_each_told_to_run(live: Live) -> None:
    """Four nodes are for jobs. Three jobs of two nodes: each would run; together, two of them."""
    before = settled(live)
    jobs = [of(trainjob(name)) for name in ("one", "two", "three")]
    assert rehearsal(live, *jobs).would_run
    verdicts = sorted(job.outcome.verdict for job in rehearsal(live, *jobs, together=True).jobs)
    assert verdicts == [Verdict.WAITS, Verdict.RUNS, Verdict.RUNS]
    assert there(live) - before == set()


def test_a_rehearsal_tells_why_a_job_is_refused_or_waits(live: Live) -> None:
    """Five wrong objects: each is refused, in the words of what stops it; nothing of them stays."""
    before = settled(live)
    no_runtime, no_queue = trainjob("no-runtime"), trainjob("no-queue", queue_name="nosuch")
    no_runtime["spec"]["runtimeRef"]["name"] = "nosuch"
    plain = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "thief", "namespace": "default"}, "spec": POD}
    mpi = {"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "metadata": {"name": "mpi"}, "spec": POD}
    wrong = {
        "no-runtime": (no_runtime, "not found"),
        "no-queue": (no_queue, "the job would never start"),
        "too-large": (trainjob("too-large", nodes=9), "spec.trainer.numNodes is more than the queue has"),
        "thief": (plain, ""),
        "mpi": (mpi, 'no matches for kind "MPIJob"'),
    }
    report = rehearsal(live, *(of(document) for document, _ in wrong.values()))
    said = {job.outcome.manifest.name: (job.outcome.verdict, " ".join(job.outcome.why)) for job in report.jobs}
    assert not report.would_run
    for name, (_, words) in wrong.items():
        verdict, why = said[name]
        assert verdict in (Verdict.REFUSED, Verdict.WAITS), (name, why)
        assert why and words in why, (name, why)
    assert there(live) - before == set()
