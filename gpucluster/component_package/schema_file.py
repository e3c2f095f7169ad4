"""Path of the package's schema. Imports nothing: previews wait for the plugin."""

from __future__ import annotations

from pathlib import Path
from typing import Final

NAME: Final = "gpucluster"
SCHEMA_FILE: Final = Path(__file__).with_name("schema.json")
