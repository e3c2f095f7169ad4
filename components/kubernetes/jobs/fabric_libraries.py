"""User-space libraries of EFA and InfiniBand for jobs with an image that lacks them.

NCCL uses InfiniBand through libibverbs, and EFA through the plugin aws-ofi-nccl and libfabric. An init container copies
them from an image that has them all into a folder of the pod, so that jobs with any image use the same version.
"""

from __future__ import annotations

from typing import Any, Final

from gpucluster.core.catalog.fabrics import FabricRelease

VOLUME: Final = "fabric"
_FOLDER: Final = "/opt/fabric"
MOUNT: Final[dict[str, Any]] = {"name": VOLUME, "mountPath": _FOLDER}
LIBRARY_PATH: Final = f"{_FOLDER}/lib:/usr/local/nvidia/lib64:/usr/local/cuda/lib64"

# A driver exists once, under the name that libfabric links, with a symlink of the name that libibverbs looks for:
# loaded from two files it would be two drivers, and libfabric would not know the devices of the other.
# libibverbs loads a driver named in RDMAV_DRIVERS from the library path.
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

# aws-ofi-nccl looks for the file in its installation path, which a job's image lacks.
# Source: aws/aws-ofi-nccl v1.19.0, src/platform-aws.cpp (XML_DIR).
_TOPOLOGY: Final = """\
found=$(find /opt -name {topology} | head -n 1)
if [ -z "$found" ]; then
  echo 'fabric: this image has no {topology}' >&2
  exit 1
fi
cp -L "$found" {path}
echo '{sha256}  {path}' | sha256sum -c -
"""

# Libraries of the job's own system and of the node's GPU driver.
_LEFT: Final = "/(ld-linux|libc|libm|libdl|librt|libpthread|libstdc[+][+]|libgcc_s|libcuda|libcudart|libnvidia-ml)[-.]"


def topology_path(release: FabricRelease) -> str | None:
    """Path of the machine's topology file in a job; None for a machine that needs none."""
    return f"{_FOLDER}/{release.topology}" if release.topology else None


def fabric_libraries(
    image: str, *, driver: str, plugins: str = "", topology: FabricRelease | None = None
) -> dict[str, Any]:
    """The init container. driver: of rdma-core, such as efa or mlx5. plugins: NCCL's, as files of the image. topology:
    the release whose topology file is in the image.
    """
    script = _SCRIPT.format(folder=_FOLDER, driver=driver, plugins=plugins, left=_LEFT)
    if topology is not None and topology.topology:
        path, sha256 = topology_path(topology), topology.topology_sha256
        script += _TOPOLOGY.format(topology=topology.topology, path=path, sha256=sha256)
    return {
        "name": "fabric-libraries",
        "image": image,
        "command": ["/bin/sh", "-c"],
        "args": [script],
        "volumeMounts": [MOUNT],
        "securityContext": {"allowPrivilegeEscalation": False},
    }
