"""The values of the provider `random`: it uses no cloud, so the sandbox computes them.

Source: pulumi_random 4.21.4, the descriptions of its resources. Pets do not use the provider's word lists, and bcrypt
hashes are not computed.
"""

from __future__ import annotations

import base64
import secrets
import string
import uuid
from collections.abc import Mapping
from typing import Any, Final

_SPECIAL: Final = "!@#$%&*()-_=+[]{}<>:?"


def random_values(token: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The computed outputs of a new resource of this type; `result` is also its id."""
    match token.rsplit(":", 1)[-1]:
        case "RandomBytes":
            raw = secrets.token_bytes(int(inputs["length"]))
            return {"base64": base64.b64encode(raw).decode(), "hex": raw.hex()}
        case "RandomId":
            return _id(secrets.token_bytes(int(inputs["byteLength"])), str(inputs.get("prefix") or ""))
        case "RandomInteger":
            low, high = int(inputs["min"]), int(inputs["max"])
            return {"result": low + secrets.randbelow(high - low + 1)}
        case "RandomPassword" | "RandomString":
            return {"result": _text(inputs)}
        case "RandomPet":
            words = ("".join(secrets.choice(string.ascii_lowercase) for _ in range(5)) for _ in range(_words(inputs)))
            parts = [*([str(inputs["prefix"])] if inputs.get("prefix") else []), *words]
            return {"result": str(inputs.get("separator") or "-").join(parts)}
        case "RandomShuffle":
            found = list(inputs["inputs"])
            secrets.SystemRandom().shuffle(found)
            return {"results": found[: int(inputs.get("resultCount") or len(found))]}
        case "RandomUuid" | "RandomUuid4":
            return {"result": str(uuid.uuid4())}
        case _:
            return {}


def _words(inputs: Mapping[str, Any]) -> int:
    return int(inputs.get("length") or 2)


def _id(raw: bytes, prefix: str) -> dict[str, Any]:
    return {
        "b64Std": prefix + base64.b64encode(raw).decode(),
        "b64Url": prefix + base64.urlsafe_b64encode(raw).decode().rstrip("="),
        "dec": f"{prefix}{int.from_bytes(raw, 'big')}",
        "hex": prefix + raw.hex(),
    }


def _text(inputs: Mapping[str, Any]) -> str:
    """A text of the requested length, with the minimum number of each kind of character."""
    kinds = {
        "Lower": (string.ascii_lowercase, inputs.get("lower")),
        "Upper": (string.ascii_uppercase, inputs.get("upper")),
        "Numeric": (string.digits, inputs.get("numeric", inputs.get("number"))),
        "Special": (str(inputs.get("overrideSpecial") or _SPECIAL), inputs.get("special")),
    }
    allowed = {kind: characters for kind, (characters, wanted) in kinds.items() if wanted is not False}
    least = [secrets.choice(allowed[kind]) for kind in allowed for _ in range(int(inputs.get(f"min{kind}") or 0))]
    rest = [secrets.choice("".join(allowed.values())) for _ in range(int(inputs["length"]) - len(least))]
    found = [*least, *rest]
    secrets.SystemRandom().shuffle(found)
    return "".join(found)
