"""Reports as one HTML page: no script, no network, light and dark, on paper too.

Every chart is a `figure` with a heading and a sentence that says the same in words.
"""

from __future__ import annotations

from gpucluster.cost.render.html.comparison import comparison_page
from gpucluster.cost.render.html.report import report_page
from gpucluster.cost.render.html.tco import tco_page

__all__ = ["comparison_page", "report_page", "tco_page"]
