"""One event, as it came."""
from __future__ import annotations

import json
from typing import Any, NamedTuple, Optional, cast

from .errors import invalid_event
from .protocol import EVENT_KINDS, Envelope


class Placed(NamedTuple):
    """An event with its place, or the place alone of one whose kind this version does not know."""

    id: int
    kind: str
    event: Optional[Envelope]


def read_envelope(text: str) -> Placed:
    """Checks the frame of an event; what is in the payload is the engine's word. Raises InvalidEvent."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as thrown:
        raise invalid_event(f"it is no JSON ({thrown})") from thrown
    if not isinstance(value, dict):
        raise invalid_event("it is no object")
    number, kind, payload = value.get("id"), value.get("kind"), value.get("payload")
    if not is_whole(number) or number < 1:
        raise invalid_event("its id is no whole number")
    if not isinstance(kind, str):
        raise invalid_event("it has no kind")
    if not isinstance(value.get("session"), str):
        raise invalid_event("it has no session")
    if not isinstance(payload, (dict, list)):
        raise invalid_event(f"{kind}: it has no payload")
    if kind not in EVENT_KINDS:
        return Placed(number, kind, None)
    if kind == "StreamGap" and not (
        isinstance(payload, dict) and is_whole(payload.get("from")) and is_whole(payload.get("to"))
    ):
        raise invalid_event("StreamGap: it does not say from where to where")
    return Placed(number, kind, cast(Envelope, value))


def is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= 2**53 - 1
