"""Requirements of a pod for the GPU fabric of Google Cloud: an interface in each device network, the plugin on its
node, NCCL's settings for it, and the receive daemon, if any. Imports no Pulumi.

The sources of everything here are the release notes and test pods of GoogleCloudPlatform/container-engine-accelerators:
gpudirect-tcpx/README.md (2026-06-22) and nccl-test-latest.yaml; gpudirect-tcpxo/README.md (2026-01-09),
nccl-test-latest.yaml and best-practice.md; gpudirect-rdma/nccl-test.yaml.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from gpucluster.components.gcp.fabric.fabric import MARKER, Fabric
from gpucluster.components.kubernetes.jobs.job_pool import FabricPod
from gpucluster.components.planning.names import NCCL_TESTS
from gpucluster.core.catalog.fabrics import FabricRelease
from gpucluster.core.catalog.machines import machines

TOPOLOGY_LABELS: Final = tuple(f"cloud.google.com/gce-topology-{level}" for level in ("block", "subblock", "host"))
"""Labels of co-located nodes, the widest level first.

Source: GoogleCloudPlatform/cluster-toolkit v1.95.0, examples/gke-a3-megagpu/kueue-configuration.yaml.tftpl.
"""

_LIBRARIES: Final = "/usr/local/nvidia/lib64"
_GIB: Final = "/usr/local/gib"
# NCCL of the image with Google's tests, outside of the loader's cache: the installer for RoCE brings none.
# Sources: GoogleCloudPlatform/container-engine-accelerators 2da1c92 (Removed --install-nccl); Google Cloud Community,
# "Part I: Exploring DRANET on GKE with B200 GPUs and NCCL test" (the library path of its tests).
_GIB_IMAGE_NCCL: Final = "/third_party/nccl/build/lib"
_SOCKETS: Final = "/run/tcpx"
_APERTURES: Final = "/dev/aperture_devices"
_APERTURE_VOLUME: Final = "aperture-devices"
_TESTS: Final[Mapping[str, Any]] = {"name": "nccl-tests", "mountPath": NCCL_TESTS}

# Seconds: a new node pulls the plugin's image of several GB first.
_LIMIT: Final = 900
_WAIT: Final = """\
set -eu
waited=0
until [ "$(cat {marker} 2> /dev/null)" = {wanted} ]{devices}; do
  if [ "$waited" -ge {limit} ]; then
    found=$(cat {marker} 2> /dev/null || echo none)
    echo "fabric: after {limit} s plugin {wanted} is not ready on this node (found: $found)" >&2
    exit 1
  fi
  sleep 5
  waited=$((waited + 5))
done
"""
# Compares versions part by part: not every plugin's image has a sort that can. NCCL itself ends a job that the driver
# keeps from the fabric; this says why.
_DRIVER: Final = """\
at_least() {{
  have=$1. wanted=$2.
  while [ -n "$wanted" ]; do
    part=${{have%%.*}}
    [ "${{part:-0}}" -le "${{wanted%%.*}}" ] || return 0
    [ "${{part:-0}}" -ge "${{wanted%%.*}}" ] || return 1
    have=${{have#*.}} wanted=${{wanted#*.}}
  done
}}
driver=$(grep -o '[0-9][0-9]*[.][0-9][0-9.]*' /proc/driver/nvidia/version 2> /dev/null | head -n 1)
if [ -n "$driver" ] && ! {{ {fits}; }}; then
  echo "fabric: plugin {wanted} is for GPU drivers {range}, and this node has $driver: see docs/run/jobs.md" >&2
fi
"""

_TCPX: Final[Mapping[str, str]] = {
    "NCCL_SOCKET_IFNAME": "eth0",
    "NCCL_ALGO": "Ring,Tree",
    "NCCL_PROTO": "Simple",
    "NCCL_CROSS_NIC": "0",
    "NCCL_NET_GDR_LEVEL": "PIX",
    "NCCL_P2P_PXN_LEVEL": "0",
    "NCCL_GPUDIRECTTCPX_SOCKET_IFNAME": "eth1,eth2,eth3,eth4",
    "NCCL_GPUDIRECTTCPX_CTRL_DEV": "eth0",
    "NCCL_GPUDIRECTTCPX_UNIX_CLIENT_PREFIX": _SOCKETS,
    "NCCL_DYNAMIC_CHUNK_SIZE": "524288",
    "NCCL_P2P_NET_CHUNKSIZE": "524288",
    "NCCL_P2P_PCI_CHUNKSIZE": "524288",
    "NCCL_P2P_NVL_CHUNKSIZE": "1048576",
    "NCCL_BUFFSIZE": "4194304",
    "NCCL_NSOCKS_PERTHREAD": "4",
    "NCCL_SOCKET_NTHREADS": "1",
    "NCCL_GPUDIRECTTCPX_TX_BINDINGS": "eth1:8-21,112-125;eth2:8-21,112-125;eth3:60-73,164-177;eth4:60-73,164-177",
    "NCCL_GPUDIRECTTCPX_RX_BINDINGS": "eth1:22-35,126-139;eth2:22-35,126-139;eth3:74-87,178-191;eth4:74-87,178-191",
    "NCCL_GPUDIRECTTCPX_PROGRAM_FLOW_STEERING_WAIT_MICROS": "500000",
}
_TCPXO: Final[Mapping[str, str]] = {
    "CUDA_VISIBLE_DEVICES": "0,1,2,3,4,5,6,7",
    "NCCL_FASTRAK_CTRL_DEV": "eth0",
    "NCCL_FASTRAK_IFNAME": "eth1,eth2,eth3,eth4,eth5,eth6,eth7,eth8",
    "NCCL_FASTRAK_LLCM_DEVICE_DIRECTORY": _APERTURES,
    "NCCL_SOCKET_IFNAME": "eth0",
    "NCCL_CROSS_NIC": "0",
    "NCCL_PROTO": "Simple,LL128",
    "NCCL_MIN_NCHANNELS": "4",
    "NCCL_TUNER_PLUGIN": "libnccl-tuner.so",
    "NCCL_TUNER_CONFIG_PATH": f"{_LIBRARIES}/a3plus_tuner_config.textproto",
    "NCCL_SHIMNET_GUEST_CONFIG_CHECKER_CONFIG_FILE": f"{_LIBRARIES}/a3plus_guest_config.textproto",
    "NCCL_NVLSTREE_MAX_CHUNKSIZE": "131072",
    "NCCL_P2P_NET_CHUNKSIZE": "524288",
    "NCCL_P2P_PCI_CHUNKSIZE": "524288",
    "NCCL_P2P_NVL_CHUNKSIZE": "1048576",
    "NCCL_FASTRAK_NUM_FLOWS": "2",
    "NCCL_FASTRAK_USE_SNAP": "1",
    "NCCL_FASTRAK_PLUGIN_ACCEPT_TIMEOUT_MS": "600000",
    "NCCL_FASTRAK_ENABLE_CONTROL_CHANNEL": "0",
    "NCCL_BUFFSIZE": "8388608",
    "NCCL_NET_GDR_LEVEL": "PIX",
    "NCCL_FASTRAK_ENABLE_HOTPATH_LOGGING": "0",
    "NCCL_FASTRAK_USE_LLCM": "1",
    "NCCL_NVLS_ENABLE": "1",
}
# Variables that Google's script set_nccl_env.sh sets on A3 Ultra. Source: Ray's documentation of its serving on A3
# Ultra, which lists them; the script itself is part of the plugin.
_ROCE: Final[Mapping[str, str]] = {
    "NCCL_CROSS_NIC": "0",
    "NCCL_NET_GDR_LEVEL": "PIX",
    "NCCL_P2P_NET_CHUNKSIZE": "131072",
    "NCCL_NVLS_CHUNKSIZE": "524288",
    "NCCL_IB_ADAPTIVE_ROUTING": "1",
    "NCCL_IB_QPS_PER_CONNECTION": "4",
    "NCCL_IB_TC": "52",
    "NCCL_IB_FIFO_TC": "84",
    "NCCL_TUNER_CONFIG_PATH": f"{_GIB}/configs/tuner_config_a3u.txtpb",
}
_SETTINGS: Final = {"TCPX": _TCPX, "TCPXO": _TCPXO, "RoCE": _ROCE}

# Devices of the node that the daemon uses; TCPXO's daemon needs one more to map GPU memory.
_GPUS: Final = (*(f"/dev/nvidia{index}" for index in range(8)), "/dev/nvidiactl", "/dev/nvidia-uvm")
_DEVICES: Final = {"TCPX": _GPUS, "TCPXO": (*_GPUS, "/dev/dmabuf_import_helper")}

_LIBRARY_VOLUME: Final = {"name": "libraries", "hostPath": {"path": "/home/kubernetes/bin/nvidia/lib64"}}
# Read only: otherwise a job could change the libraries of the next job on this node.
_LIBRARY_MOUNT: Final = {"name": "libraries", "mountPath": _LIBRARIES, "readOnly": True}
_HOST_MOUNTS: Final = (
    _LIBRARY_MOUNT,
    {"name": "sys", "mountPath": "/hostsysfs"},
    {"name": "proc-sys", "mountPath": "/hostprocsysfs"},
)
_FIND_LIBRARIES: Final = {"name": "LD_LIBRARY_PATH", "value": _LIBRARIES}

_TCPX_DAEMON: Final[Mapping[str, Any]] = {
    "command": [
        "/tcpgpudmarxd/build/app/tcpgpudmarxd",
        *("--gpu_nic_preset", "a3vm"),
        *("--gpu_shmem_type", "fd"),
        *("--uds_path", _SOCKETS),
        # Google's own text has these backslashes and quotes.
        *("--setup_param", '\\"--verbose 128 2 0 \\"'),
    ],
    "env": [_FIND_LIBRARIES],
    "volumeMounts": [*_HOST_MOUNTS, {"name": "tcpx-sockets", "mountPath": _SOCKETS}],
    "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"add": ["NET_ADMIN"]}},
}

_HEALTH: Final = "/run/health-check"
_TCPXO_DAEMON: Final[Mapping[str, Any]] = {
    "command": ["/bin/sh", "-c"],
    "args": [
        "set -ex\nchmod 755 /fts/entrypoint_rxdm_container.sh\nexec /fts/entrypoint_rxdm_container.sh --num_hops=2\n"
    ],
    "env": [_FIND_LIBRARIES, {"name": "HEALTH_CHECK_LOG_FILE", "value": _HEALTH}],
    "volumeMounts": list(_HOST_MOUNTS),
    "securityContext": {
        "allowPrivilegeEscalation": False,
        "capabilities": {"add": ["NET_ADMIN", "NET_BIND_SERVICE"]},
    },
    # It writes the file after its start, in about 30 seconds; on a broken node it never does.
    "startupProbe": {
        "exec": {"command": ["cat", _HEALTH]},
        "initialDelaySeconds": 1,
        "periodSeconds": 5,
        "failureThreshold": 24,
    },
}


def fabric_pod(fabric: Fabric) -> FabricPod:
    """For PyTorch: the node's NCCL takes precedence over the image's."""
    return FabricPod(
        env={
            **_SETTINGS[fabric.kind],
            "NCCL_NET": fabric.release.nccl_net,
            "LD_LIBRARY_PATH": _library_path(fabric),
        },
        capabilities=["IPC_LOCK"] if fabric.kind == "TCPX" else (),
        annotations=_annotations(fabric),
        before=[_ready(fabric), *_daemon(fabric)],
        volumes=_volumes(fabric),
        mounts=_mounts(fabric),
    )


def mpi_fabric_pod(fabric: Fabric) -> FabricPod:
    """For Open MPI, which itself would use every interface, in Google's image with NCCL's tests."""
    pod = fabric_pod(fabric)
    interfaces = ",".join(["lo", *(name for name in _interfaces(fabric) if name != "eth0")])
    found = [_library_path(fabric), *([_GIB_IMAGE_NCCL] if fabric.kind == "RoCE" else [])]
    return FabricPod(
        env={
            **pod.env,
            "LD_LIBRARY_PATH": ":".join(found),
            # Google's image lets Open MPI choose.
            "OMPI_MCA_btl": "tcp,self",
            "OMPI_MCA_pml": "^ucx",
            "OMPI_MCA_btl_tcp_if_exclude": interfaces,
        },
        capabilities=pod.capabilities,
        annotations=pod.annotations,
        before=[*pod.before, _copy_tests(fabric)],
        volumes=[*pod.volumes, {"name": _TESTS["name"], "emptyDir": {}}],
        mounts=[*pod.mounts, _TESTS],
    )


def _ready(fabric: Fabric) -> dict[str, Any]:
    """Waits until the node has the release: a job may start on a new node before the installer. Reports a driver that
    the release is not for. Runs in the plugin's image, which the node pulls anyway.
    """
    folder, version = fabric.release.waits_for, fabric.release.plugin_version
    cards = machines()[fabric.machine_type].network_cards
    devices = f' && [ "$(ls {folder} | wc -l)" -eq {cards} ]' if folder else ""
    waiting = _WAIT.format(marker=f"{_LIBRARIES}/{MARKER}", wanted=version, devices=devices, limit=_LIMIT)
    # Mounts that the installer makes while this container waits must be visible in it.
    seen = [{"name": _APERTURE_VOLUME, "mountPath": folder, "readOnly": True, "mountPropagation": "HostToContainer"}]
    return {
        "name": "fabric-ready",
        "image": fabric.release.plugin,
        "command": ["/bin/sh", "-c"],
        "args": [waiting + _about_driver(fabric.release)],
        "volumeMounts": [_LIBRARY_MOUNT, *(seen if folder else [])],
        "securityContext": {"allowPrivilegeEscalation": False},
    }


def _about_driver(release: FabricRelease) -> str:
    """Reports a driver that the release is not for; nothing if it names none."""
    fits = [
        *([f'at_least "$driver" {release.driver_from}'] if release.driver_from else []),
        *([f'! at_least "$driver" {release.driver_below}'] if release.driver_below else []),
    ]
    if not fits:
        return ""
    return _DRIVER.format(fits=" && ".join(fits), wanted=release.plugin_version, range=release.drivers)


def _copy_tests(fabric: Fabric) -> dict[str, Any]:
    """Copies NCCL's tests to their common path in every MPI runtime."""
    return {
        "name": _TESTS["name"],
        "image": fabric.release.mpi,
        "command": ["/bin/sh", "-c"],
        "args": [f"cp {fabric.release.tests}/*_perf {NCCL_TESTS}"],
        "volumeMounts": [_TESTS],
        "securityContext": {"allowPrivilegeEscalation": False},
    }


def _library_path(fabric: Fabric) -> str:
    return f"{_GIB}/lib64:{_LIBRARIES}" if fabric.kind == "RoCE" else _LIBRARIES


def _interfaces(fabric: Fabric) -> dict[str, str]:
    """Interface of the pod -> its network. RoCE's second host network belongs only to the node, as eth1."""
    devices = [network.name for network in fabric.networks if network.device_mode == "RDMA" or fabric.release.daemon]
    first = 2 if fabric.kind == "RoCE" else 1
    return {"eth0": "default", **{f"eth{first + index}": name for index, name in enumerate(devices)}}


def _annotations(fabric: Fabric) -> dict[str, str]:
    interfaces = [{"interfaceName": name, "network": network} for name, network in _interfaces(fabric).items()]
    annotations = {
        "networking.gke.io/default-interface": "eth0",
        "networking.gke.io/interfaces": json.dumps(interfaces),
    }
    if fabric.release.daemon:
        # YAML, as the device injector reads it.
        annotations[f"devices.gke.io/container.{_daemon_name(fabric)}"] = "".join(
            f"- path: {device}\n" for device in _DEVICES[fabric.kind]
        )
    return annotations


def _daemon_name(fabric: Fabric) -> str:
    return f"{fabric.kind.lower()}-daemon"


def _daemon(fabric: Fabric) -> list[dict[str, Any]]:
    """RxDM, which starts before the job's container and ends after it."""
    if not fabric.release.daemon:
        return []
    return [
        {
            "name": _daemon_name(fabric),
            "image": fabric.release.daemon,
            "restartPolicy": "Always",
            **(_TCPX_DAEMON if fabric.kind == "TCPX" else _TCPXO_DAEMON),
        }
    ]


def _volumes(fabric: Fabric) -> list[dict[str, Any]]:
    volumes: list[dict[str, Any]] = [_LIBRARY_VOLUME]
    if fabric.release.daemon:
        volumes += [
            {"name": "sys", "hostPath": {"path": "/sys"}},
            {"name": "proc-sys", "hostPath": {"path": "/proc/sys"}},
        ]
    match fabric.kind:
        case "TCPX":
            volumes.append({"name": "tcpx-sockets", "emptyDir": {}})
        case "TCPXO":
            volumes.append({"name": _APERTURE_VOLUME, "hostPath": {"path": _APERTURES}})
        case "RoCE":
            volumes.append({"name": "gib", "hostPath": {"path": "/home/kubernetes/bin/gib"}})
    return volumes


def _mounts(fabric: Fabric) -> list[dict[str, Any]]:
    match fabric.kind:
        case "TCPX":
            return [_LIBRARY_MOUNT, {"name": "tcpx-sockets", "mountPath": _SOCKETS}]
        case "TCPXO":
            return [_LIBRARY_MOUNT, {"name": _APERTURE_VOLUME, "mountPath": _APERTURES}]
        case "RoCE":
            return [_LIBRARY_MOUNT, {"name": "gib", "mountPath": _GIB, "readOnly": True}]
