"""The pods of one job on three clouds, as Trainer and JobSet make them, beside what each cloud's guide asks for.

Typed out by hand from: Amazon EKS user guide, node-efa; GoogleCloudPlatform/container-engine-accelerators, test pods
and release notes of each fabric; Azure/ai-infrastructure-on-azure, infrastructure_validations/aks/NCCL.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpucluster.components.kubernetes.jobs.job_pool import JobPool

Expand = Callable[..., dict[str, Any]]
Example = Callable[[str], dict[str, Any]]
Pools = Callable[..., list[JobPool]]

LIBRARIES = (
    "public.ecr.aws/hpc-cloud/nccl-tests@sha256:a5390d3f0eb50f3e5854085e2ae0fef90b9eb4f3b7486ed4cab0d47864809d4c"
)
GOOGLE = "us-docker.pkg.dev/gce-ai-infra"
LIBRARY_PATH = "/opt/fabric/lib:/usr/local/nvidia/lib64:/usr/local/cuda/lib64"
NODE_LIBRARIES = {"name": "libraries", "readOnly": True, "mountPath": "/usr/local/nvidia/lib64"}

# The same on every cloud: what Trainer adds of the job, and where a job keeps its files.
TORCHRUN = {
    "PET_NNODES": "2",
    "PET_NPROC_PER_NODE": "auto",
    "PET_NODE_RANK": "metadata.annotations['batch.kubernetes.io/job-completion-index']",
    "PET_MASTER_ADDR": "pytorch-node-0-0.pytorch",
    "PET_MASTER_PORT": "29500",
}
MOUNTS = [
    {"name": "shm", "mountPath": "/dev/shm"},
    {"name": "scratch", "mountPath": "/scratch"},
    {"name": "shared", "mountPath": "/shared"},
]
SHARED = {"name": "shared", "persistentVolumeClaim": {"claimName": "shared"}}
GPU_TAINT = [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]
SILENT_NODE = [
    {"key": f"node.kubernetes.io/{what}", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 60}
    for what in ("not-ready", "unreachable")
]
LET_GO = {"kueue.x-k8s.io/safe-to-forcefully-delete": "true"}
"""Kueue may end a pod without the word of a silent node."""


def memory(size: str) -> dict[str, Any]:
    return {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": size}}


def folder(name: str, path: str, **more: str) -> dict[str, Any]:
    return {"name": name, "hostPath": {"path": path, **more}}


def whole_machine(cpu: str, ram: str, **fabric: str) -> dict[str, Any]:
    devices = {"nvidia.com/gpu": "8", **{name.replace("__", "/").replace("_", "."): of for name, of in fabric.items()}}
    return {"requests": {"cpu": cpu, "memory": ram}, "limits": devices}


AWS: dict[str, Any] = {
    "annotations": {**LET_GO, "kueue.x-k8s.io/podset-preferred-topology": "topology.k8s.aws/network-node-layer-3"},
    "before": [("fabric-libraries", LIBRARIES, [{"name": "fabric", "mountPath": "/opt/fabric"}], None)],
    "env": {
        "FI_PROVIDER": "efa",
        "FI_EFA_USE_HUGE_PAGE": "0",
        "LD_LIBRARY_PATH": LIBRARY_PATH,
        "NCCL_NET": "Libfabric",
        "NCCL_NET_PLUGIN": "ofi",
        "NCCL_SOCKET_IFNAME": "^docker,lo,veth",
        "RDMAV_DRIVERS": "efa",
    },
    # 144 of 192 vCPUs, 1,536 of 2,048 GiB
    "resources": whole_machine("144", "1536Gi", vpc_amazonaws_com__efa="32"),
    "mounts": [*MOUNTS, {"name": "fabric", "mountPath": "/opt/fabric"}],
    "capabilities": None,
    "volumes": [memory("256Gi"), {"name": "scratch", "emptyDir": {}}, SHARED, {"name": "fabric", "emptyDir": {}}],
}

TCPXO_SETTINGS = """
NCCL_NET=FasTrak
NCCL_FASTRAK_CTRL_DEV=eth0
NCCL_FASTRAK_IFNAME=eth1,eth2,eth3,eth4,eth5,eth6,eth7,eth8
NCCL_SOCKET_IFNAME=eth0
NCCL_CROSS_NIC=0
NCCL_PROTO=Simple,LL128
NCCL_MIN_NCHANNELS=4
NCCL_TUNER_PLUGIN=libnccl-tuner.so
NCCL_TUNER_CONFIG_PATH=/usr/local/nvidia/lib64/a3plus_tuner_config.textproto
NCCL_SHIMNET_GUEST_CONFIG_CHECKER_CONFIG_FILE=/usr/local/nvidia/lib64/a3plus_guest_config.textproto
CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7
NCCL_NVLSTREE_MAX_CHUNKSIZE=131072
NCCL_P2P_NET_CHUNKSIZE=524288
NCCL_P2P_PCI_CHUNKSIZE=524288
NCCL_P2P_NVL_CHUNKSIZE=1048576
NCCL_FASTRAK_NUM_FLOWS=2
NCCL_FASTRAK_USE_SNAP=1
NCCL_FASTRAK_PLUGIN_ACCEPT_TIMEOUT_MS=600000
NCCL_FASTRAK_ENABLE_CONTROL_CHANNEL=0
NCCL_BUFFSIZE=8388608
NCCL_NET_GDR_LEVEL=PIX
NCCL_FASTRAK_ENABLE_HOTPATH_LOGGING=0
NCCL_FASTRAK_USE_LLCM=1
NCCL_NVLS_ENABLE=1
NCCL_FASTRAK_LLCM_DEVICE_DIRECTORY=/dev/aperture_devices
LD_LIBRARY_PATH=/usr/local/nvidia/lib64
"""
GCP: dict[str, Any] = {
    "annotations": {
        **LET_GO,
        "kueue.x-k8s.io/podset-preferred-topology": "cloud.google.com/gce-topology-subblock",
        "networking.gke.io/default-interface": "eth0",
        # The pod's own network and the 8 of the GPU cards.
        "networking.gke.io/interfaces": [
            {"interfaceName": "eth0", "network": "default"},
            *({"interfaceName": f"eth{card}", "network": f"vpc{card}"} for card in range(1, 9)),
        ],
        "devices.gke.io/container.tcpxo-daemon": [
            *(f"/dev/nvidia{gpu}" for gpu in range(8)),
            "/dev/nvidiactl",
            "/dev/nvidia-uvm",
            "/dev/dmabuf_import_helper",
        ],
    },
    "before": [
        (
            "fabric-ready",
            f"{GOOGLE}/gpudirect-tcpxo/nccl-plugin-gpudirecttcpx-dev:v1.0.16",
            [
                NODE_LIBRARIES,
                {
                    "name": "aperture-devices",
                    "mountPath": "/dev/aperture_devices",
                    "readOnly": True,
                    "mountPropagation": "HostToContainer",
                },
            ],
            None,
        ),
        (
            "tcpxo-daemon",
            "us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpxo/tcpgpudmarxd-dev:v1.0.22",
            [
                NODE_LIBRARIES,
                {"name": "sys", "mountPath": "/hostsysfs"},
                {"name": "proc-sys", "mountPath": "/hostprocsysfs"},
            ],
            ["NET_ADMIN", "NET_BIND_SERVICE"],
        ),
    ],
    "env": {name: value for name, _, value in (line.partition("=") for line in TCPXO_SETTINGS.split())},
    # 156 of 208 vCPUs, 1,404 of 1,872 GiB
    "resources": whole_machine("156", "1404Gi"),
    "mounts": [*MOUNTS, NODE_LIBRARIES, {"name": "aperture-devices", "mountPath": "/dev/aperture_devices"}],
    "capabilities": None,
    "volumes": [
        memory("234Gi"),
        {"name": "scratch", "emptyDir": {}},
        SHARED,
        folder("libraries", "/home/kubernetes/bin/nvidia/lib64"),
        folder("sys", "/sys"),
        folder("proc-sys", "/proc/sys"),
        folder("aperture-devices", "/dev/aperture_devices"),
    ],
}

AZURE: dict[str, Any] = {
    "annotations": LET_GO,
    "before": [("fabric-libraries", LIBRARIES, [{"name": "fabric", "mountPath": "/opt/fabric"}], None)],
    "env": {
        "CUDA_DEVICE_ORDER": "PCI_BUS_ID",
        "LD_LIBRARY_PATH": LIBRARY_PATH,
        "NCCL_IB_PCI_RELAXED_ORDERING": "1",
        "NCCL_IB_QPS_PER_CONNECTION": "4",
        "NCCL_IGNORE_CPU_AFFINITY": "1",
        "NCCL_MIN_NCHANNELS": "32",
        "NCCL_NET": "IB",
        "NCCL_NET_PLUGIN": "none",
        "NCCL_P2P_NET_CHUNKSIZE": "524288",
        "NCCL_PXN_DISABLE": "1",
        "NCCL_SOCKET_IFNAME": "eth0",
        "NCCL_TOPO_FILE": "/etc/nccl-topology/nd-v5.xml",
        "RDMAV_DRIVERS": "mlx5",
    },
    # 72 of 96 vCPUs, 1,425 of 1,900 GiB
    "resources": whole_machine("72", "1425Gi", rdma__ib="8"),
    "mounts": [
        *MOUNTS,
        {"name": "fabric", "mountPath": "/opt/fabric"},
        {"name": "nccl-topology", "readOnly": True, "mountPath": "/etc/nccl-topology"},
    ],
    "capabilities": ["IPC_LOCK"],
    "volumes": [
        memory("237Gi"),
        folder("scratch", "/scratch", type="Directory"),
        SHARED,
        {"name": "fabric", "emptyDir": {}},
        {"name": "nccl-topology", "configMap": {"name": "nccl-topology"}},
    ],
}


def by_kueue(pod: dict[str, Any]) -> dict[str, Any]:
    """What Kueue lays over the pods of a job."""
    jobs = [{"name": "node", "template": {"spec": {"template": pod}}}]
    template = {"spec": {"replicatedJobs": jobs}}
    return {"manager": "kueue.x-k8s.io/manager", "trainingRuntimeSpec": {"template": template}}


def pod_of(job: dict[str, Any]) -> dict[str, Any]:
    """What the clouds differ in, of the pods of a Job; the rest is compared for all at once."""
    template = job["spec"]["template"]
    spec, annotations = template["spec"], template["metadata"]["annotations"]
    [node] = spec["containers"]
    own = {key: value for key, value in annotations.items() if not key.startswith("jobset.sigs.k8s.io/")}
    for key, value in own.items():
        if key == "networking.gke.io/interfaces":
            own[key] = json.loads(value)
        elif key.startswith("devices.gke.io/"):
            own[key] = [line.removeprefix("- path: ") for line in value.splitlines()]
    env = {item["name"]: item.get("value") or item["valueFrom"]["fieldRef"]["fieldPath"] for item in node["env"]}
    return {
        "annotations": own,
        "before": [
            (item["name"], item["image"], item["volumeMounts"], added(item)) for item in spec.get("initContainers", [])
        ],
        "env": {name: value for name, value in env.items() if name not in TORCHRUN},
        "resources": node["resources"],
        "mounts": node["volumeMounts"],
        "capabilities": added(node),
        "volumes": spec["volumes"],
    }


def added(container: dict[str, Any]) -> list[str] | None:
    """Capabilities, of a container that may not gain any other right."""
    context = container["securityContext"]
    assert context["allowPrivilegeEscalation"] is False
    assert "privileged" not in context
    return context.get("capabilities", {}).get("add")


@pytest.mark.parametrize(("cloud", "wanted"), [("aws", AWS), ("gcp", GCP), ("azure", AZURE)])
def test_one_job_becomes_the_pods_that_each_clouds_guide_asks_for(
    expand: Expand, example: Example, cloud: str, wanted: dict[str, Any]
) -> None:
    [job] = expand(cloud, example("pytorch"))["jobs"]
    assert (job["metadata"]["name"], job["spec"]["parallelism"], job["spec"]["backoffLimit"]) == (
        "pytorch-node-0",
        2,
        0,
    )
    assert pod_of(job) == wanted


def test_what_no_cloud_decides_is_the_same_on_all(expand: Expand, example: Example) -> None:
    def common(cloud: str) -> dict[str, Any]:
        [job] = expand(cloud, example("pytorch"))["jobs"]
        spec = job["spec"]["template"]["spec"]
        [node] = spec["containers"]
        env = {item["name"]: item.get("value") or item["valueFrom"]["fieldRef"]["fieldPath"] for item in node["env"]}
        return {
            "env": {name: env[name] for name in TORCHRUN},
            "run": (node["command"], node["args"]),
            **{key: spec[key] for key in spec if key not in ("containers", "initContainers", "volumes")},
        }

    trainer = example("pytorch")["spec"]["trainer"]
    assert [common(cloud) for cloud in ("aws", "gcp", "azure")] == [
        {
            "env": TORCHRUN,
            "run": (trainer["command"], trainer["args"]),
            "nodeSelector": {"gpucluster/pool": "training"},
            "tolerations": [*GPU_TAINT, *SILENT_NODE],
            "restartPolicy": "Never",
            "terminationGracePeriodSeconds": 120,
            "subdomain": "pytorch",
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
        }
    ] * 3


def test_what_takes_a_pod_away_ends_its_job_for_a_reason_of_its_own(expand: Expand, example: Example) -> None:
    taken_away = [{"type": kind, "status": "True"} for kind in ("DisruptionTarget", "TerminatedByKueue")]
    policy = {"rules": [{"action": "FailJob", "onPodConditions": taken_away}]}

    for name in ("pytorch", "nccl-all-reduce"):
        jobs = expand("aws", example(name))["jobs"]
        assert [job["spec"]["podFailurePolicy"] for job in jobs] == [policy] * len(jobs)


def test_h200_over_roce_has_eight_rdma_networks_and_no_daemon(expand: Expand, example: Example) -> None:
    pod = pod_of(expand("gcp", example("pytorch"), accelerator="h200")["jobs"][0])
    assert pod["before"] == [("fabric-ready", f"{GOOGLE}/gpudirect-gib/nccl-plugin-gib:v1.1.1", [NODE_LIBRARIES], None)]
    assert pod["annotations"]["networking.gke.io/interfaces"] == [
        {"interfaceName": "eth0", "network": "default"},
        *({"interfaceName": f"eth{card + 2}", "network": f"rdma-{card}"} for card in range(8)),
    ]
    assert pod["env"] == {
        "LD_LIBRARY_PATH": "/usr/local/gib/lib64:/usr/local/nvidia/lib64",
        "NCCL_NET": "gIB",
        "NCCL_CROSS_NIC": "0",
        "NCCL_NET_GDR_LEVEL": "PIX",
        "NCCL_P2P_NET_CHUNKSIZE": "131072",
        "NCCL_NVLS_CHUNKSIZE": "524288",
        "NCCL_IB_ADAPTIVE_ROUTING": "1",
        "NCCL_IB_QPS_PER_CONNECTION": "4",
        "NCCL_IB_TC": "52",
        "NCCL_IB_FIFO_TC": "84",
        "NCCL_TUNER_CONFIG_PATH": "/usr/local/gib/configs/tuner_config_a3u.txtpb",
    }
    assert pod["volumes"][3:] == [
        folder("libraries", "/home/kubernetes/bin/nvidia/lib64"),
        folder("gib", "/home/kubernetes/bin/gib"),
    ]


def test_a3_high_has_four_networks_and_the_daemon_of_tcpx_on_a_shared_folder(
    expand: Expand, example: Example, trial_training: dict[str, Any]
) -> None:
    [job] = expand("gcp", example("pytorch"), training={**trial_training, "fabric_gbps": 800})["jobs"]
    pod = pod_of(job)
    assert pod["annotations"]["networking.gke.io/interfaces"] == [
        {"interfaceName": "eth0", "network": "default"},
        *({"interfaceName": f"eth{card}", "network": f"vpc{card}"} for card in range(1, 5)),
    ]
    assert pod["before"] == [
        ("fabric-ready", f"{GOOGLE}/gpudirect-tcpx/nccl-plugin-gpudirecttcpx-dev:v3.1.12", [NODE_LIBRARIES], None),
        (
            "tcpx-daemon",
            "us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpx/tcpgpudmarxd-dev:v2.0.15",
            [
                NODE_LIBRARIES,
                {"name": "sys", "mountPath": "/hostsysfs"},
                {"name": "proc-sys", "mountPath": "/hostprocsysfs"},
                {"name": "tcpx-sockets", "mountPath": "/run/tcpx"},
            ],
            ["NET_ADMIN"],
        ),
    ]
    assert pod["mounts"][-1] == {"name": "tcpx-sockets", "mountPath": "/run/tcpx"}
    assert (pod["capabilities"], pod["env"]["NCCL_GPUDIRECTTCPX_UNIX_CLIENT_PREFIX"]) == (["IPC_LOCK"], "/run/tcpx")
    assert pod["env"]["NCCL_NET"] == "GPUDirectTCPX_v7"
    _, daemon = job["spec"]["template"]["spec"]["initContainers"]
    assert (daemon["restartPolicy"], daemon["command"][-2:]) == (
        "Always",
        ["--setup_param", '\\"--verbose 128 2 0 \\"'],
    )


MEGA_PLUGIN = f"{GOOGLE}/gpudirect-tcpxo/nccl-plugin-gpudirecttcpx-dev:v1.0.16"
HIGH_PLUGIN = f"{GOOGLE}/gpudirect-tcpx/nccl-plugin-gpudirecttcpx-dev:v3.1.12"
ULTRA_TESTS = f"{GOOGLE}/gpudirect-gib/nccl-plugin-gib-diagnostic:v1.1.1"


@pytest.mark.parametrize(
    ("cloud", "image", "devices"),
    [
        ("aws", LIBRARIES, {"nvidia.com/gpu": "8", "vpc.amazonaws.com/efa": "32", "hugepages-2Mi": "5Gi"}),
        ("gcp", MEGA_PLUGIN, {"nvidia.com/gpu": "8"}),
        ("azure", LIBRARIES, {"nvidia.com/gpu": "8", "rdma/ib": "8"}),
    ],
)
def test_an_mpi_job_has_the_fabric_on_its_launcher_and_on_every_other_node(
    expand: Expand, example: Example, cloud: str, image: str, devices: dict[str, str]
) -> None:
    launcher, node = expand(cloud, example("nccl-all-reduce"))["jobs"]
    assert [job["metadata"]["name"] for job in (launcher, node)] == [
        "nccl-all-reduce-launcher-0",
        "nccl-all-reduce-node-0",
    ]
    for job in (launcher, node):
        spec = job["spec"]["template"]["spec"]
        [container] = spec["containers"]
        assert (job["spec"]["parallelism"], container["image"], container["resources"]["limits"]) == (1, image, devices)
        assert [item["name"] for item in spec["initContainers"]][-1] == "ssh-keys"
    trainer = example("nccl-all-reduce")["spec"]["trainer"]
    [started], [serving] = (job["spec"]["template"]["spec"]["containers"] for job in (launcher, node))
    assert (started["command"], started["args"]) == (trainer["command"], trainer["args"])
    assert serving["args"][0].startswith("mkdir -p /run/sshd && ssh-keygen -A && exec /usr/sbin/sshd -De -p 2222 ")
    env = {item["name"]: item.get("value", "") for item in started["env"]}
    assert {name: env[name] for name in env if name.startswith("OMPI_MCA_orte")} == {
        "OMPI_MCA_orte_default_hostfile": "/etc/mpi/hostfile",
        "OMPI_MCA_orte_keep_fqdn_hostnames": "true",
        "OMPI_MCA_orte_set_default_slots": "8",
    }


# The tests of Google's images, where every other image of this runtime has them. Source: container-engine-accelerators,
# gpudirect-tcpx/nccl-config.yaml, gpudirect-rdma/nccl-test.yaml and nccl-test-a4x-max-jobset.yaml;
# google/nccl-plugin-gpudirect-tcpxo v1.0.16, tcpxo.dockerfile.
@pytest.mark.parametrize(
    ("changes", "image", "folder"),
    [
        ({}, MEGA_PLUGIN, "/third_party/nccl-tests-mpi/build"),
        ({"training": {"nodes": 4, "fabric_gbps": 800}}, HIGH_PLUGIN, "/third_party/nccl-tests-mpi/build"),
        ({"accelerator": "h200"}, ULTRA_TESTS, "/third_party/nccl-tests/build"),
    ],
)
def test_nccls_tests_on_google_cloud_are_those_of_googles_own_image(
    expand: Expand, example: Example, changes: dict[str, Any], image: str, folder: str
) -> None:
    jobs = expand("gcp", example("nccl-all-reduce"), **changes)["jobs"]
    for job in jobs:
        spec = job["spec"]["template"]["spec"]
        [container] = spec["containers"]
        [copied] = [item for item in spec["initContainers"] if item["name"] == "nccl-tests"]
        mount = {"name": "nccl-tests", "mountPath": "/opt/nccl-tests/build"}
        assert (copied["image"], copied["args"], copied["volumeMounts"]) == (
            image,
            [f"cp {folder}/*_perf /opt/nccl-tests/build"],
            [mount],
        )
        assert container["image"] == image
        assert mount in container["volumeMounts"]
        assert {"name": "nccl-tests", "emptyDir": {}} in spec["volumes"]
        env = {item["name"]: item.get("value") for item in container["env"]}
        assert (env["OMPI_MCA_btl"], env["OMPI_MCA_pml"]) == ("tcp,self", "^ucx")


@pytest.mark.parametrize(
    ("cloud", "gbps", "image"),
    [
        ("aws", 3200, "nvcr.io/nvidia/pytorch:25.03-py3"),
        ("azure", 3200, "nvcr.io/nvidia/pytorch:25.03-py3"),
        ("gcp", 1600, "nvcr.io/nvidia/pytorch:25.06-py3"),
        ("gcp", 800, "nvcr.io/nvidia/pytorch:24.10-py3"),
    ],
)
def test_a_job_without_an_image_starts_from_one_that_loads_its_fabric(
    expand: Expand, example: Example, trial_training: dict[str, Any], cloud: str, gbps: int, image: str
) -> None:
    [job] = expand(cloud, example("pytorch"), training={**trial_training, "fabric_gbps": gbps})["jobs"]
    assert [item["image"] for item in job["spec"]["template"]["spec"]["containers"]] == [image]


@pytest.mark.parametrize(
    ("cloud", "gbps", "user"), [("azure", 3200, 0), ("gcp", 800, 0), ("gcp", 1600, None), ("aws", 3200, None)]
)
def test_a_container_that_locks_memory_by_a_capability_runs_as_root(
    expand: Expand, example: Example, trial_training: dict[str, Any], cloud: str, gbps: int, user: int | None
) -> None:
    """Kubernetes gives capabilities to root alone (kubernetes issue 56374): another user could lock 64 KiB."""
    for name in ("pytorch", "nccl-all-reduce"):
        for job in expand(cloud, example(name), training={**trial_training, "fabric_gbps": gbps})["jobs"]:
            [container] = job["spec"]["template"]["spec"]["containers"]
            assert container["securityContext"].get("runAsUser") == user


@pytest.fixture
def waiting(expand: Expand, example: Example, tmp_path: Path) -> Callable[..., tuple[int, str]]:
    """Runs what a pod of A3 Mega does first, on a node with these files; sleep takes no time."""

    def run(*, release: str | None, devices: int, driver: str = "580.159.04") -> tuple[int, str]:
        [job] = expand("gcp", example("pytorch"))["jobs"]
        ready = job["spec"]["template"]["spec"]["initContainers"][0]
        library, apertures = tmp_path / "lib64", tmp_path / "aperture_devices"
        for folder in (library, *(apertures / f"card-{card}" for card in range(devices))):
            folder.mkdir(parents=True)
        apertures.mkdir(exist_ok=True)
        if release is not None:
            (library / "fabric-release").write_text(f"{release}\n")
        script = ready["args"][0].replace("/usr/local/nvidia/lib64", str(library))
        script = script.replace("/dev/aperture_devices", str(apertures)).replace("sleep 5", ":")
        (tmp_path / "version").write_text(f"NVRM version: NVIDIA UNIX x86_64 Kernel Module  {driver}  Tue Sep 23\n")
        script = script.replace("/proc/driver/nvidia/version", str(tmp_path / "version"))
        done = subprocess.run([*ready["command"], script], capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    return run


@pytest.mark.parametrize(
    ("driver", "fits"),
    [("580.65.06", True), ("580.65", False), ("580.9", False), ("570.211.01", False), ("581.1", False)],
)
def test_a_job_starts_where_the_installer_has_put_its_release_and_reports_another_driver(
    waiting: Callable[..., tuple[int, str]], driver: str, fits: bool
) -> None:
    text = (
        "fabric: plugin v1.0.16 is for GPU drivers from 580.65.06 below 581, and this node has {}: "
        "see docs/run/jobs.md\n"
    )
    assert waiting(release="v1.0.16", devices=8, driver=driver) == (0, "" if fits else text.format(driver))


@pytest.mark.parametrize(
    ("release", "devices", "found"), [(None, 8, "none"), ("v1.0.15", 8, "v1.0.15"), ("v1.0.16", 7, "v1.0.16")]
)
def test_a_job_ends_where_the_node_never_has_it_and_says_what_it_found(
    waiting: Callable[..., tuple[int, str]], release: str | None, devices: int, found: str
) -> None:
    said = f"fabric: after 900 s plugin v1.0.16 is not ready on this node (found: {found})\n"
    assert waiting(release=release, devices=devices) == (1, said)


@pytest.mark.parametrize(("cloud", "resource"), [("aws", "vpc.amazonaws.com/efa"), ("azure", "rdma/ib"), ("gcp", None)])
def test_no_pod_over_the_fabric_comes_to_a_node_before_it_has_it(
    expand: Expand, example: Example, cloud: str, resource: str | None
) -> None:
    """By a resource that a node has once its driver runs, or by a container that waits for the node's files."""
    for name in ("pytorch", "nccl-all-reduce"):
        for job in expand(cloud, example(name))["jobs"]:
            spec = job["spec"]["template"]["spec"]
            limits = spec["containers"][0]["resources"]["limits"]
            waits = [item["name"] for item in spec.get("initContainers", [])][:1] == ["fabric-ready"]
            assert (resource in limits, waits) == (resource is not None, resource is None)


@pytest.mark.parametrize(("cloud", "net"), [("aws", "Libfabric"), ("azure", "IB"), ("gcp", "FasTrak")])
def test_nccl_ends_a_job_that_does_not_find_the_fabric(expand: Expand, example: Example, cloud: str, net: str) -> None:
    for name in ("pytorch", "nccl-all-reduce"):
        for job in expand(cloud, example(name))["jobs"]:
            [container] = job["spec"]["template"]["spec"]["containers"]
            assert [item.get("value") for item in container["env"] if item["name"] == "NCCL_NET"] == [net]


@pytest.mark.parametrize(
    ("accelerator", "gpus", "file"), [("a100-40gb", 400, "p4d-24xl-topo.xml"), ("a100-80gb", 400, "p4de-24xl-topo.xml")]
)
def test_a100_machines_of_aws_get_nccls_description_of_the_machine_with_the_plugin(
    expand: Expand, example: Example, trial_training: dict[str, Any], accelerator: str, gpus: int, file: str
) -> None:
    training = {**trial_training, "fabric_gbps": gpus}
    [job] = expand("aws", example("pytorch"), accelerator=accelerator, training=training)["jobs"]
    spec = job["spec"]["template"]["spec"]
    env = {item["name"]: item.get("value") for item in spec["containers"][0]["env"]}
    assert env["NCCL_TOPO_FILE"] == f"/opt/fabric/{file}"
    script = spec["initContainers"][0]["args"][0]
    assert f"find /opt -name {file}" in script
    assert script.rstrip().endswith(f"  /opt/fabric/{file}' | sha256sum -c -")


@pytest.mark.parametrize(
    ("cloud", "level"),
    [("aws", "topology.k8s.aws/network-node-layer-3"), ("gcp", "cloud.google.com/gce-topology-subblock")],
)
def test_the_nodes_of_an_mpi_job_get_one_place_together_in_their_order(
    expand: Expand, example: Example, cloud: str, level: str
) -> None:
    """Kueue counts the pods of such a group from 1, JobSet from 0."""
    launcher, node = [
        {key: value for key, value in annotations.items() if key.startswith("kueue.x-k8s.io/")}
        for job in expand(cloud, example("nccl-all-reduce"))["jobs"]
        for annotations in [job["spec"]["template"]["metadata"]["annotations"]]
    ]
    assert launcher == {
        **LET_GO,
        "kueue.x-k8s.io/podset-preferred-topology": level,
        "kueue.x-k8s.io/podset-group-name": "mpi",
    }
    assert node == {**launcher, "kueue.x-k8s.io/pod-index-offset": "-1"}


def test_where_no_label_tells_of_a_place_no_job_asks_for_one(expand: Expand, example: Example) -> None:
    jobs = expand("azure", example("nccl-all-reduce"))["jobs"]
    asked = [key for job in jobs for key in job["spec"]["template"]["metadata"]["annotations"]]
    assert {key for key in asked if key.startswith("kueue.x-k8s.io/")} == {*LET_GO}


TWO_POOLS = {"dev": {"max_gpus": 2}, "fine-tuning": {"max_gpus": 4, "purchase": ["spot"]}}


@pytest.mark.parametrize("cloud", ["aws", "gcp", "azure"])
def test_one_gpu_is_asked_of_an_elastic_pool_and_nobody_moves_its_job(
    expand: Expand, example: Example, cloud: str
) -> None:
    template = expand(cloud, example("single-gpu"), elastic={"pools": {"dev": {"max_gpus": 2}}})["jobs"][0]["spec"][
        "template"
    ]
    [container] = template["spec"]["containers"]
    assert container["resources"]["limits"] == {"nvidia.com/gpu": "1"}
    assert (template["spec"]["nodeSelector"], "affinity" in template["spec"]) == ({"gpucluster/pool": "dev"}, False)
    # Google Cloud sells one of these as Spot alone: whoever forbids Karpenter to drain it gets no notice of its end.
    kept = None if cloud == "gcp" else "true"
    assert template["metadata"]["annotations"].get("karpenter.sh/do-not-disrupt") == kept
    assert [item["name"] for item in template["spec"]["volumes"]] == ["shm", "scratch", "shared"]


SPOT = {"key": "kubernetes.azure.com/scalesetpriority", "operator": "Equal", "value": "spot", "effect": "NoSchedule"}


@pytest.mark.parametrize(
    ("cloud", "engine", "tolerated", "selected"),
    [
        ("aws", "karpenter", [], {}),
        ("gcp", "karpenter", [], {}),
        (
            "gcp",
            "native",
            [
                {"key": "cloud.google.com/compute-class", "operator": "Equal", "value": pool, "effect": "NoSchedule"}
                for pool in TWO_POOLS
            ],
            {"cloud.google.com/compute-class": "fine-tuning"},
        ),
        ("azure", "karpenter", [SPOT], {}),
        ("azure", "native", [SPOT], {}),
    ],
)
def test_of_several_elastic_pools_a_queue_chooses_one_and_without_it_no_other_pool_is_taken(
    expand: Expand,
    example: Example,
    pools: Pools,
    cloud: str,
    engine: str,
    tolerated: list[dict[str, str]],
    selected: dict[str, str],
) -> None:
    """Kueue puts its flavor's labels into a job: kubernetes-sigs/kueue v0.19.2, pkg/podset and trainjob."""
    elastic = {"engine": engine, "pools": TWO_POOLS}
    job = example("single-gpu")
    [alone] = expand(cloud, job, elastic=elastic)["jobs"]
    [flavor] = [pool for pool in pools(cloud, elastic=elastic) if pool.name == "fine-tuning"]
    labels = {"gpucluster/pool": flavor.name, **flavor.selector}
    job["spec"]["runtimePatches"] = [by_kueue({"spec": {"nodeSelector": labels}})]
    [queued] = expand(cloud, job, elastic=elastic)["jobs"]
    terms = [{"matchExpressions": [{"key": "gpucluster/pool", "operator": "In", "values": ["dev", "fine-tuning"]}]}]
    required = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
    for made, selector in ((alone, None), (queued, {"gpucluster/pool": "fine-tuning", **selected})):
        pod = made["spec"]["template"]["spec"]
        assert (pod["affinity"], pod.get("nodeSelector"), pod["tolerations"]) == (
            required,
            selector,
            [*GPU_TAINT, *tolerated, *SILENT_NODE],
        )


def test_slices_of_several_sizes_are_asked_for_by_name(expand: Expand, example: Example) -> None:
    job = example("pytorch")
    job["spec"] |= {"runtimeRef": {"name": "mig"}, "trainer": {"command": ["python", "serve.py"]}}
    mig = {"nodes": 1, "layout": "all-balanced", "purchase": "on-demand"}
    [container] = expand("azure", job, mig=mig)["jobs"][0]["spec"]["template"]["spec"]["containers"]
    # One of the 16 of this size on 4 machines of two GPUs: 4 a machine, with a sixteenth of its slices' share.
    assert container["resources"]["limits"] == {"nvidia.com/mig-1g.12gb": "1"}
    another = {"requests": {"cpu": "30", "memory": "240Gi"}, "limits": {"nvidia.com/mig-3g.47gb": "1"}}
    job["spec"]["trainer"]["resourcesPerNode"] = another
    [container] = expand("azure", job, mig=mig)["jobs"][0]["spec"]["template"]["spec"]["containers"]
    assert container["resources"] == another


def test_what_kueue_writes_into_a_job_leaves_its_fabric_as_it_is(expand: Expand, example: Example) -> None:
    """Kueue tells Trainer where pods go by a patch: kubernetes-sigs/kueue v0.19.2, pkg/controller/jobs/trainjob."""
    job = example("pytorch")
    job["spec"]["runtimePatches"] = [
        by_kueue(
            {
                "metadata": {"labels": {"kueue.x-k8s.io/podset": "node"}},
                "spec": {
                    "nodeSelector": {"gpucluster/pool": "training"},
                    "schedulingGates": [{"name": "kueue.x-k8s.io/topology"}],
                },
            }
        )
    ]
    [made] = expand("aws", job)["jobs"]
    assert pod_of(made) == AWS
    assert made["spec"]["template"]["spec"]["tolerations"] == [*GPU_TAINT, *SILENT_NODE]
    assert made["spec"]["template"]["spec"]["schedulingGates"] == [{"name": "kueue.x-k8s.io/topology"}]


@pytest.mark.parametrize(
    "own", [{"requests": {"cpu": "4"}, "limits": {"nvidia.com/gpu": "2"}}, {"requests": {"cpu": "4"}}]
)
def test_a_jobs_own_resources_replace_its_runtimes(expand: Expand, example: Example, own: dict[str, Any]) -> None:
    """So the rules refuse those without a GPU."""
    job = example("single-gpu")
    job["spec"]["trainer"]["resourcesPerNode"] = own
    [container] = expand("aws", job)["jobs"][0]["spec"]["template"]["spec"]["containers"]
    assert container["resources"] == own
