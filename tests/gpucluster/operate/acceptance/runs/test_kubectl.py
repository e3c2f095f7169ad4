"""What `kubectl` answers, and what is said of an answer of another shape."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from gpucluster.errors import InputError
from gpucluster.operate.acceptance.objects import ClusterQueue, Job, NodeList, PodList
from gpucluster.operate.acceptance.runs.collect import Kubectl

SHELL = shutil.which("sh")


@pytest.fixture
def kubectl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kubectl:
    """It prints the file `answer`."""
    (program := tmp_path / "kubectl").write_text(f"#!{SHELL}\n{shutil.which('cat')} {tmp_path}/answer\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    return Kubectl(None)


@pytest.mark.parametrize(
    ("shape", "answer", "said"),
    [
        (NodeList, "", "is empty"),
        (NodeList, 'W1128 a warning\n{"items": []}', "'W1128 a warning'"),
        (NodeList, '{"items": {}}', "items is an empty mapping, not a list"),
        (NodeList, '{"items": [{"metadata": {"labels": {"a": 5}}}]}', "items[0].metadata.labels.a is 5, not a text"),
        (PodList, '{"items": [{"spec": {"containers": [5]}}]}', "items[0].metadata is missing"),
        (Job, '{"status": {"conditions": {}}}', "status.conditions is an empty mapping"),
        (ClusterQueue, "{}", "spec is missing"),
        (
            ClusterQueue,
            '{"spec": {"resourceGroups": [{"flavors": [{"resources": [{"name": "a", "nominalQuota": "8x"}]}]}]}}',
            "spec.resourceGroups[0].flavors[0].resources[0].nominalQuota is '8x', not a whole number",
        ),
    ],
    ids=["empty", "warning", "items", "label", "pod", "job", "queue", "quota"],
)
def test_an_answer_of_another_shape_is_named_by_its_field(
    kubectl: Kubectl, tmp_path: Path, shape: type, answer: str, said: str
) -> None:
    (tmp_path / "answer").write_text(answer)
    with pytest.raises(InputError) as caught:
        kubectl.read(shape, "things", "--all-namespaces")
    assert caught.value.source == "`kubectl get things --all-namespaces`"
    assert said in "\n".join(caught.value.problems)


def test_quotas_are_read_as_the_api_server_writes_them(kubectl: Kubectl, tmp_path: Path) -> None:
    quotas = {"cpu": "1500m", "memory": "8Ti", "nvidia.com/gpu": "8k", "pods": "64"}
    resources = [{"name": name, "nominalQuota": quota} for name, quota in quotas.items()]
    (tmp_path / "answer").write_text(
        json.dumps({"spec": {"resourceGroups": [{"flavors": [{"resources": resources}]}]}})
    )
    [group] = kubectl.read(ClusterQueue, "clusterqueue", "training").spec.groups
    assert [quota.nominal for quota in group.flavors[0].resources] == [1, 8 * 2**40, 8000, 64]


def test_null_is_as_good_as_absent(kubectl: Kubectl, tmp_path: Path) -> None:
    (tmp_path / "answer").write_text(
        '{"items": [{"metadata": {"name": "a", "labels": null}, "spec": null, "status": {"phase": null}}]}'
    )
    [pod] = kubectl.read(PodList, "pods").items
    assert (pod.metadata.name, pod.metadata.labels, pod.spec.node, pod.status.phase) == ("a", {}, "", "Unknown")
