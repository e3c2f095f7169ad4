"""Records which functions of NCCL the libraries of wheels have or need, in symbols.json beside this file.

It takes gigabytes and minutes: .venv/bin/python tests/gpucluster/core/catalog/nccl/record.py
The wheels come by pip, from the index that it is set to; readelf of binutils reads them.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any, Final

# Of NCCL the nearest on the index to what the plugins bring: 2.19.4 and 2.28.7.
WHEELS: Final = {
    "nvidia/nccl/lib/libnccl.so.2": ("nvidia-nccl-cu12==2.19.3", "nvidia-nccl-cu12==2.28.7"),
    "torch/lib/libtorch_cuda.so": ("torch==2.5.1", "torch==2.6.0", "torch==2.7.0", "torch==2.8.0", "torch==2.10.0"),
}
RECORD: Final = Path(__file__).with_name("symbols.json")
_PIP: Final = (
    *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-cache-dir", "--only-binary", ":all:"),
    *("--python-version", "3.12", "--platform", "manylinux_2_28_x86_64", "--platform", "manylinux1_x86_64"),
    *("--platform", "manylinux2014_x86_64", "--platform", "manylinux_2_18_x86_64"),
)
# Number, value, size, type, bind, visibility, section and name.
_SYMBOL: Final = re.compile(r"^\s*\d+:(?:\s+\S+){5}\s+(\S+)\s+(nccl\w+)", re.MULTILINE)


def recorded(package: str, library: str) -> dict[str, Any]:
    """The functions of NCCL in one library of a wheel, and the wheel's checksum."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*_PIP, "--dest", folder, package], check=True)
        [wheel] = Path(folder).iterdir()
        with zipfile.ZipFile(wheel) as opened:
            file = opened.extract(library, folder)
        digest = hashlib.sha256()
        with wheel.open("rb") as opened:
            while block := opened.read(1 << 20):
                digest.update(block)
        table = subprocess.run(["readelf", "--dyn-syms", "--wide", file], capture_output=True, text=True, check=True)
        found = {name: section for section, name in _SYMBOL.findall(table.stdout)}
        return {
            "wheel": wheel.name,
            "sha256": digest.hexdigest(),
            "has": sorted(name for name, section in found.items() if section != "UND"),
            "needs": sorted(name for name, section in found.items() if section == "UND"),
        }


if __name__ == "__main__":
    made = {package: recorded(package, library) for library, packages in WHEELS.items() for package in packages}
    RECORD.write_text(json.dumps(made, indent=1) + "\n")
