"""What a GPU node runs before it joins the cluster."""

from __future__ import annotations

import base64

__all__ = ["gpu_user_data", "node_config"]

# The GPU image holds no Lustre client: without it the shared storage does not mount.
_LUSTRE_CLIENT = """\
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


def node_config() -> str:
    """User data of a GPU node as a MIME message: the node's configuration and a shell script."""
    parts = (("application/node.eks.aws", _LOCAL_STORAGE), ('text/x-shellscript; charset="us-ascii"', _LUSTRE_CLIENT))
    body = "".join(f"--{_BOUNDARY}\nContent-Type: {kind}\n\n{text}\n" for kind, text in parts)
    return f'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="{_BOUNDARY}"\n\n{body}--{_BOUNDARY}--\n'


def gpu_user_data() -> str:
    """The same in base64, as a launch template takes it."""
    return base64.b64encode(node_config().encode()).decode()
