"""The news about all sessions over as many connections as it takes."""
from __future__ import annotations

import json
import time
from typing import Any, Dict, Iterator, Optional, cast
from urllib.parse import quote

from .engine import Engine
from .errors import CinchError, EngineUnreachable, invalid_event, is_passing
from .follow import ConnectionState
from .frames import read_frames
from .http import StreamBox
from .limits import backoff
from .protocol import NewsItem


def read_news(engine: Engine, past: bool, box: StreamBox, reader: Optional[str] = None) -> Iterator[NewsItem]:
    """Each connection begins with all sessions again; what is gone meanwhile is told as gone before the next NewsReady.

    Ends where the box is closed. Raises CinchError for what the engine refuses for good, and what the last attempt came
    to, once it was away too long.
    """
    limits, closed = engine.http.limits, box.closed
    path = f"/v1/news?past={'true' if past else 'false'}"
    if reader is not None:
        path += f"&reader={quote(reader, safe='')}"
    known: Dict[str, str] = {}
    fruitless = 0
    away_at: Optional[float] = None
    while not closed.is_set():
        failure: CinchError = EngineUnreachable("The engine has closed the stream of news.")
        try:
            for item in _connection(engine, path, box, known):
                if item["kind"] == "NewsReady":
                    fruitless, away_at = 0, None
                yield item
                if closed.is_set():
                    return
        except CinchError as thrown:
            if closed.is_set():
                return
            failure = thrown
            is_healed = thrown.reason == "UnknownClient" and engine.renew_client()
            if not is_healed and not is_passing(thrown):
                raise
        if away_at is None:
            away_at = time.monotonic()
        if limits.away > 0 and time.monotonic() - away_at > limits.away:
            raise failure
        seconds = 0.0 if fruitless == 0 else backoff(fruitless - 1, limits)
        fruitless += 1
        if seconds > 0:
            _tell(engine, ConnectionState("away", failure, seconds))
            closed.wait(seconds)


def _connection(engine: Engine, path: str, box: StreamBox, known: Dict[str, str]) -> Iterator[NewsItem]:
    """The news of one connection. ``known`` has the sessions that the reader was told of, with their logs."""
    unnamed = dict(known)
    is_first = True
    for frame in read_frames(engine.http, path, {}, engine.client, box):
        if frame is None:
            if is_first:
                _tell(engine, ConnectionState("connected"))
            is_first = False
            continue
        item = _read_item(frame.data)
        if item is None:
            continue
        if item["kind"] == "NewsReady":
            for session, log in unnamed.items():
                known.pop(session, None)
                yield {"kind": "SessionGone", "session": session, "log": log}
        else:
            unnamed.pop(item["session"], None)
            if item["kind"] == "SessionChanged":
                known[item["session"]] = item["info"]["log"]
            else:
                known.pop(item["session"], None)
        yield item


def _read_item(text: str) -> Optional[NewsItem]:
    """None for a kind that this version does not know. Raises InvalidEvent."""
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError) as thrown:
        raise invalid_event(f"it is no JSON ({thrown})") from thrown
    fields = value if isinstance(value, dict) else {}
    kind, info = fields.get("kind"), fields.get("info")
    if kind == "NewsReady":
        return cast(NewsItem, fields)
    if kind not in ("SessionChanged", "SessionGone"):
        return None
    if not isinstance(fields.get("session"), str):
        raise invalid_event(f"{kind}: it has no session")
    inside = info.get("log") if isinstance(info, dict) else None
    if not isinstance(fields.get("log") if kind == "SessionGone" else inside, str):
        raise invalid_event(f"{kind}: it has no log")
    return cast(NewsItem, fields)


def _tell(engine: Engine, state: ConnectionState) -> None:
    if engine.on_state is not None:
        engine.on_state(state)
