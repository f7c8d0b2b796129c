"""Bounds of waiting and reading."""
from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """All have defaults; times are seconds."""

    #: How long an answer to a question may take, from the request to its last byte.
    answer: float = 60.0
    #: The same for a command, which may have to wait for a model or a tool.
    command: float = 600.0
    #: A stream of events that brings nothing for so long, not even its heartbeat, is taken for broken.
    silence: float = 45.0
    #: How long an engine may be away before the events of a session are given up; 0: for ever.
    away: float = 300.0
    #: The wait before the second attempt in a row; doubled from there on, with some chance in it.
    backoff_min: float = 0.1
    backoff_max: float = 10.0
    #: Bytes of one answer, and of one event.
    answer_bytes_max: int = 67_108_864


def backoff(attempts: int, limits: Limits) -> float:
    """The wait before the next attempt after so many in a row; never all clients at once."""
    full = min(limits.backoff_min * 2.0 ** min(attempts, 30), limits.backoff_max)
    return full * (0.5 + random.random() / 2)
