"""Images in a mirror."""

from __future__ import annotations

import pytest

from gpucluster.components.kubernetes.objects.charts import mirrored


@pytest.mark.parametrize(
    ("image", "there"),
    [
        ("nvcr.io/nvidia/pytorch:25.03-py3", "m.example/gpu/nvidia/pytorch:25.03-py3"),
        ("public.ecr.aws/hpc-cloud/nccl-tests@sha256:00", "m.example/gpu/hpc-cloud/nccl-tests@sha256:00"),
        # Reached by Private Google Access, and by clusters on Google Cloud alone.
        ("us-docker.pkg.dev/gce-ai-infra/a/b:v1", "us-docker.pkg.dev/gce-ai-infra/a/b:v1"),
    ],
)
def test_a_mirror_keeps_the_path_of_an_image_and_googles_own_come_from_google(image: str, there: str) -> None:
    assert mirrored(image, "m.example/gpu") == there
    assert mirrored(image, None) == image
