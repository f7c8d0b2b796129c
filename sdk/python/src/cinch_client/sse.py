"""Server-sent events out of bytes that come in pieces, wherever those are cut."""
from __future__ import annotations

from dataclasses import dataclass
from typing import List, Optional

from .errors import invalid_answer


@dataclass(frozen=True)
class SseFrame:
    id: Optional[str]
    event: str
    data: str


class SseReader:
    """Comments are passed over; a frame that is not finished at the end of the stream is none."""

    def __init__(self, url: str, bytes_max: int) -> None:
        self._url = url
        self._bytes_max = bytes_max
        self._rest: List[bytes] = []
        self._held = 0
        self._was_return = False
        self._is_first = True
        self._id: Optional[str] = None
        self._event = ""
        self._data: List[str] = []

    def take(self, piece: bytes) -> List[SseFrame]:
        """The frames that are finished by this piece. Raises InvalidAnswer for one above the limit."""
        if piece == b"":
            return []
        # A line may end in both characters, and the cut may lie between them.
        if self._was_return and piece.startswith(b"\n"):
            piece = piece[1:]
            self._was_return = False
            if piece == b"":
                return []
        self._was_return = piece.endswith(b"\r")
        # Not splitlines: what else Python takes for the end of a line stands within JSON.
        lines = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        frames: List[SseFrame] = []
        for line in lines[:-1]:
            frame = self._line(b"".join([*self._rest, line]))
            self._rest = []
            if frame is not None:
                frames.append(frame)
        if lines[-1] != b"":
            self._rest.append(lines[-1])
        if self._held + sum(len(each) for each in self._rest) > self._bytes_max:
            raise invalid_answer(self._url, f"an event of more than {self._bytes_max} bytes")
        return frames

    def _line(self, line: bytes) -> Optional[SseFrame]:
        if self._is_first and line.startswith(b"\xef\xbb\xbf"):
            line = line[3:]
        self._is_first = False
        if line == b"":
            return self._finish()
        name, _, value = line.partition(b":")
        if value.startswith(b" "):
            value = value[1:]
        text = value.decode("utf-8", "replace")
        if name == b"data":
            self._data.append(text)
            self._held += len(value)
        elif name == b"event":
            self._event = text
        elif name == b"id":
            self._id = text
        return None

    def _finish(self) -> Optional[SseFrame]:
        frame = SseFrame(self._id, self._event or "message", "\n".join(self._data))
        is_empty = not self._data
        self._id, self._event, self._data, self._held = None, "", [], 0
        return None if is_empty else frame
