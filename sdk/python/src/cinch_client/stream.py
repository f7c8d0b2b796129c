"""What comes piece by piece, for one thread to read."""
from __future__ import annotations

from types import TracebackType
from typing import Iterator, Optional, Type, TypeVar

from .http import StreamBox
from .protocol import Envelope, NewsItem

Item = TypeVar("Item")


class ReadStream(Iterator[Item]):
    """Items as they come, for one thread to read. ``close`` ends the reading, from any thread."""

    def __init__(self, items: Iterator[Item], box: StreamBox) -> None:
        self._items = items
        self._box = box

    def __iter__(self) -> ReadStream[Item]:
        return self

    def __next__(self) -> Item:
        return next(self._items)

    def __enter__(self) -> ReadStream[Item]:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def close(self) -> None:
        self._box.close()


class EventStream(ReadStream[Envelope]):
    """The events of a session."""


class NewsStream(ReadStream[NewsItem]):
    """The news about all sessions."""
