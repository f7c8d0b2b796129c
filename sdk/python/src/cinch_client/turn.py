"""The result of a turn, added up from its events."""
from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Dict, List, Optional, Tuple, cast

from .protocol import Envelope

# Errors about a call that was not allowed: the turn goes on, and the model knows.
_REFUSALS = frozenset(["PermissionDenied", "PermissionTimeout"])
# After these ends no error is reported.
_ENDED_WELL = frozenset(["complete", "yield", "cancelled"])
# At these ends a call may be cut off before its provider has reported usage.
_CUTS_OFF = frozenset(["cancelled", "error", "time_limit"])


@dataclass(frozen=True)
class TurnError:
    reason: str
    message: str


@dataclass(frozen=True)
class TurnUsage:
    """Tokens of the provider calls of a turn and its sub-agents."""

    calls: int = 0
    #: Without the tokens of the cache.
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0


@dataclass(frozen=True)
class TurnResult:
    """The result of a turn, the same as every other client of the engine gives."""

    #: Text of the last message that had any; empty if none had.
    text: str
    #: How it ended: "complete" and "yield" are well; "withdrawn" if the input was taken back before it began.
    reason: str
    #: Calls of the provider by the session's own agent.
    rounds: int
    #: US dollars, rounded to a millionth; None if the price of a call is unknown, or a call was cut off.
    cost_usd: Optional[float]
    #: The tools that were called, each once, in the order of their first call.
    tools: Tuple[str, ...]
    #: Calls that did not run because nobody had allowed them.
    refused: int
    #: Why the turn did not end well; None after "complete", "yield" and "cancelled".
    error: Optional[TurnError] = None
    usage: TurnUsage = TurnUsage()


class TurnSum:
    """Adds up the events of one turn. What a sub-agent says and calls is its own; what it costs is the turn's."""

    def __init__(self) -> None:
        self._text: List[str] = []
        self._is_open = False
        self._tools: List[str] = []
        # Calls that have reported their cost, by the call that runs a sub-agent.
        self._calls: Dict[Optional[str], int] = {}
        self._usd = 0.0
        self._usage = TurnUsage()
        self._unpriced = False
        self._refused = 0
        self._error: Optional[TurnError] = None
        self._ended: Optional[Tuple[str, int]] = None
        self._is_new = True

    def add(self, event: Envelope) -> None:
        kind, payload = event["kind"], cast(Any, event["payload"])
        is_first, self._is_new = self._is_new, False
        self._add_cost(event.get("parentCall"), kind, payload)
        if event.get("parentCall") is not None:
            return
        if kind in ("ToolCallStarted", "ToolResult") and payload.get("shell") is True:
            return  # a person's own command
        if kind == "ToolCallStarted":
            self._is_open = False
            if payload["tool"] not in self._tools:
                self._tools.append(payload["tool"])
        elif kind == "ToolResult":
            self._is_open = False
        elif kind == "TextDelta" and payload["text"] != "":
            if not self._is_open:
                self._text = []
            self._text.append(payload["text"])
            self._is_open = True
        elif kind == "CustomEvent" and payload["namespace"] == "cinch" and payload["kind"] == "InputDelivered":
            self._is_open = False
            if is_first:  # the rounds before it belong to the inputs before it
                self._calls[None] = int((payload.get("payload") or {}).get("round", 0))
        elif kind == "Error":
            self._add_error(payload)
        elif kind == "TurnEnded":
            self._ended = (payload["reason"], payload.get("rounds", 0))
            error = payload.get("error")
            if error is not None:  # an older engine names none: the last failure before the end counts
                self._error = TurnError(error["reason"], error["message"])
        elif kind == "InputWithdrawn" and is_first:  # later, it is that of somebody else
            self._ended = ("withdrawn", 0)

    @property
    def result(self) -> Optional[TurnResult]:
        """None while the turn runs."""
        if self._ended is None:
            return None
        reason, rounds = self._ended
        error = None if reason in _ENDED_WELL else self._error
        cost = None if self._unpriced else _dollars(self._usd)
        text, tools = "".join(self._text), tuple(self._tools)
        return TurnResult(text, reason, rounds, cost, tools, self._refused, error, self._usage)

    def _add_error(self, payload: Any) -> None:
        reason = payload["reason"]
        if reason in _REFUSALS:
            self._refused += 1
            return
        if reason == "ProviderSilent" or payload.get("severity") == "notice":
            return
        if (payload.get("details") or {}).get("retryInMs") is not None:
            return  # the turn continues after a retry
        self._error = TurnError(reason, payload["message"])

    def _add_cost(self, parent: Optional[str], kind: str, payload: Any) -> None:
        calls = self._calls.get(parent, 0)
        if kind == "CostIncremented":
            if payload["usd"] is None:
                self._unpriced = True
            else:
                self._usd += payload["usd"]
            before = self._usage
            self._usage = TurnUsage(
                before.calls + 1,
                before.input_tokens + payload["inputTokens"],
                before.output_tokens + payload["outputTokens"],
                before.cache_read_tokens + payload.get("cacheReadTokens", 0),
                before.cache_write_tokens + payload.get("cacheWriteTokens", 0),
            )
            if payload.get("purpose") is None:
                self._calls[parent] = calls + 1
        elif kind == "TurnEnded":
            untold = max(0, payload.get("rounds", 0) - calls) if payload["reason"] in _CUTS_OFF else 0
            if untold > 0:
                self._unpriced = True
                self._usage = replace(self._usage, calls=self._usage.calls + untold)
            self._calls.pop(parent, None)


def _dollars(usd: float) -> float:
    """Rounds to a millionth of a dollar. Smaller amounts keep two digits that count."""
    if usd == 0:
        return 0.0
    return float(f"{usd:.{min(100, max(6, 1 - math.floor(math.log10(usd))))}f}")


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
