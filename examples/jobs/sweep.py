"""A sweep of 100 jobs of one GPU each, as a list for kubectl, in an elastic pool, here `dev`:

    python sweep.py | kubectl create -f -
    kubectl -n training get trainjobs,workloads -l sweep=learning-rate
    kubectl -n training delete trainjobs -l sweep=learning-rate

Each waits in the queue by itself: as many run as there are GPUs, and one that is preempted leaves the others alone.
"""

from __future__ import annotations

import itertools
import json
from typing import Any

SWEEP = "learning-rate"
RATES = (1e-2, 3e-3, 1e-3, 3e-4, 1e-4)
BATCHES = (16, 32, 64, 128)
SEEDS = range(5)

PROGRAM = """\
import os
import torch

rate, batch, seed = float(os.environ["RATE"]), int(os.environ["BATCH"]), int(os.environ["SEED"])
torch.manual_seed(seed)
model = torch.nn.Linear(1024, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=rate)
for step in range(200):
    loss = model(torch.randn(batch, 1024, device="cuda")).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"rate {rate} batch {batch} seed {seed}: loss {loss.item():.6f}", flush=True)
"""


def job(index: int, settings: dict[str, str]) -> dict[str, Any]:
    """One run. settings: environment variables of its program."""
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {
            "name": f"{SWEEP}-{index:03}",
            "namespace": "training",
            "labels": {
                "kueue.x-k8s.io/queue-name": "dev",
                "kueue.x-k8s.io/priority-class": "low",
                "sweep": SWEEP,
            },
        },
        "spec": {
            "runtimeRef": {"name": "single-gpu"},
            "trainer": {
                "image": "nvcr.io/nvidia/pytorch:25.03-py3",
                "command": ["python", "-c"],
                "args": [PROGRAM],
                "env": [{"name": name, "value": value} for name, value in settings.items()],
            },
        },
    }


def sweep() -> dict[str, Any]:
    """All runs, in the order of the product of their settings."""
    runs = itertools.product(RATES, BATCHES, SEEDS)
    jobs = [
        job(index, {"RATE": str(rate), "BATCH": str(batch), "SEED": str(seed)})
        for index, (rate, batch, seed) in enumerate(runs)
    ]
    return {"apiVersion": "v1", "kind": "List", "items": jobs}


if __name__ == "__main__":
    print(json.dumps(sweep(), indent=2))
