"""Faults at every operation of the trial stacks.

gRPC's handlers of a fork are left out: this process serves by gRPC and starts the engine by a fork, and with them about
one child of 20 ends before it is the engine.
"""

import os

os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "false"
