"""The importer is no part of the wheel: it is imported from the checkout."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
