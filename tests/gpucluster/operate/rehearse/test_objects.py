"""What the files of a user hold, and everything that is wrong with them at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpucluster.errors import InputError
from gpucluster.operate.rehearse.objects import Manifest, read_manifests

JOB = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: one}\nspec: {template: {spec: {containers: [{name: c}]}}}\n"
CLAIM = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data, namespace: training}\n"


def _file(folder: Path, text: str, name: str = "job.yaml") -> Path:
    file = folder / name
    file.write_text(text)
    return file


def test_every_document_of_every_file_is_read(tmp_path: Path) -> None:
    listed = "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Secret, metadata: {name: key}}\n"
    first, second = _file(tmp_path, f"{JOB}---\n{CLAIM}---\n"), _file(tmp_path, listed, "list.yaml")
    found = read_manifests([first, second])
    assert [(it.title, it.makes_pods, it.source) for it in found] == [
        ("Job default/one", True, f"{first}, document 1"),
        ("PersistentVolumeClaim training/data", False, f"{first}, document 2"),
        ("Secret default/key", False, str(second)),
    ]


def test_a_train_job_makes_pods_though_its_runtime_has_the_containers() -> None:
    (found,) = read_manifests([Path("examples/jobs/pytorch.yaml")])
    assert found.makes_pods


def test_all_mistakes_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    wrong = _file(tmp_path, "- a list\n---\nkind: Pod\n---\napiVersion: v1\nkind: Pod\nmetadata: {labels: {}}\n")
    broken = _file(tmp_path, "a: [\n", "broken.yaml")
    with pytest.raises(InputError) as told:
        read_manifests([wrong, broken, tmp_path / "none.yaml", tmp_path])
    assert str(told.value).replace(str(tmp_path), "F") == (
        "F/job.yaml: 3 problems\n"
        "  document 1: is not a mapping; write a Kubernetes object\n"
        "  document 2: apiVersion is None; write apiVersion and kind of a Kubernetes object, such as v1 and Pod\n"
        "  document 3: metadata.name is None; write a name\n"
        "F/broken.yaml: 1 problem\n"
        "  line 2: not YAML: expected the node content, but found '<stream end>'\n"
        "F/none.yaml: 1 problem\n"
        "  no such file\n"
        "F: 1 problem\n"
        "  is a folder; give the files in it"
    )


def test_files_without_a_job_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no object that creates pods; give the file of a TrainJob, Job"):
        read_manifests([_file(tmp_path, CLAIM)])


def test_the_same_object_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"Job default/one is also in .*, document 1; rename one"):
        read_manifests([_file(tmp_path, f"{JOB}---\n{JOB}")])


def test_a_generated_name_is_written_for_the_rehearsal(tmp_path: Path) -> None:
    job = JOB.replace("name: one", "generateName: sweep-")
    assert [one.name for one in read_manifests([_file(tmp_path, f"{job}---\n{job}")])] == ["sweep-1", "sweep-2"]


HELM = """\
---
# Source: serving/templates/service.yaml
apiVersion: v1
kind: Service
metadata: {name: web}
---
# Source: serving/templates/job.yaml
apiVersion: batch/v1
kind: Job
metadata: {name: warm, namespace: team-vision, annotations: {helm.sh/hook: "pre-install,test"}}
spec: {template: {spec: {containers: [{name: c}]}}}
---
# Source: serving/templates/tests/connection.yaml
apiVersion: v1
kind: Pod
metadata: {name: connection, annotations: {helm.sh/hook: test}}
spec: {containers: [{name: c}]}
"""


def test_the_output_of_helm_is_read_as_kubectl_reads_it(tmp_path: Path) -> None:
    found = read_manifests([_file(tmp_path, HELM)], "training")
    assert [one.title for one in found] == ["Service training/web", "Job team-vision/warm"]


def test_of_a_schedule_one_job_is_submitted() -> None:
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"parallelism": 2}}
    metadata = {"name": "nightly", "namespace": "training", "labels": {"c": "d"}}
    body = {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": metadata, "spec": {"jobTemplate": template}}
    found = Manifest(source="f", body=body)
    assert found.title == "CronJob training/nightly (one Job of it)"
    assert found.submitted == {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"labels": {"a": "b"}, "name": "nightly", "namespace": "training"},
        "spec": {"parallelism": 2},
    }
