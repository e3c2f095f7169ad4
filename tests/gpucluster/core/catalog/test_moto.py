"""The machines of AWS in the catalog against EC2's own answers, as moto ships them: getmoto/moto,
`moto/ec2/resources/instance_types.json.gz`.
"""

from __future__ import annotations

import gzip
import importlib.resources
import json
from collections.abc import Mapping
from typing import Any, Final

import pytest

from gpucluster.core.catalog.kubernetes_versions import eks_pods
from gpucluster.core.catalog.machines import Machine, cpu_machines, machines

OURS: Final = {name: machine for name, machine in machines().items() if machine.cloud == "aws"}
# (machine, fact) -> (EC2's value, why ours differs).
DIFFERENT: Final[Mapping[tuple[str, str], tuple[Any, str]]] = {
    ("p5.4xlarge", "fabric_gbps"): ("12.5 Gigabit", "EC2 gives the bandwidth of IP alone"),
}


def answers() -> dict[str, Any]:
    moto = importlib.resources.files(pytest.importorskip("moto"))
    return json.loads(gzip.decompress((moto / "ec2/resources/instance_types.json.gz").read_bytes()))
