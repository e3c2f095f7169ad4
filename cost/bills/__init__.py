"""Bills of the clouds, laid beside what a plan says that they would be."""

from __future__ import annotations
