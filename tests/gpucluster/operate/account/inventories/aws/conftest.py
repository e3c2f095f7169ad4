"""An account of AWS on moto's server, and boto3's own service models by botocore's Stubber."""

from __future__ import annotations

from tests.gpucluster.operate.preflight.aws.conftest import calls, login, moto, moto_server, stubs

__all__ = ["calls", "login", "moto", "moto_server", "stubs"]
