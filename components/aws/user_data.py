"""What a GPU node runs before it joins the cluster."""

from __future__ import annotations

import base64

__all__ = ["LUSTRE_CLIENT", "gpu_user_data"]

# The GPU image holds no Lustre client: without it the shared storage does not mount.
LUSTRE_CLIENT = """\
#!/bin/bash
set -euo pipefail
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
    parts = (("application/node.eks.aws", _LOCAL_STORAGE), ('text/x-shellscript; charset="us-ascii"', LUSTRE_CLIENT))
    body = "".join(f"--{_BOUNDARY}\nContent-Type: {kind}\n\n{text}\n" for kind, text in parts)
    head = f'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="{_BOUNDARY}"\n\n'
    return base64.b64encode(f"{head}{body}--{_BOUNDARY}--\n".encode()).decode()
