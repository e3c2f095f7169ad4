"""Bills of the clouds, compared with the plan that estimated them."""

from __future__ import annotations
