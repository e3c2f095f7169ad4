"""The trial stack without costs: what the costed preview is compared with."""

from __future__ import annotations

from components.clouds import declare, running_stack
from components.spec_file import read_spec
from cost.storage_price import storage_price

config = running_stack()
declare(read_spec(config.spec), config, storage_price=storage_price)
