"""/scratch on machines with local NVMe disks: AKS neither stripes nor mounts them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pulumi
from pulumi_kubernetes.core import v1 as core

from gpucluster.components.kubernetes.node_daemon import node_daemon, privileged_container
from gpucluster.components.names import POOL

__all__ = ["PATH", "Scratch", "mount_script"]

PATH: Final = "/scratch"
_NAME: Final = "scratch"

# Brings nsenter alone; all that runs by it is the node's own. Of Microsoft's registry: Docker Hub lets one address pull
# 100 images in 6 hours without a login, and all nodes leave by one.
# Sources: Azure/azure-container-networking, npm/linux.Dockerfile (digest); Docker documentation, "Docker Hub usage and
# limits".
_SHELL: Final = (
    "mcr.microsoft.com/mirror/docker/library/ubuntu:24.04"
    "@sha256:c35e29c9450151419d9448b0fd75374fec4fff364a27f176fb458d472dfc9e54"
)

# How the disks name themselves. Source: Azure/ai-infrastructure-on-azure a01b073, examples/inferenceX/aks
# (nvme-init-daemonset.yaml).
_MODEL: Final = "Microsoft NVMe Direct Disk"

# By commands of the node alone. Whatever is there already is kept: the array and its files outlive a restart of the
# machine, not its replacement. Nothing is written to a disk that holds anything but a part of such an array.
_SCRIPT: Final = """\
set -eu
fail() {
  echo "scratch: $1" >&2
  exit 1
}
array() {
  lsblk -lnpo NAME,TYPE "$1" | awk '$2 == "raid0" { print $1; exit }'
}
if mountpoint -q PATH; then
  echo 'scratch: mounted already'
  exit 0
fi
for tool in blkid chattr lsblk mdadm mkfs.ext4; do
  command -v "$tool" > /dev/null || fail "the node image has no $tool"
done
set -- $(lsblk -dnpo NAME,MODEL | awk '/MODEL/ { print $1 }')
[ "$#" -eq COUNT ] || fail "found $# local NVMe disks of COUNT; drain this node and let it be replaced"
# After a restart of the machine the kernel has assembled the array by itself; where it has not, this does.
[ -n "$(array "$1")" ] || mdadm --assemble --scan || true
device=$(array "$1")
if [ -z "$device" ]; then
  for disk; do
    holds=$(lsblk -lnpo NAME,FSTYPE,MOUNTPOINT "$disk" | awk '$2 != "" && $2 != "linux_raid_member" || NR > 1')
    [ -z "$holds" ] || fail "$disk is in use: $holds"
  done
  mdadm --create /dev/md/scratch --run --name=scratch --level=0 --raid-devices="$#" "$@"
  udevadm settle
  device=$(array "$1")
  [ -n "$device" ] || fail 'the array was made and is not there'
fi
if [ "$(blkid -p -s LABEL -o value "$device" || true)" != scratch ]; then
  mkfs.ext4 -q -F -m 0 -L scratch "$device"
fi
mkdir -p PATH
# A job that starts before the disks are mounted can't fill the system disk by mistake: its writes fail.
chattr +i PATH
mount -o noatime "$device" PATH
chmod 1777 PATH
echo "scratch: mounted $device"
"""


def mount_script(disks: int) -> str:
    """What runs on a node with so many local NVMe disks."""
    return _SCRIPT.replace("MODEL/", f"{_MODEL}/").replace("COUNT", str(disks)).replace("PATH", PATH)


class Scratch(pulumi.ComponentResource):
    """One RAID0 of a node's local disks, mounted at /scratch of the node; jobs mount it from there.

    The pod does its work before it is ready, and again after each restart of the machine. What it can't do it says and
    tries again.
    """

    def __init__(
        self,
        name: str,
        *,
        disks: int,
        pools: Sequence[str],
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """disks: local NVMe disks of each node of these pools. after: what stands before."""
        super().__init__("gpucluster:azure:Scratch", name, {}, opts)
        node_daemon(
            f"{name}-daemon",
            object_name=_NAME,
            nodes={POOL: pools},
            init_containers=[
                privileged_container(
                    "mount", _SHELL, command=["nsenter", "-at", "1", "--", "sh", "-c", mount_script(disks)]
                )
            ],
            # Keeps the pod alive after its init container has done the work.
            container=core.ContainerArgs(name="pause", image=_SHELL, command=["sleep", "infinity"]),
            after=after,
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.register_outputs({"path": PATH})
