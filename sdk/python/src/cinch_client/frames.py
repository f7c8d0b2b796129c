"""The frames of a stream of server-sent events, over one connection."""
from __future__ import annotations

import json
from typing import Any, Iterator, Mapping, Optional

from .errors import invalid_answer, refusal_of
from .http import Http, StreamBox
from .sse import SseFrame, SseReader


def read_frames(
    http: Http, path: str, headers: Mapping[str, str], client: Optional[str], box: StreamBox
) -> Iterator[Optional[SseFrame]]:
    """Each frame; None whenever something has come, first when the engine begins to answer.

    Raises CinchError: the refusal in a frame named ``refused``; EngineUnreachable.
    """
    stream = http.stream(path, headers, client, box)
    try:
        frames = SseReader(http.url, http.limits.answer_bytes_max)
        while True:
            piece = stream.read()
            if piece == b"":
                return
            yield None
            for frame in frames.take(piece):
                if frame.event == "refused":
                    raise refusal_of(_json(frame.data, http.url), http.url)
                yield frame
    finally:
        stream.close()


def _json(text: str, url: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as thrown:
        raise invalid_answer(url, "a refusal that is no JSON") from thrown
