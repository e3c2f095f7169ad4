"""The user-space side of EFA and InfiniBand, brought to jobs whose image has none.

NCCL finds InfiniBand by libibverbs, and EFA by the plugin aws-ofi-nccl and libfabric. An init container copies them
from an image that has them all into a folder of the pod, so that every image of a job runs the same version.
"""

from __future__ import annotations

from typing import Any, Final

__all__ = ["LIBRARY_PATH", "MOUNT", "VOLUME", "fabric_libraries"]

VOLUME: Final = "fabric"
_FOLDER: Final = "/opt/fabric"
MOUNT: Final[dict[str, Any]] = {"name": VOLUME, "mountPath": _FOLDER}
LIBRARY_PATH: Final = f"{_FOLDER}/lib:/usr/local/nvidia/lib64:/usr/local/cuda/lib64"

# A driver stands once, under the name that libfabric links, with a link by the name that libibverbs looks for: loaded
# under two files it would be two drivers, and libfabric would not know the devices of the other.
# libibverbs takes a driver named in RDMAV_DRIVERS from the library path.
# Source: linux-rdma/rdma-core, libibverbs/dynamic_driver.c.
_SCRIPT: Final = """\
set -eu
target={folder}/lib
mkdir -p "$target"
driver=$(find /usr/lib /usr/lib64 /opt -name 'lib{driver}-rdmav*.so' 2> /dev/null | head -n 1)
if [ -z "$driver" ]; then
  echo 'fabric: this image has no driver {driver}' >&2
  exit 1
fi
for library in "$driver" {plugins}; do
  if [ ! -e "$library" ]; then
    echo "fabric: this image has no $library" >&2
    exit 1
  fi
  ldd "$library" | awk '$3 ~ /^\\// {{ print $3 }}' | grep -Ev '{left}' | xargs -r cp -Lt "$target"
done
cp "$(readlink -f "$driver")" "$target/lib{driver}.so.1"
ln -sf lib{driver}.so.1 "$target/$(basename "$driver")"
for plugin in {plugins}; do
  cp -L "$plugin" "$target"
done
"""

# What belongs to the job's own system and to the node's GPU driver.
_LEFT: Final = "/(ld-linux|libc|libm|libdl|librt|libpthread|libstdc[+][+]|libgcc_s|libcuda|libcudart|libnvidia-ml)[-.]"


def fabric_libraries(image: str, *, driver: str, plugins: str = "") -> dict[str, Any]:
    """The init container. driver: of rdma-core, such as efa or mlx5. plugins: NCCL's, as files of the image."""
    return {
        "name": "fabric-libraries",
        "image": image,
        "command": ["/bin/sh", "-c"],
        "args": [_SCRIPT.format(folder=_FOLDER, driver=driver, plugins=plugins, left=_LEFT)],
        "volumeMounts": [MOUNT],
        "securityContext": {"allowPrivilegeEscalation": False},
    }
