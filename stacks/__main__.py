"""One stack: its configuration and its spec describe the cluster."""

from __future__ import annotations

import gc

import gpucluster

# The SDKs' modules are hundreds of thousands of objects that live to the end: the collector would walk them again and
# again as they load (a quarter of the program's time), to find next to nothing.
gc.disable()
gpucluster.declare_stack()
# Nor does it walk them at exit, for half a second.
gc.freeze()
