"""What a turn came to, added up from its events."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List, Optional, Tuple, cast

from .protocol import Envelope

# Errors that tell of a call that was not let through: the turn goes on, and the model knows.
_REFUSALS = frozenset(["PermissionDenied", "PermissionTimeout"])


@dataclass(frozen=True)
class TurnError:
    reason: str
    message: str


@dataclass(frozen=True)
class TurnResult:
    #: What the model said last, behind its last tool call.
    text: str
    #: How it ended: "complete" and "yield" are well; "withdrawn" where the input was taken back before it began.
    reason: str
    #: Calls of the provider.
    rounds: int
    #: US dollars; None where the price of a call is unknown.
    cost_usd: Optional[float]
    #: The tools that were called, each once, in the order of their first call.
    tools: Tuple[str, ...]
    #: Calls that did not run because nobody had allowed them.
    refused: int
    #: The last failure that was told; there may be one in a turn that ended well.
    error: Optional[TurnError] = None


class TurnSum:
    """Adds up the events of one turn. What a sub-agent says and calls is its own; what it costs is the turn's."""

    def __init__(self) -> None:
        self._text: List[str] = []
        self._tools: List[str] = []
        self._cost_usd: Optional[float] = 0.0
        self._refused = 0
        self._error: Optional[TurnError] = None
        self._ended: Optional[Tuple[str, int]] = None
        self._is_new = True

    def add(self, event: Envelope) -> None:
        kind, payload = event["kind"], cast(Any, event["payload"])
        is_first, self._is_new = self._is_new, False
        if kind == "CostIncremented":
            usd = payload["usd"]
            self._cost_usd = None if self._cost_usd is None or usd is None else self._cost_usd + usd
        if event.get("parentCall") is not None:
            return
        if kind == "ToolCallStarted" and payload["tool"] not in self._tools:
            self._tools.append(payload["tool"])
        elif kind == "ToolResult":
            self._text = []
        elif kind == "TextDelta":
            self._text.append(payload["text"])
        elif kind == "Error":
            if payload["reason"] in _REFUSALS:
                self._refused += 1
            elif payload["reason"] != "ProviderSilent" and payload.get("severity") != "notice":
                self._error = TurnError(payload["reason"], payload["message"])
        elif kind == "TurnEnded":
            self._ended = (payload["reason"], payload.get("rounds", 0))
        elif kind == "InputWithdrawn" and is_first:  # later, it is that of somebody else
            self._ended = ("withdrawn", 0)

    @property
    def result(self) -> Optional[TurnResult]:
        """None while the turn goes on."""
        if self._ended is None:
            return None
        reason, rounds = self._ended
        text = "".join(self._text)
        return TurnResult(text, reason, rounds, self._cost_usd, tuple(self._tools), self._refused, self._error)


def begins(event: Envelope, by: Optional[str], input_id: Optional[str]) -> bool:
    """Whether an event begins the turn of an input: one that waited may also enter a turn that runs."""
    if event.get("parentCall") is not None:
        return False
    payload = cast(Any, event["payload"])
    if event["kind"] == "TurnStarted":
        if payload.get("inputId") != input_id:
            return False
        return input_id is not None or by is None or bool(payload["originator"] == by)
    if event["kind"] != "CustomEvent" or input_id is None:
        return False
    inner = payload.get("payload")
    return bool(
        payload["namespace"] == "cinch"
        and payload["kind"] == "InputDelivered"
        and isinstance(inner, dict)
        and inner.get("inputId") == input_id
    )
