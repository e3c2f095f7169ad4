"""What a GPU node runs before it joins."""

from __future__ import annotations

import base64
import configparser
import os
import subprocess
from email import message_from_bytes, message_from_string
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpucluster.components.aws.pools.user_data import (
    GPU_NODE_SETUP,
    gpu_user_data,
    karpenter_user_data,
    lustre_fabric_setup,
)

# Open files as in nodeadm's own list, which this one replaces: awslabs/amazon-eks-ami v20260714,
# nodeadm/internal/containerd/base-runtime-spec.json. Locked memory: 8 PiB.
LIMITS: dict[str, Any] = {
    "baseRuntimeSpec": {
        "process": {
            "rlimits": [
                {"type": "RLIMIT_NOFILE", "soft": 65536, "hard": 1048576},
                {"type": "RLIMIT_MEMLOCK", "soft": 9007199254740992, "hard": 9007199254740992},
            ]
        }
    }
}


def _parts(*slices: str) -> list[Any]:
    message: Any = message_from_bytes(base64.b64decode(gpu_user_data(slices)))
    return message.get_payload()


def test_user_data_is_a_mime_message_of_node_configuration_and_script() -> None:
    parts = _parts()
    assert [part.get_content_type() for part in parts] == ["application/node.eks.aws", "text/x-shellscript"]
    assert yaml.safe_load(parts[0].get_payload()) == {
        "apiVersion": "node.eks.aws/v1alpha1",
        "kind": "NodeConfig",
        "spec": {"containerd": LIMITS, "instance": {"localStorage": {"strategy": "RAID0"}}},
    }
    assert parts[1].get_payload().strip() == GPU_NODE_SETUP.strip()


def test_karpenter_gets_the_same_without_the_raid_which_it_adds_itself() -> None:
    message: Any = message_from_string(karpenter_user_data())
    config, script = message.get_payload()
    assert [part.get_content_type() for part in (config, script)] == ["application/node.eks.aws", "text/x-shellscript"]
    assert yaml.safe_load(config.get_payload())["spec"] == {"containerd": LIMITS}
    assert script.get_payload().strip() == GPU_NODE_SETUP.strip()
    # By this it knows a message from a script: karpenter-provider-aws v1.14.1, bootstrap/nodeadm.go.
    assert karpenter_user_data().startswith("MIME-Version:")


def test_the_limit_of_locked_memory_is_a_number_that_nodeadm_does_not_round() -> None:
    """It reads numbers as floating point and writes them out again; runc takes less than 2^64."""
    for limit in LIMITS["baseRuntimeSpec"]["process"]["rlimits"]:
        for bound in ("soft", "hard"):
            assert int(float(limit[bound])) == limit[bound] < 2**64
    assert int(float(2**64 - 1)) == 2**64


def test_user_data_fits_the_limit_of_16_kib() -> None:
    assert len(base64.b64decode(gpu_user_data())) < 16 * 1024


def run_setup(root: Path, *, raid: bool = True, module: bool = True, client: bool = True) -> tuple[int, list[str]]:
    """Runs the node's setup and then what the kubelet requires under `root`; the commands of the system are recorded.

    raid: whether the disks are one. module: whether the kernel has Lustre. client: whether it was installed.
    """
    tools, log = root / "tools", root / "log"
    tools.mkdir()
    log.touch()
    for name in ("dnf", "systemctl", "mount"):
        (tools / name).write_text(f'#!/bin/sh\necho "{name} $*" >> {log}\n')
    (tools / "mountpoint").write_text(
        f'#!/bin/sh\n[ "$2" = {root}/mnt/k8s-disks/0 ] && {"true" if raid else "false"}\n'
    )
    (tools / "modinfo").write_text(f'#!/bin/sh\n[ "$1" = lustre ] && {"true" if module else "false"}\n')
    if client:
        (tools / "mount.lustre").touch()
    for tool in tools.iterdir():
        tool.chmod(0o755)
    (root / "usr/local/bin").mkdir(parents=True)
    (root / "etc/systemd/system").mkdir(parents=True)
    script = GPU_NODE_SETUP
    for folder in ("/usr/local/bin/", "/etc/systemd/", "/mnt/k8s-disks/", "/scratch"):
        script = script.replace(f" {folder}", f" {root}{folder}").replace(f"={folder}", f"={root}{folder}")
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
    subprocess.run(["bash", "-c", script], env=environment, check=True)
    unit = configparser.ConfigParser()
    unit.read(root / "etc/systemd/system/mount-scratch.service")
    step = unit["Service"]["ExecStart"]
    return subprocess.run([step], env=environment, check=False).returncode, log.read_text().splitlines()


def test_the_kubelet_starts_with_scratch_on_the_raid(tmp_path: Path) -> None:
    code, done = run_setup(tmp_path)
    assert code == 0
    assert done == [
        "systemctl daemon-reload",
        "systemctl enable mount-scratch.service",
        "dnf install -y lustre-client",
        f"mount --bind {tmp_path}/mnt/k8s-disks/0/scratch {tmp_path}/scratch",
    ]
    assert (tmp_path / "mnt/k8s-disks/0/scratch").stat().st_mode & 0o7777 == 0o1777


def test_without_the_raid_the_kubelet_does_not_start(tmp_path: Path) -> None:
    code, done = run_setup(tmp_path, raid=False)
    assert code != 0
    assert [line for line in done if line.startswith("mount ")] == []


@pytest.mark.parametrize("missing", ["module", "client"])
def test_without_the_lustre_client_the_kubelet_does_not_start(tmp_path: Path, missing: str) -> None:
    """The kernel has the module also where the installation failed."""
    code, done = run_setup(tmp_path, **{missing: False})
    assert code != 0
    assert [line for line in done if line.startswith("mount ")] == []


@pytest.mark.parametrize(("at", "step"), [(1, "mount-scratch"), (2, "slice-gpus")])
def test_what_comes_before_the_kubelet_is_a_unit_that_it_requires_and_nothing_changes_its_own(
    at: int, step: str
) -> None:
    script = _parts("7g.80gb")[at].get_payload()
    text = script.split(f"cat > /etc/systemd/system/{step}.service <<'EOF'\n")[1].split("EOF\n")[0]
    unit = configparser.ConfigParser()
    unit.read_string(text)
    assert {name: dict(unit[name]) for name in ("Unit", "Service", "Install")} == {
        # Not after nodeadm-run.service, which waits for the kubelet.
        "Unit": {"description": unit["Unit"]["description"], "before": "kubelet.service"},
        "Service": {"type": "oneshot", "remainafterexit": "yes", "execstart": f"/usr/local/bin/{step}"},
        "Install": {"requiredby": "kubelet.service"},
    }
    assert "kubelet.service.d" not in script
    assert f"systemctl enable {step}.service\n" in script


def slice_gpus(root: Path, *, sliced: bool, enabled: bool = True) -> tuple[int, list[str]]:
    """Runs what a node does before its kubelet, with an `nvidia-smi` that records what it is asked."""
    script = _parts("3g.40gb", "1g.10gb")[2].get_payload()
    step = script.split("cat > /usr/local/bin/slice-gpus <<'EOF'\n")[1].split("\nEOF")[0]
    log, tool = root / "log", root / "nvidia-smi"
    tool.write_text(
        f'#!/bin/sh\necho "$*" >> {log}\ncase "$*" in\n"-mig 1") exit {0 if enabled else 3};;\n'
        f'"mig -lgi") exit {0 if sliced else 6};;\nesac\n'
    )
    tool.chmod(0o755)
    environment = {**os.environ, "PATH": f"{root}:{os.environ['PATH']}"}
    code = subprocess.run(["bash", "-c", step], env=environment, check=False).returncode
    return code, log.read_text().splitlines()


def test_gpus_are_sliced_before_the_kubelet_starts_and_not_again(tmp_path: Path) -> None:
    again = tmp_path / "again"
    again.mkdir()
    assert slice_gpus(tmp_path, sliced=False) == (0, ["-mig 1", "mig -lgi", "mig -cgi 3g.40gb,1g.10gb -C"])
    assert slice_gpus(again, sliced=True) == (0, ["-mig 1", "mig -lgi"])


def test_a_node_whose_gpus_refuse_to_be_sliced_does_not_join(tmp_path: Path) -> None:
    assert slice_gpus(tmp_path, sliced=False, enabled=False) == (3, ["-mig 1"])


def test_user_data_with_slices_keeps_everything_else() -> None:
    whole, sliced = _parts(), _parts("7g.80gb")
    assert [part.get_payload() for part in sliced[:2]] == [part.get_payload() for part in whole]
    assert "ExecStart=/usr/local/bin/slice-gpus" in sliced[2].get_payload()


@pytest.mark.parametrize(("up", "driver", "code"), [(2, True, 0), (1, True, 1), (2, False, 1)])
def test_lustre_gets_cards_at_equal_distances_or_the_kubelet_does_not_start(
    up: int, driver: bool, code: int, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    tools = {
        "systemctl": "true",
        "ip": 'echo "default via 10.0.0.1 dev ens32 proto dhcp"',
        "modinfo": "true" if driver else "false",
        "modprobe": f'echo "modprobe $*" >> {log}',
        "lnetctl": f'echo "$*" >> {log}; [ "$2" != show ] || printf "status: up\\n%.0s" $(seq {up})',
    }
    for folder in ("tools", "usr/local/bin", "etc/systemd/system", "drivers/efa", "drivers/mlx5_core"):
        (tmp_path / folder).mkdir(parents=True)
    for name, command in tools.items():
        (tmp_path / "tools" / name).write_text(f"#!/bin/bash\n{command}\n")
        (tmp_path / "tools" / name).chmod(0o755)
    for at, kind in enumerate(("efa", "mlx5_core", "efa", "efa", "efa")):
        device = tmp_path / f"sys/class/infiniband/rdmap{at}s0/device"
        device.mkdir(parents=True)
        (device / "driver").symlink_to(tmp_path / "drivers" / kind)
    script = lustre_fabric_setup(2)
    for folder in ("/usr/local/", "/etc/systemd/", "/sys/class/"):
        script = script.replace(f" {folder}", f" {tmp_path}{folder}").replace(f"={folder}", f"={tmp_path}{folder}")
    environment = {**os.environ, "PATH": f"{tmp_path}/tools:{os.environ['PATH']}"}
    subprocess.run(["bash", "-c", script], env=environment, check=True)
    unit = configparser.ConfigParser()
    unit.read(tmp_path / "etc/systemd/system/lustre-fabric.service")
    assert unit["Install"]["RequiredBy"] == "kubelet.service"
    assert subprocess.run([unit["Service"]["ExecStart"]], env=environment, check=False).returncode == code
    if driver:
        done = log.read_text().splitlines()
        assert "modprobe kefalnd ipif_name=ens32" in done
        assert [line for line in done if line.startswith("net add")] == [
            "net add --net tcp --if ens32",
            "net add --net efa --if rdmap0s0 --peer-credits 32",
            "net add --net efa --if rdmap3s0 --peer-credits 32",
        ]
