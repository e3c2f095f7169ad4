"""The trial stack without costs: what the costed preview is compared with."""

from __future__ import annotations

from pathlib import Path

import pulumi

from components.clouds import declare
from components.spec_file import read_spec

config = pulumi.Config()
declare(read_spec(Path(config.require("spec"))), config, stack=pulumi.get_stack())
