"""What holds for every test."""

from __future__ import annotations

import os

# Where this is set, as in many container images, every program that the tests start compiles the clouds' SDKs anew,
# which takes as long as all the rest of a preview.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
