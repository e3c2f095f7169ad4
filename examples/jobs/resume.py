# PyTorch is in the image of the job alone.
# pyright: basic, reportMissingImports=false
"""Data-parallel training that goes on from its last checkpoint: torchrun resume.py --checkpoints FOLDER

The folder is on a volume that every node mounts. A checkpoint is complete or does not exist: it is written under
another name, to the disk, and renamed. One that cannot be read is passed over for the one before it. Each step has its
own seed, so a job that was interrupted sees the data that it would have seen.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

KEPT = 2
INTERRUPTED = 128 + signal.SIGTERM


def save(folder: Path, step: int, state: dict[str, Any]) -> None:
    """Writes the checkpoint after so many steps, and deletes those before the last ones."""
    folder.mkdir(parents=True, exist_ok=True)
    partial = folder / f"{step:08}.partial"
    with partial.open("wb") as file:
        torch.save({"step": step, **state}, file)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(folder / f"{step:08}.pt")
    for old in sorted(folder.glob("*.pt"))[:-KEPT]:
        old.unlink()


def load(folder: Path) -> dict[str, Any] | None:
    """The last checkpoint that can be read; None if there is none. Stops if no one can be read: to start again would
    delete them.
    """
    files = sorted(folder.glob("*.pt"), reverse=True)
    for file in files:
        try:
            return torch.load(file, map_location="cpu", weights_only=True)
        except Exception as error:  # Each version of PyTorch raises others for a broken file.
            print(f"{file} cannot be read, the one before it is tried: {error}", file=sys.stderr, flush=True)
    if files:
        sys.exit(f"no checkpoint in {folder} can be read by PyTorch {torch.__version__}; move them to start again")
    return None


def train(folder: Path, steps: int, every: int) -> int:
    """The exit code: 0 after all steps."""
    rank, world = dist.get_rank(), dist.get_world_size()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if torch.cuda.is_available() else torch.device("cpu")
    if device.type == "cuda":
        torch.cuda.set_device(device)
    torch.manual_seed(0)
    model = DistributedDataParallel(torch.nn.Linear(1024, 1024).to(device))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)

    # One reads, so that all go on from the same step.
    found = [load(folder) if rank == 0 else None]
    dist.broadcast_object_list(found)
    state, start = found[0], 0
    if state is not None:
        start = state["step"]
        model.module.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
    if rank == 0:
        print(f"starts at step {start} on {world} processes", flush=True)

    told: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: told.append(number))
    for step in range(start + 1, steps + 1):
        torch.manual_seed(step * world + rank)
        loss = model(torch.randn(64, 1024, device=device)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        # One node is drained, and all know: its pod has two minutes, its processes by torchrun half a minute.
        stopping = torch.tensor([len(told)], device=device)
        dist.all_reduce(stopping)
        stop = bool(stopping.item())
        if rank == 0 and (stop or step == steps or step % every == 0):
            save(folder, step, {"model": model.module.state_dict(), "optimizer": optimizer.state_dict()})
            print(f"step {step}: loss {loss.item():.6f}, saved", flush=True)
        if stop:
            # A pod that ends before Kubernetes takes it has failed, and counts as a failure of the job.
            while not told:
                time.sleep(1)
            return INTERRUPTED
    return 0


def main() -> int:
    """Reads the command line; torchrun sets the rest."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--checkpoints", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--every", type=int, default=50, help="steps between checkpoints")
    options = parser.parse_args()
    dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
    try:
        return train(options.checkpoints, options.steps, options.every)
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    sys.exit(main())
