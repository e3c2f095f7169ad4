"""What a cluster holds is taken by the API server of the version before and of the version after an upgrade alike."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from gpucluster.sandbox.api_server.binaries import Binaries, find_binaries
from gpucluster.sandbox.api_server.client import Client, ObjectRefused
from gpucluster.sandbox.api_server.definitions import Unavailable, definitions_of, sources
from gpucluster.sandbox.api_server.server import open_server
from tests.stacks import older_api_server

pytestmark = [pytest.mark.engine, pytest.mark.slow]

STANDING: Final = Path(__file__).with_name("standing")
CLOUDS: Final = ("aws", "gcp", "azure")


def objects(cloud: str) -> Iterator[dict[str, Any]]:
    """What a stack that stands has in its cluster; charts aside."""
    for it in json.loads(gzip.decompress((STANDING / f"{cloud}-trial.json.gz").read_bytes())):
        document = it.get("inputs") or {}
        if it["type"].startswith("kubernetes:") and "helm.sh" not in it["type"] and "kind" in document:
            kept = {key: value for key, value in document.items() if not key.startswith("__")}
            annotations = kept["metadata"].get("annotations") or {}
            labels = kept["metadata"].get("labels") or {}
            kept["metadata"] = {**kept["metadata"], "annotations": annotations, "labels": labels}
            yield json.loads(json.dumps(kept))


def verdicts(binaries: Binaries, at: Path) -> dict[str, str]:
    """Cloud and object -> `taken`, or why it is refused."""
    found: dict[str, str] = {}
    with open_server(at, binaries) as server:
        client = Client(server)
        for source in sources():
            try:
                client.define(definitions_of(source))
            except Unavailable:
                continue
        every = [(cloud, one) for cloud in CLOUDS for one in objects(cloud)]
        spaces = {str(one["metadata"].get("namespace")) for _, one in every} - {"None", "default", "kube-system"}
        for space in sorted(spaces | {one["metadata"]["name"] for _, one in every if one["kind"] == "Namespace"}):
            client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": space}})
        for cloud, one in every:
            name = f"{cloud} {one['apiVersion']} {one['kind']} {one['metadata']['name']}"
            try:
                client.apply(one, dry_run=True)
                found[name] = "taken"
            except ObjectRefused as refused:
                found[name] = str(refused)
    return found


def test_both_api_servers_judge_every_object_of_every_cloud_alike(tmp_path: Path) -> None:
    older = older_api_server.built()
    if older is None:
        pytest.skip(f"the programs of Kubernetes {older_api_server.VERSION} are not in the cache: make api-servers")
    before = verdicts(older, tmp_path / "older")
    after = verdicts(find_binaries(), tmp_path / "newer")
    assert before == after
    own = {
        name: said
        for name, said in after.items()
        if name.split()[1] in ("v1", "apps/v1", "rbac.authorization.k8s.io/v1")
    }
    assert {name.split()[0] for name in own} == {*CLOUDS}
    assert set(own.values()) == {"taken"}, own
