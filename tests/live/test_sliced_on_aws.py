"""GPUs in slices: machines of one H100, each cut into three slices of 2g.20gb and one of 1g.10gb."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import yaml

from tests.live.conftest import ROOT, brought_up
from tests.live.harness import EXAMPLES, Live, trainjob

pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.timeout(600)]

_SMALL, _LARGE = "nvidia.com/mig-1g.10gb", "nvidia.com/mig-2g.20gb"


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """The example of slices on this cloud."""
    yield from brought_up(tmp_path_factory.mktemp("sliced"), "aws", ROOT / "examples/specs/aws/mig.yaml")


def sliced(name: str, limits: Mapping[str, str] | None = None) -> dict[str, Any]:
    """A job of one pod on the runtime `mig`. limits: which slices it asks for, where not for what the runtime gives."""
    job = trainjob(name, nodes=1, example="single-gpu", queue_name="mig")
    job["spec"]["runtimeRef"]["name"] = "mig"
    if limits is not None:
        job["spec"]["trainer"]["resourcesPerNode"] = {"limits": dict(limits)}
    return job


def test_jobs_run_on_slices_of_the_sizes_they_ask_for_and_the_training_nodes_stay_free(live: Live) -> None:
    """Eight machines of one GPU offer 8 small slices and 24 large ones. A job that names no size runs on one slice and
    another on a large one, both on those machines.
    """
    machines = {node["metadata"]["name"]: node["status"]["allocatable"] for node in live.nodes("mig")}
    offered = [sum(int(gpus.get(size, 0)) for gpus in machines.values()) for size in (_SMALL, _LARGE)]
    assert (len(machines), offered) == (8, [8, 24])
    live.submit(sliced("any"))
    live.submit(sliced("large", {_LARGE: "1"}))
    assert {*live.running("any", 1), *live.running("large", 1)} <= {*machines}


def test_a_notebook_and_vs_code_have_a_slice_each_until_they_are_scaled_to_0(live: Live) -> None:
    """Machines offer slices. A notebook runs on a small one, VS Code on a large one; scaled to 0, neither has any."""
    sets = [_on_slice("notebook", _SMALL), _on_slice("vscode", _LARGE)]
    for document in sets:
        live.submit(document)

    def pods() -> dict[str, str]:
        found = live.client.list("v1", "Pod", namespace="training")
        return {it["metadata"]["name"]: it["spec"]["nodeName"] for it in found if it["status"]["phase"] == "Running"}

    live.wait_until("both run", lambda: sorted(pods()) == ["notebook-0", "vscode-0"] or None)
    assert {*pods().values()} <= {node["metadata"]["name"] for node in live.nodes("mig")}
    for document in sets:
        live.client.patch(document, {"spec": {"replicas": 0}})
    live.wait_until("none has a slice", lambda: not live.client.list("v1", "Pod", namespace="training") or None)


def _on_slice(example: str, size: str) -> dict[str, Any]:
    """An example in the queue of slices, which are of several sizes here."""
    document: dict[str, Any] = yaml.safe_load((EXAMPLES / f"{example}.yaml").read_text())
    document["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = "mig"
    document["spec"]["template"]["spec"]["containers"][0]["resources"] = {"limits": {size: 1}}
    return document


def test_a_job_that_asks_for_a_whole_gpu_where_they_are_sliced_is_refused(live: Live) -> None:
    """A job on the runtime of slices asks for a whole GPU. It is refused, and told which slices there are."""
    said = live.refusal(sliced("whole", {"nvidia.com/gpu": "1"}))
    assert _SMALL in said or _LARGE in said, said
