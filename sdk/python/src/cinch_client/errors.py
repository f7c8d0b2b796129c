"""What this client raises."""
from __future__ import annotations

from typing import Any, Dict, Mapping, Optional
from urllib.parse import urlsplit


class CinchError(Exception):
    """A refusal of the engine, or no engine at all. The reason is for programs, the message for people.

    ``reason`` is an engine's (docs/protocol/errors.md), or ``InvalidAnswer`` where what answers is no engine. A newer
    engine may have reasons that this version does not know.
    """

    def __init__(
        self,
        reason: str,
        message: str,
        details: Optional[Mapping[str, Any]] = None,
        status: Optional[int] = None,
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.details: Dict[str, Any] = dict(details or {})
        #: The HTTP status, where there was one.
        self.status = status


class EngineUnreachable(CinchError):
    """No engine answers at an address, or no longer. Its reason is ``EngineUnreachable``."""

    def __init__(self, message: str, details: Optional[Mapping[str, Any]] = None) -> None:
        super().__init__("EngineUnreachable", message, details)


def refusal_of(body: Any, url: str, status: Optional[int] = None) -> CinchError:
    """The refusal in a body, or what is wrong with a body that holds none."""
    fields = body if isinstance(body, dict) else {}
    reason, message, details = fields.get("reason"), fields.get("message"), fields.get("details")
    if not isinstance(reason, str) or not isinstance(message, str) or reason == "":
        why = "a refusal without a reason" if status is None else f"status {status}, and no reason"
        return invalid_answer(url, why, status)
    return CinchError(reason, message, details if isinstance(details, dict) else None, status)


def invalid_answer(url: str, why: str, status: Optional[int] = None) -> CinchError:
    text = f"What answers at {url} is no engine of cinch, or something stands between: {why}."
    return CinchError("InvalidAnswer", text, {"url": url, "why": why}, status)


def invalid_event(why: str) -> CinchError:
    text = (
        f"The engine sent an event that cannot be read: {why}. Client and engine may differ in version: "
        "use the same release of both."
    )
    return CinchError("InvalidEvent", text, {"why": why})


def unreachable(url: str, detail: str) -> EngineUnreachable:
    """``url`` is an address, or the path of a Unix socket."""
    parts = urlsplit(url)
    listen = f" --listen {parts.netloc}" if parts.port is not None else ""
    text = f"No engine of cinch answers at {url} ({detail.rstrip('.')}): start one there with: cinch serve{listen}"
    return EngineUnreachable(text, {"url": url, "detail": detail})


def connection_lost(what: str) -> CinchError:
    text = (
        f"The connection to the engine broke before it had answered {what}. The events of the session show "
        "if it was carried out. Send it again if it was not."
    )
    return CinchError("ConnectionLost", text, {"kind": what})


_PASSING = frozenset(["EngineUnreachable", "EngineStopping", "StoreBusy"])
# What something between client and engine answers while the engine is away.
_PASSING_STATUSES = frozenset([429, 502, 503, 504])


def is_passing(error: CinchError) -> bool:
    """Whether it may help to try again later."""
    if error.reason == "InvalidAnswer":
        return error.status in _PASSING_STATUSES
    return error.reason in _PASSING
