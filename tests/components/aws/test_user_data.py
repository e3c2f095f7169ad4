"""What a GPU node runs before it joins."""

from __future__ import annotations

import base64
from email import message_from_bytes

import yaml

from components.aws.user_data import GPU_NODE_SETUP, gpu_user_data


def test_user_data_is_a_mime_message_of_node_configuration_and_script() -> None:
    message = message_from_bytes(base64.b64decode(gpu_user_data()))
    parts = message.get_payload()
    assert [part.get_content_type() for part in parts] == ["application/node.eks.aws", "text/x-shellscript"]
    assert yaml.safe_load(parts[0].get_payload()) == {
        "apiVersion": "node.eks.aws/v1alpha1",
        "kind": "NodeConfig",
        "spec": {"instance": {"localStorage": {"strategy": "RAID0"}}},
    }
    assert parts[1].get_payload().strip() == GPU_NODE_SETUP.strip()


def test_user_data_fits_the_limit_of_16_kib() -> None:
    assert len(base64.b64decode(gpu_user_data())) < 16 * 1024
