"""What a GPU node runs before it joins."""

from __future__ import annotations

import base64
import os
import subprocess
from email import message_from_bytes
from pathlib import Path

import yaml

from components.aws.user_data import GPU_NODE_SETUP, gpu_user_data


def test_user_data_is_a_mime_message_of_node_configuration_and_script() -> None:
    message = message_from_bytes(base64.b64decode(gpu_user_data()))
    parts = message.get_payload()
    assert [part.get_content_type() for part in parts] == ["application/node.eks.aws", "text/x-shellscript"]
    assert yaml.safe_load(parts[0].get_payload()) == {
        "apiVersion": "node.eks.aws/v1alpha1",
        "kind": "NodeConfig",
        "spec": {"instance": {"localStorage": {"strategy": "RAID0"}}},
    }
    assert parts[1].get_payload().strip() == GPU_NODE_SETUP.strip()


def test_user_data_fits_the_limit_of_16_kib() -> None:
    assert len(base64.b64decode(gpu_user_data())) < 16 * 1024


def run_setup(root: Path, *, raid: bool) -> tuple[int, list[str]]:
    """Runs the node's setup and then the kubelet's first step under `root`; the commands of the system are recorded."""
    tools, log = root / "tools", root / "log"
    tools.mkdir()
    log.touch()
    for name in ("dnf", "systemctl", "mount"):
        (tools / name).write_text(f'#!/bin/sh\necho "{name} $*" >> {log}\n')
    (tools / "mountpoint").write_text(
        f'#!/bin/sh\n[ "$2" = {root}/mnt/k8s-disks/0 ] && {"true" if raid else "false"}\n'
    )
    for tool in tools.iterdir():
        tool.chmod(0o755)
    (root / "usr/local/bin").mkdir(parents=True)
    script = GPU_NODE_SETUP
    for folder in ("/usr/local/bin/", "/etc/systemd/", "/mnt/k8s-disks/", "/scratch"):
        script = script.replace(f" {folder}", f" {root}{folder}").replace(f"={folder}", f"={root}{folder}")
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
    subprocess.run(["bash", "-c", script], env=environment, check=True)
    unit = (root / "etc/systemd/system/kubelet.service.d/50-scratch.conf").read_text()
    step = unit.split("ExecStartPre=")[1].strip()
    return subprocess.run([step], env=environment, check=False).returncode, log.read_text().splitlines()


def test_the_kubelet_starts_with_scratch_on_the_raid(tmp_path: Path) -> None:
    code, done = run_setup(tmp_path, raid=True)
    assert code == 0
    assert done == [
        "systemctl daemon-reload",
        "dnf install -y lustre-client",
        f"mount --bind {tmp_path}/mnt/k8s-disks/0/scratch {tmp_path}/scratch",
    ]
    assert (tmp_path / "mnt/k8s-disks/0/scratch").stat().st_mode & 0o7777 == 0o1777


def test_without_the_raid_the_kubelet_does_not_start(tmp_path: Path) -> None:
    code, done = run_setup(tmp_path, raid=False)
    assert code != 0
    assert [line for line in done if line.startswith("mount ")] == []
