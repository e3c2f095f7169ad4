"""Whether the programs of a runtime find their libraries: the search of a loader through the image, what is mounted of
the node, and what an init container copies.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from gpucluster.components.kubernetes.jobs.job_pool import JobPool
from gpucluster.components.kubernetes.jobs.jobs import runtimes_of

Pools = Callable[..., list[JobPool]]
Folders = Mapping[str, frozenset[str]]

MANIFESTS: Final = Path(__file__).parents[2] / "components/gcp/fabric/manifests"
NODE: Final = "/home/kubernetes/bin"
SYSTEM: Final = "/usr/lib/x86_64-linux-gnu"
"""Stands for every folder of the loader's cache, which it searches last."""


class Image(NamedTuple):
    folders: Folders
    env: Mapping[str, str] = {}


AWSLABS: Final = Image(
    {
        SYSTEM: frozenset({"libibverbs.so.1", "libcudart.so"}),
        "/opt/nccl/build/lib": frozenset({"libnccl.so.2"}),
        "/opt/amazon/openmpi/lib": frozenset({"libmpi.so.40"}),
        "/opt/amazon/ofi-nccl/lib": frozenset({"libnccl-net-ofi.so"}),
    },
    {
        "LD_LIBRARY_PATH": "/opt/amazon/openmpi/lib:/opt/nccl/build/lib:/opt/amazon/efa/lib:/opt/amazon/ofi-nccl/lib",
        "LD_PRELOAD": "/opt/nccl/build/lib/libnccl.so",
    },
)
PLUGIN: Final = Image({SYSTEM: frozenset({"libmpi.so.40", "libcudart.so"})})
PYTORCH: Final = Image({SYSTEM: frozenset({"libnccl.so.2", "libibverbs.so.1", "libcudart.so"})})
DIAGNOSTIC: Final = Image(
    {
        SYSTEM: frozenset({"libmpi.so.40", "libibverbs.so.1", "libcudart.so"}),
        "/third_party/nccl/build/lib": frozenset({"libnccl.so.2"}),
    }
)
# Sources: awslabs/awsome-distributed-ai, micro-benchmarks/nccl-tests/nccl-tests.Dockerfile (it removes libnccl2);
# google/nccl-plugin-gpudirect-tcpxo, tcpxo.dockerfile; NVIDIA, PyTorch release notes; Google Cloud Community, "Part I:
# Exploring DRANET on GKE with B200 GPUs and NCCL test" (the library path of the diagnostic image v1.1.0).
IMAGES: Final = {
    "hpc-cloud/nccl-tests@": AWSLABS,
    "nccl-plugin-gpudirecttcpx-dev:": PLUGIN,
    "nccl-plugin-gib-diagnostic:": DIAGNOSTIC,
    "nvidia/pytorch:": PYTORCH,
}

# What a program needs at its start, by the network of its NCCL; None for a runtime without a fabric.
NETWORKS: Final = {
    "Libfabric": {"libnccl-net-ofi.so"},
    "IB": {"libibverbs.so.1"},
    "GPUDirectTCPX_v7": {"libnccl-net.so"},
    "FasTrak": {"libnccl-net.so"},
    "gIB": {"libnccl-net.so", "libibverbs.so.1"},
    None: set[str](),
}


def node_folders(cloud: str, network: str | None) -> Folders:
    """The folders that the installer of a fabric fills, by its manifest."""
    manifest = {"GPUDirectTCPX_v7": "tcpx", "FasTrak": "tcpxo", "gIB": "rdma"}.get(network or "")
    if cloud != "gcp" or manifest is None:
        return {}
    nccl = "--install-nccl" in (MANIFESTS / f"nccl-{manifest}-installer.yaml").read_text()
    libraries = {"libcuda.so.1", "libnccl-net.so", *(["libnccl.so.2"] if nccl else [])}
    return {
        f"{NODE}/nvidia/lib64": frozenset(libraries),
        f"{NODE}/gib/lib64": frozenset({"libnccl-net.so", "libibverbs.so.1"}),
    }


def mounted(pod: Mapping[str, Any], container: Mapping[str, Any], node: Folders) -> Folders:
    """The folders of a container that are no part of its image."""
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    found: dict[str, frozenset[str]] = {}
    for mount in container["volumeMounts"]:
        host = volumes.get(mount["name"], {}).get("hostPath", {}).get("path")
        if host is not None:
            found |= {
                path.replace(host, mount["mountPath"]): names for path, names in node.items() if path.startswith(host)
            }
        for before in pod.get("initContainers", []):
            if before["name"] == "fabric-libraries" and mount in before["volumeMounts"]:
                copied = re.findall(r"/(libnccl-net[^/ ;]*)", before["args"][0])
                found[f"{mount['mountPath']}/lib"] = frozenset({*copied, "libibverbs.so.1"})
    return found


def search(pod: Mapping[str, Any], container: Mapping[str, Any], cloud: str) -> set[str]:
    """Every library that a program of the container finds by its name.

    The driver is in the loader's cache on AWS and Azure, by NVIDIA's container toolkit. On GKE it is in a folder of the
    node, which is on the library path of NVIDIA's images: only a runtime that replaces the path can lose it.
    """
    [image] = [image for part, image in IMAGES.items() if part in container["image"]]
    env = {**image.env, **{item["name"]: item["value"] for item in container.get("env", [])}}
    folders = {**image.folders, **mounted(pod, container, node_folders(cloud, env.get("NCCL_NET")))}
    if cloud != "gcp" or "LD_LIBRARY_PATH" not in env:
        folders[SYSTEM] |= {"libcuda.so.1"}
    path = [*env.get("LD_LIBRARY_PATH", "").split(":"), SYSTEM]
    preloaded = {f"{Path(one).name}.2" for one in env.get("LD_PRELOAD", "").split(":") if one}
    return preloaded.union(*(folders.get(folder, frozenset()) for folder in path))


def pods_of(runtimes: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, runtime in runtimes.items():
        for job in runtime["template"]["spec"]["replicatedJobs"]:
            yield name, job["template"]["spec"]["template"]["spec"]


@pytest.mark.parametrize(
    ("cloud", "changes", "network"),
    [
        ("aws", {}, "Libfabric"),
        ("azure", {}, "IB"),
        ("gcp", {"fabric_gbps": 800}, "GPUDirectTCPX_v7"),
        ("gcp", {}, "FasTrak"),
        ("gcp", {"accelerator": "h200"}, "gIB"),
        ("gcp", {"accelerator": "h200", "versions": {"fabric": "v1.1.0"}}, "gIB"),
    ],
)
def test_every_runtime_finds_nccl_its_network_and_mpi(
    pools: Pools, trial_training: dict[str, Any], cloud: str, changes: dict[str, Any], network: str
) -> None:
    gbps = changes.get("fabric_gbps")
    spec = changes if gbps is None else {"training": {**trial_training, "fabric_gbps": gbps}}
    runtimes = runtimes_of(pools(cloud, **spec), home=False, registry=None)
    missing: dict[str, set[str]] = {}
    for name, pod in pods_of(runtimes):
        [container] = pod["containers"]
        env = {item["name"]: item["value"] for item in container.get("env", [])}
        needs = {"libnccl.so.2", "libcuda.so.1", "libcudart.so", *NETWORKS[env.get("NCCL_NET")]}
        needs |= {"libmpi.so.40"} if "mpi" in name else set()
        missing[name] = missing.get(name, set()) | (needs - search(pod, container, cloud))
        assert env.get("NCCL_NET") == (network if name.startswith("training") else None)
    assert {name: lost for name, lost in missing.items() if lost} == {}
    assert {"training", "training-mpi"}.issubset(missing)
