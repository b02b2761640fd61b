"""The client of Molar's API: eligibility checks, claims, attachments and remittances.

>>> client = Molar()  # of MOLAR_API_KEY and MOLAR_BASE_URL  # doctest: +SKIP
>>> check = client.eligibility.create(...)  # doctest: +SKIP

Each write has an idempotency key, which its retries keep: nothing happens twice. To be safe from a crash of your
own program too, derive the key from your own record, and give it: ``options=Options(idempotency_key=...)``.
"""

from molar.client import Molar, WaitError
from molar.core import Options, Reply
from molar.errors import (
    AuthenticationError,
    ConflictError,
    EventExpiredError,
    Fault,
    InvalidRequestError,
    MolarConnectionError,
    MolarError,
    NotFoundError,
    PayerError,
    PermissionDeniedError,
    RateLimitError,
    ServiceError,
    SignatureError,
)
from molar.files import Download, FileContent, Upload
from molar.lists import List, Page
from molar.models import Model
from molar.transport import NotSent, Request, Response, Transport
from molar.version import VERSION as __version__

__all__ = [
    "AuthenticationError",
    "ConflictError",
    "Download",
    "EventExpiredError",
    "Fault",
    "FileContent",
    "InvalidRequestError",
    "List",
    "Model",
    "Molar",
    "MolarConnectionError",
    "MolarError",
    "NotFoundError",
    "NotSent",
    "Options",
    "Page",
    "PayerError",
    "PermissionDeniedError",
    "RateLimitError",
    "Reply",
    "Request",
    "Response",
    "ServiceError",
    "SignatureError",
    "Transport",
    "Upload",
    "WaitError",
    "__version__",
]
