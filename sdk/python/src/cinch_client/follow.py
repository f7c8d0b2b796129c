"""The events of a session over as many connections as it takes."""
from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Callable, Generator, Iterator, Optional, cast
from urllib.parse import quote

from .envelope import Placed, read_envelope
from .errors import CinchError, EngineUnreachable, invalid_event, is_passing
from .frames import read_frames
from .http import Http, StreamBox
from .limits import backoff
from .protocol import Envelope, SessionInfo

# How often in a row something may be made anew, and still bring nothing.
_HEALS_MAX = 4


@dataclass(frozen=True)
class ConnectionState:
    """What is told of the way to the engine."""

    #: "connected" or "away".
    kind: str
    error: Optional[CinchError] = None
    #: The next attempt is made in so many seconds.
    next_seconds: float = 0.0


@dataclass(frozen=True)
class FollowParts:
    http: Http
    since: int
    #: With the arguments of calls while the model writes them.
    args: bool
    box: StreamBox
    #: The run that answers for the session now.
    run: Callable[[], str]
    client: Callable[[], Optional[str]]
    #: Makes what was refused possible: a new run, a new client. False where nothing does.
    heal: Callable[[CinchError], bool]
    #: Whether the session runs now, as whatever run, and its last event.
    look: Callable[[], SessionInfo]
    #: Each event, before it is judged whether it is the last: it may tell of a run that takes over.
    seen: Callable[[Envelope], None]
    #: The session was seen to end.
    ended: Callable[[], None]
    on_state: Optional[Callable[[ConnectionState], None]]
    #: With one None: when the engine begins to answer, so that what is done next has a subscriber.
    with_opening: bool = False


def follow(parts: FollowParts) -> Generator[Optional[Envelope], None, None]:
    """Goes on after the last event that came, so that nothing is missing and nothing comes twice, whatever breaks.

    Ends after SessionEnded, and where the box is closed. Raises CinchError for what the engine refuses for good, and what
    the last attempt came to, once it was away too long.
    """
    limits, closed = parts.http.limits, parts.box.closed
    last, fruitless, heals = parts.since, 0, 0
    is_over = False  # whether the last event was the end of a run
    away_at: Optional[float] = None
    is_opening_told = not parts.with_opening
    while not closed.is_set():
        failure: CinchError = EngineUnreachable("The engine has closed the stream of events.")
        opened_at: Optional[float] = None
        try:
            for placed in _stretch(parts, last):
                if placed is None:
                    now = time.monotonic()
                    if opened_at is None:
                        opened_at = now
                        _tell(parts, ConnectionState("connected"))
                    # One that answers, and then nothing more comes of it, is as good as away.
                    if now - opened_at > limits.backoff_max:
                        away_at = None
                    if not is_opening_told:
                        is_opening_told = True
                        yield None
                    continue
                number, kind, event = placed
                if kind == "TokenExpiring" or (event is not None and event.get("aside") is True):
                    if event is not None:
                        yield event  # stands in no log, and bears the id of the event before it
                    continue
                payload = cast(Any, event["payload"]) if event is not None else {}
                reached = max(number, payload["to"]) if kind == "StreamGap" else number
                if reached <= last:
                    continue
                if kind != "StreamGap" and number != last + 1:
                    raise invalid_event(f"{number} came after {last}: those between are missing")
                last, fruitless, heals, away_at = reached, 0, 0, None
                if event is None:
                    continue
                parts.seen(event)
                is_over = kind == "SessionEnded"
                is_end = is_over and event["session"] == parts.run()
                if is_end:
                    parts.ended()
                yield event
                if is_end or closed.is_set():
                    return
        except CinchError as thrown:
            if closed.is_set():
                return
            failure = thrown
            if not is_passing(failure):
                if heals == _HEALS_MAX:
                    raise
                refused = _heal(parts, failure, last, is_over)
                if refused is None:
                    heals += 1
                    continue
                if refused is _OVER:
                    parts.ended()
                    return
                if closed.is_set():
                    return
                if not is_passing(refused):
                    raise refused
                failure = refused
        if away_at is None:
            away_at = time.monotonic()
        if limits.away > 0 and time.monotonic() - away_at > limits.away:
            raise failure
        seconds = 0.0 if fruitless == 0 else backoff(fruitless - 1, limits)
        fruitless += 1
        if seconds > 0:
            _tell(parts, ConnectionState("away", failure, seconds))
            closed.wait(seconds)


_OVER = CinchError("EngineStopping", "The session has ended.")


def _heal(parts: FollowParts, refusal: CinchError, last: int, is_over: bool) -> Optional[CinchError]:
    """None where it was made possible; else the refusal, what an engine that went away comes to, or _OVER."""
    try:
        if refusal.reason == "UnknownSession":
            # Somebody else may have gone on with it meanwhile, and ended it: to attach would begin another run.
            info = parts.look()
            if not info["live"] and info["events"] > last:
                return None
            if not info["live"] and is_over:
                return _OVER
        return None if parts.heal(refusal) else refusal
    except CinchError as thrown:
        # To attach twice is to attach once.
        return EngineUnreachable(thrown.message) if thrown.reason == "ConnectionLost" else thrown


def _stretch(parts: FollowParts, since: int) -> Iterator[Optional[Placed]]:
    """The events that one connection brings; None whenever something has come, first when the engine begins to answer."""
    path = f"/v1/sessions/{quote(parts.run(), safe='')}/events{'?args=true' if parts.args else ''}"
    for frame in read_frames(parts.http, path, {"Last-Event-ID": str(since)}, parts.client(), parts.box):
        # A frame is named by the kind of its event; engines that speak 0.2 name none. Other names are no events.
        if frame is None:
            yield None
        elif frame.event == "message" or frame.event[:1].isupper():
            yield read_envelope(frame.data)


def _tell(parts: FollowParts, state: ConnectionState) -> None:
    if parts.on_state is not None:
        parts.on_state(state)
