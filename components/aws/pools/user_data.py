"""Setup of a GPU node before it joins the cluster."""

from __future__ import annotations

import base64
from collections.abc import Sequence

# Prerequisites of the kubelet are a separate unit that the kubelet requires: EKS asks not to change the kubelet's own
# unit. The unit does not wait for nodeadm-run.service, which creates the RAID and then starts the kubelet and waits for
# it: the two would wait for each other. If a prerequisite is missing, the node does not join.
# Sources: Amazon EKS user guide, launch-templates ("Don't specify any commands in your user data that starts or
# modifies kubelet"); awslabs/amazon-eks-ami, nodeadm/cmd/nodeadm/init/init.go (runDaemons), nodeadm-run.service.
_UNIT = """\
[Unit]
Description={what}
Before=kubelet.service
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/bin/{step}
[Install]
RequiredBy=kubelet.service
"""

# A step of a node's setup, as a script and the unit that runs it.
_STEP = """\
#!/bin/bash
set -euo pipefail
cat > /usr/local/bin/{step} <<'EOF'
#!/bin/bash
set -euo pipefail
{commands}EOF
chmod 755 /usr/local/bin/{step}
cat > /etc/systemd/system/{step}.service <<'EOF'
{unit}EOF
systemctl daemon-reload
systemctl enable {step}.service
"""


def _setup(step: str, what: str, commands: str) -> str:
    return _STEP.format(step=step, commands=commands, unit=_UNIT.format(what=what, step=step))


# The GPU image has no Lustre client, without which the shared storage does not mount. A failing script does not keep a
# node from joining, so the unit checks for the client and for its module, which is not part of the client: Amazon's
# kernels have it, 6.1 under drivers/staging/lustrefsx and 6.12, that of Kubernetes 1.33 to 1.35, under fs/lustre.
# Sources: awslabs/amazon-eks-ami v20261012 (release notes); bottlerocket-os/bottlerocket-kernel-kit 6603167,
# packages/kernel-6.12/kernel-6.12.spec, derived from Amazon Linux's package; liadhweka/wsi-cloud, a record of
# 2026-08-20 (`modinfo lustre` before lustre-client 2.15.6 was installed).
#
# /scratch is a folder on the RAID0 of all local disks, which exists when the kubelet starts. Without the RAID, a
# /scratch on the root disk would fill it up unnoticed.
# Source: awslabs/amazon-eks-ami, nodeadm/cmd/nodeadm/init (its phase "run") and setup-local-disks.
_SCRATCH = """\
modinfo lustre > /dev/null
command -v mount.lustre > /dev/null
mountpoint -q /mnt/k8s-disks/0
mkdir -p /mnt/k8s-disks/0/scratch /scratch
chmod 1777 /mnt/k8s-disks/0/scratch
mountpoint -q /scratch || mount --bind /mnt/k8s-disks/0/scratch /scratch
"""
_CLIENT = """\
for attempt in 1 2 3 4 5; do dnf install -y lustre-client && break || sleep 10; done
"""
GPU_NODE_SETUP = _setup("mount-scratch", "Lustre client and scratch folder of this node", _SCRATCH) + _CLIENT

# All local NVMe disks as one RAID0. Source: awslabs/amazon-eks-ami, nodeadm/doc/api.md (LocalStorageOptions).
_RAID = """\
  instance:
    localStorage:
      strategy: RAID0
"""
# Memory that a container may lock, such as the buffers of EFA. The list replaces nodeadm's own, whose limit of open
# files is repeated here. No number means "unlimited": nodeadm reads it as floating point, 2^64 - 1 becomes 2^64, and
# with that limit no container starts. 2^53 bytes stay exact, and no machine has as much.
# Source: awslabs/amazon-eks-ami v20260714, nodeadm/doc/examples.md ("Modifying container RLIMITs"),
# nodeadm/internal/containerd/base-runtime-spec.json, base_runtime_spec.go and nodeadm/internal/util/merge.go.
_NODE_CONFIG = f"""\
apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  containerd:
    baseRuntimeSpec:
      process:
        rlimits:
          - type: RLIMIT_NOFILE
            soft: 65536
            hard: 1048576
          - type: RLIMIT_MEMLOCK
            soft: {2**53}
            hard: {2**53}
"""

# Any string that occurs in no part; fixed, so that the same plan gives the same template.
_BOUNDARY = "==NODE=="


# Before the kubelet, whose device plugin would otherwise find whole GPUs; at every boot, because slices never survive
# one and on Hopper neither does MIG mode. Existing slices stay: a kubelet may restart under pods.
# Sources: NVIDIA Multi-Instance GPU user guide, "Deployment considerations" and "Creating GPU instances";
# NVIDIA/gpu-operator #2415 (the MIG manager restarts kubelets under pods).
_SLICES = """\
nvidia-smi -mig 1
nvidia-smi mig -lgi || nvidia-smi mig -cgi {slices} -C
"""
# Lustre over EFA: the first cards at equal distances, of 32 on a p5.48xlarge every fourth. Mounts name the servers by
# their IP address; discovery and the rule of priority move data to EFA.
# Sources: FSx for Lustre user guide, configure-efa-clients; Lustre manual, lnetctl.
_LUSTRE_FABRIC = """\
modinfo kefalnd > /dev/null
interface=$(ip -4 -o route show default | awk '{{ print $5 }}')
cards=()
for card in /sys/class/infiniband/*; do
  if [ "$(basename "$(readlink -f "$card/device/driver")")" = efa ]; then cards+=("$(basename "$card")"); fi
done
modprobe lnet
modprobe kefalnd "ipif_name=$interface"
modprobe ksocklnd
lnetctl lnet configure
lnetctl net del --net tcp || true
lnetctl net add --net tcp --if "$interface"
for at in {numbers}; do
  lnetctl net add --net efa --if "${{cards[at * ${{#cards[@]}} / {count}]}}" --peer-credits 32
done
lnetctl set discovery 1
lnetctl udsp add --src efa --priority 0
modprobe lustre
[ "$(lnetctl net show --net efa | grep -c 'status: up')" -eq {count} ]
"""
_CONFIG = "application/node.eks.aws"
_SHELL = 'text/x-shellscript; charset="us-ascii"'


def gpu_user_data(slices: Sequence[str] = (), *, lustre_cards: int = 0) -> str:
    """User data of a GPU node in the format of a launch template: a MIME message in base64, with the node's
    configuration and shell scripts. slices: sizes of the MIG slices of each GPU, none to leave GPUs whole.
    lustre_cards: EFA interfaces for the shared storage; 0 for IP.
    """
    sliced = _SLICES.format(slices=",".join(slices))
    scripts = [_setup("slice-gpus", "MIG slices of this node", sliced)] if slices else []
    if lustre_cards:
        scripts.append(lustre_fabric_setup(lustre_cards))
    parts = [(_CONFIG, _NODE_CONFIG + _RAID), *((_SHELL, script) for script in (GPU_NODE_SETUP, *scripts))]
    return base64.b64encode(_mime(parts).encode()).decode()


def lustre_fabric_setup(cards: int) -> str:
    """The script for the shared storage over EFA; without the driver or a card, the node does not join."""
    commands = _LUSTRE_FABRIC.format(count=cards, numbers=" ".join(map(str, range(cards))))
    return _setup("lustre-fabric", "Lustre over EFA", commands)


def karpenter_user_data() -> str:
    """The same in the format of Karpenter, which adds the RAID by its own configuration.

    Source: aws/karpenter-provider-aws v1.14.1, pkg/providers/amifamily/bootstrap/nodeadm.go.
    """
    return _mime([(_CONFIG, _NODE_CONFIG), (_SHELL, GPU_NODE_SETUP)])


def _mime(parts: Sequence[tuple[str, str]]) -> str:
    body = "".join(f"--{_BOUNDARY}\nContent-Type: {kind}\n\n{text}\n" for kind, text in parts)
    head = f'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="{_BOUNDARY}"\n\n'
    return f"{head}{body}--{_BOUNDARY}--\n"
