"""What was measured, and by what, from logs alone."""

from __future__ import annotations

import datetime
import json
from pathlib import Path

from gpucluster.core.documents.formats import written
from gpucluster.operate.acceptance.document import Subject, acceptance_document
from gpucluster.operate.acceptance.inventory import Inventory, NodeFacts, inventory_of
from gpucluster.operate.acceptance.logs.lines import Header, header_line
from gpucluster.operate.acceptance.logs.read import read_log
from tests.says import Says


def test_driver_system_and_serial_numbers_stand_beside_each_node() -> None:
    header = Header(
        nodes={"pod-0": "node-a"}, systems={"node-a": {"kernelVersion": "6.8.0", "osImage": "Ubuntu 24.04"}}
    )
    diagnosis = {
        "DCGM Diagnostic": {"test_categories": []},
        "entity_groups": [{"entity_group": "GPU", "entities": [{"entity_id": 0, "serial_num": "1653723046420"}]}],
        "metadata": {"version": "4.6.0", "Driver Version Detected": "580.159.04"},
    }
    log = read_log(Path("a.log"), f"{header_line(header)}\n{json.dumps(diagnosis)}\n")

    found = inventory_of([log])

    software = {"kernelVersion": "6.8.0", "osImage": "Ubuntu 24.04", "driver": "580.159.04"}
    assert found == Inventory(
        tools=("dcgmi diag 4.6.0",), nodes=(NodeFacts(name="node-a", software=software, serials={0: "1653723046420"}),)
    )
    document = acceptance_document([], [log], Subject(made=datetime.date(2026, 11, 3)))
    assert written(document, "text").splitlines()[2:] == [
        "Measured by dcgmi diag 4.6.0",
        "",
        "Nodes",
        "",
        "node",
        "node-a",
        Says("kernelVersion", "6.8.0", "osImage", "Ubuntu", "24.04", "580.159.04"),
        "    serial numbers of GPUs 0: 1653723046420",
    ]
