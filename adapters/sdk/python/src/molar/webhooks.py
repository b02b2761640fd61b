"""Webhooks."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping

from molar.errors import SignatureError
from molar.types import Event

TOLERANCE = 300


def unwrap(body: bytes, headers: Mapping[str, str], *secrets: str) -> Event:
    """Verify a webhook, and return its event.

    Give the body as it came, and while you change the secret both secrets. A webhook can come twice: the
    header webhook-id is the same then.
    """
    if not secrets:
        raise ValueError("there is no webhook secret: give the one that the endpoint had when it was created")
    header = {name.lower(): value for name, value in headers.items()}
    at = header.get("webhook-timestamp", "")
    if not (at.isascii() and at.isdigit()) or abs(time.time() - int(at)) > TOLERANCE:
        raise SignatureError
    signed = f"{header.get('webhook-id', '')}.{at}.".encode() + body
    good = False
    for secret in secrets:
        try:
            key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
        except binascii.Error:
            key = b""
        if not key:
            raise ValueError("a webhook secret is whsec_ and base64")
        want = b"v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256))
        for signature in header.get("webhook-signature", "").split(" "):
            good = hmac.compare_digest(signature.encode(), want) or good
    if not good:
        raise SignatureError
    return Event(json.loads(body))
