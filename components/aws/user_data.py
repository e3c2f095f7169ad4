"""What a GPU node runs before it joins the cluster."""

from __future__ import annotations

import base64
from collections.abc import Sequence

__all__ = ["GPU_NODE_SETUP", "gpu_user_data"]

# The GPU image holds no Lustre client: without it the shared storage does not mount.
#
# /scratch is a folder of the RAID0 of all local disks. The RAID is made after this script has run and before the
# kubelet starts, so the kubelet's start mounts the folder, at every boot. Without the RAID it fails: a /scratch on the
# root disk would fill it up unseen.
# Source: awslabs/amazon-eks-ami, nodeadm/cmd/nodeadm/init (its phase "run") and setup-local-disks.
GPU_NODE_SETUP = """\
#!/bin/bash
set -euo pipefail
cat > /usr/local/bin/mount-scratch <<'EOF'
#!/bin/bash
set -euo pipefail
mountpoint -q /mnt/k8s-disks/0
mkdir -p /mnt/k8s-disks/0/scratch /scratch
chmod 1777 /mnt/k8s-disks/0/scratch
mountpoint -q /scratch || mount --bind /mnt/k8s-disks/0/scratch /scratch
EOF
chmod 755 /usr/local/bin/mount-scratch
mkdir -p /etc/systemd/system/kubelet.service.d
cat > /etc/systemd/system/kubelet.service.d/50-scratch.conf <<'EOF'
[Service]
ExecStartPre=/usr/local/bin/mount-scratch
EOF
systemctl daemon-reload
dnf install -y lustre-client
"""

# All local NVMe disks as one RAID0. Source: awslabs/amazon-eks-ami, nodeadm/doc/api.md (LocalStorageOptions).
_LOCAL_STORAGE = """\
apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  instance:
    localStorage:
      strategy: RAID0
"""

# Any string that stands in no part; fixed, so that the same plan gives the same template.
_BOUNDARY = "==NODE=="


# Before the kubelet, whose device plugin would else find whole GPUs; at every boot, for slices never outlive one and on
# Hopper the mode does not either. Slices that are there stay: a kubelet may start again under pods.
# Sources: NVIDIA Multi-Instance GPU user guide, "Deployment considerations" and "Creating GPU instances";
# NVIDIA/gpu-operator #2415 (the MIG manager restarts kubelets under pods).
_SLICES = """\
#!/bin/bash
set -euo pipefail
cat > /usr/local/bin/slice-gpus <<'EOF'
#!/bin/bash
set -euo pipefail
nvidia-smi -mig 1
nvidia-smi mig -lgi || nvidia-smi mig -cgi {slices} -C
EOF
chmod 755 /usr/local/bin/slice-gpus
mkdir -p /etc/systemd/system/kubelet.service.d
cat > /etc/systemd/system/kubelet.service.d/60-slices.conf <<'EOF'
[Service]
ExecStartPre=/usr/local/bin/slice-gpus
EOF
systemctl daemon-reload
"""
_SHELL = 'text/x-shellscript; charset="us-ascii"'


def gpu_user_data(slices: Sequence[str] = ()) -> str:
    """User data of a GPU node as a launch template takes it: a MIME message in base64, with the node's configuration
    and shell scripts. slices: sizes of the MIG slices of each GPU, none to leave GPUs whole.
    """
    parts = [("application/node.eks.aws", _LOCAL_STORAGE), (_SHELL, GPU_NODE_SETUP)]
    if slices:
        parts.append((_SHELL, _SLICES.format(slices=",".join(slices))))
    body = "".join(f"--{_BOUNDARY}\nContent-Type: {kind}\n\n{text}\n" for kind, text in parts)
    head = f'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="{_BOUNDARY}"\n\n'
    return base64.b64encode(f"{head}{body}--{_BOUNDARY}--\n".encode()).decode()
