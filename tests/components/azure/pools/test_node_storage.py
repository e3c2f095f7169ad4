"""/scratch: the pod that makes it, and its script run against commands that only remember what they were asked."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gpucluster.components.kubernetes.objects.manifest import manifests

Registered = list[tuple[str, str, dict[str, Any]]]
Run = Callable[[Callable[[], object]], Registered]

UBUNTU = (
    "mcr.microsoft.com/mirror/docker/library/ubuntu:24.04@sha256:"
    "c35e29c9450151419d9448b0fd75374fec4fff364a27f176fb458d472dfc9e54"
)
[_DAEMON] = manifests(
    Path(__file__).parents[4] / "components/azure/pools/manifests/scratch.yaml", {"disks": "8", "pools": ["training"]}
)
SCRIPT: str = _DAEMON["spec"]["template"]["spec"]["initContainers"][0]["command"][-1]
DISKS = [f"/dev/nvme{index}n1" for index in range(8)]
MADE = "mdadm --create /dev/md/scratch --run --name=scratch --level=0 --raid-devices=8 " + " ".join(DISKS)
MOUNTED = ["mkdir -p /scratch", "chattr +i /scratch", "mount -o noatime /dev/md127 /scratch", "chmod 1777 /scratch"]
FORMATTED = "mkfs.ext4 -q -F -m 0 -L scratch /dev/md127"


@dataclass
class Node:
    """A machine of files: `state` is what its commands answer by, `log` what they were asked to change."""

    folder: Path

    def has(self, **state: str) -> None:
        for name, text in state.items():
            (self.folder / name).write_text(text)

    def lacks(self, command: str) -> None:
        (self.folder / "bin" / command).unlink()

    def run(self) -> tuple[int, list[str], str]:
        log = self.folder / "log"
        log.write_text("")
        done = subprocess.run(
            ["/bin/sh", "-c", SCRIPT],
            env={"PATH": str(self.folder / "bin"), "NODE": str(self.folder)},
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        return done.returncode, log.read_text().splitlines(), done.stderr


COMMANDS = {
    "mountpoint": 'test -e "$NODE/mounted"',
    "lsblk": """case "$*" in
      *MODEL*) cat "$NODE/models" ;;
      *FSTYPE*) cat "$NODE/holds" ;;
      *) if [ -e "$NODE/array" ]; then cat "$NODE/array"; fi ;;
    esac""",
    "blkid": 'if [ -e "$NODE/label" ]; then cat "$NODE/label"; else exit 2; fi',
    "mdadm": """echo "mdadm $*" >> "$NODE/log"
    case "$*" in --create*) echo '/dev/md127 raid0' > "$NODE/array" ;; esac
    if [ -e "$NODE/found-by-scan" ]; then echo '/dev/md127 raid0' > "$NODE/array"; fi""",
    "mkfs.ext4": 'echo "mkfs.ext4 $*" >> "$NODE/log"; echo scratch > "$NODE/label"',
    "mount": 'echo "mount $*" >> "$NODE/log"; echo > "$NODE/mounted"',
    **{name: f'echo "{name} $*" >> "$NODE/log"' for name in ("mkdir", "chattr", "chmod")},
    "udevadm": "true",
}


@pytest.fixture
def node(tmp_path: Path) -> Node:
    """A machine with 8 empty NVMe disks, beside the system's own."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, script in COMMANDS.items():
        path = folder / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
    for name in ("awk", "cat"):
        found = next(Path(part) / name for part in os.environ["PATH"].split(":") if (Path(part) / name).exists())
        (folder / name).symlink_to(found)
    made = Node(tmp_path)
    disks = "".join(f"{disk} Microsoft NVMe Direct Disk\n" for disk in DISKS)
    made.has(models=f"/dev/sda Virtual Disk\n{disks}", holds="/dev/nvme0n1\n")
    return made


def test_a_new_machine_gets_one_array_of_all_disks_formatted_and_mounted(node: Node) -> None:
    assert node.run() == (0, ["mdadm --assemble --scan", MADE, FORMATTED, *MOUNTED], "")


def test_a_second_run_changes_nothing(node: Node) -> None:
    node.run()
    assert node.run() == (0, [], "")


def test_after_a_restart_the_array_is_mounted_with_its_files(node: Node) -> None:
    node.run()
    (node.folder / "mounted").unlink()
    assert node.run() == (0, MOUNTED, "")


def test_an_array_the_kernel_has_not_assembled_is_assembled_not_made(node: Node) -> None:
    node.has(**{"found-by-scan": ""}, label="scratch\n")
    assert node.run() == (0, ["mdadm --assemble --scan", *MOUNTED], "")


def test_an_array_whose_formatting_was_interrupted_is_formatted(node: Node) -> None:
    node.has(array="/dev/md127 raid0\n")
    assert node.run() == (0, [FORMATTED, *MOUNTED], "")


def test_a_missing_disk_is_said_and_nothing_is_made_of_the_others(node: Node) -> None:
    node.has(models="".join(f"{disk} Microsoft NVMe Direct Disk\n" for disk in DISKS[:7]))
    assert node.run() == (1, [], "scratch: found 7 local NVMe disks of 8; drain this node and let it be replaced\n")


@pytest.mark.parametrize(
    "holds", ["/dev/nvme0n1 ext4 /data", "/dev/nvme0n1 LVM2_member", "/dev/nvme0n1\n/dev/nvme0n1p1"]
)
def test_a_disk_in_use_is_never_written_to(node: Node, holds: str) -> None:
    node.has(holds=f"{holds}\n")
    code, log, said = node.run()
    assert (code, log) == (1, ["mdadm --assemble --scan"])
    assert said.startswith("scratch: /dev/nvme0n1 is in use: ")


def test_what_was_part_of_such_an_array_is_used_again(node: Node) -> None:
    node.has(holds="/dev/nvme0n1 linux_raid_member\n")
    code, log, _ = node.run()
    assert (code, MADE in log) == (0, True)


def test_a_node_image_without_mdadm_is_said(node: Node) -> None:
    node.lacks("mdadm")
    assert node.run() == (1, [], "scratch: the node image has no mdadm\n")
