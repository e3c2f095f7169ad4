"""What a GPU node runs before it joins the cluster."""

from __future__ import annotations

import base64

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


def gpu_user_data() -> str:
    """User data of a GPU node as a launch template takes it: a MIME message in base64, with the node's configuration
    and a shell script.
    """
    parts = (("application/node.eks.aws", _LOCAL_STORAGE), ('text/x-shellscript; charset="us-ascii"', GPU_NODE_SETUP))
    body = "".join(f"--{_BOUNDARY}\nContent-Type: {kind}\n\n{text}\n" for kind, text in parts)
    head = f'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="{_BOUNDARY}"\n\n'
    return base64.b64encode(f"{head}{body}--{_BOUNDARY}--\n".encode()).decode()
