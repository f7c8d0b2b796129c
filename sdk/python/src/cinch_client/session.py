"""One session of an engine."""
from __future__ import annotations

import threading
from typing import Any, Dict, Generator, Iterator, List, Mapping, Optional, Sequence, Union, cast
from urllib.parse import quote

from .engine import Engine
from .errors import CinchError, invalid_answer
from .follow import FollowParts, follow
from .http import FileBody, StreamBox
from .protocol import Accepted, AttachmentInfo, Envelope, SessionInfo
from .stream import EventStream
from .turn import TurnResult, TurnSum, begins

#: What is sent to the model: words, or blocks.
Input = Union[str, List[Mapping[str, Any]]]


class Session:
    """Its commands are named as the protocol names them.

    Where the engine was started anew meanwhile, the session goes on as a new run on the same log, and ``id`` is that of the
    new run. The same goes where it was put under another profile in place; where another session took its place, that is
    ``next``. A command is never sent twice, unless it was refused for that very reason.
    """

    def __init__(self, engine: Engine, id: str) -> None:
        self._engine = engine
        self._id = id
        # The engine's process in which it was last known to live.
        self._seen_in = engine.process
        self._has_ended = False
        self._lock = threading.Lock()
        self._next: Optional[Session] = None
        # The run before this one, which its engine may never have begun.
        self._left: Optional[str] = None

    @property
    def id(self) -> str:
        """The newest run."""
        return self._id

    @property
    def next(self) -> Optional[Session]:
        """The session that took this one's place under another profile, once that is known.

        It is known from its events, which end then, or because it was asked for here. That session has a log of its own,
        whose events begin at 1.
        """
        return self._next

    def info(self) -> SessionInfo:
        return cast(SessionInfo, self._engine.ask("GET", self._path()).body)

    def send_input(
        self,
        input: Input,
        *,
        delivery: Optional[str] = None,
        skill: Optional[str] = None,
        agent: Optional[str] = None,
    ) -> Accepted:
        """Begins a turn, and does not wait for it. Raises TurnInProgress, unless a ``delivery`` lets it wait."""
        content = [{"type": "text", "text": input}] if isinstance(input, str) else input
        more = {"delivery": delivery, "skill": skill, "agent": agent}
        return self._send("SendInput", "/input", _without_none({"content": content, **more}))

    def stream_turn(self, input: Input, *, args: bool = False, **options: Optional[str]) -> EventStream:
        """Begins a turn and gives its events as they happen, to its TurnEnded.

        It begins here, not when it is read. Whoever closes it stops watching and not the turn: that is ``cancel_turn``.
        With ``args``: see ``events``.
        """
        box = StreamBox()
        since = self.info()["events"]
        if not args:
            input_id = self.send_input(input, **options).get("inputId")
            return EventStream(self._turn_events(self._follow(since, box), input_id, box), box)
        # No log has pieces of arguments: who subscribes after a short call was written gets none of it.
        events = self._follow(since, box, args=True, with_opening=True)
        try:
            next(events, None)
            input_id = self.send_input(input, **options).get("inputId")
        except BaseException:
            box.close()
            events.close()
            raise
        return EventStream(self._turn_events(events, input_id, box), box)

    def run_turn(self, input: Input, **options: Optional[str]) -> TurnResult:
        """Begins a turn and waits for its end. That it failed is in the result, and no error."""
        total = TurnSum()
        with self.stream_turn(input, **options) as events:
            for event in events:
                total.add(event)
        if total.result is None:
            raise _ended_early()
        return total.result

    def events(self, since: Optional[int] = None, *, args: bool = False) -> EventStream:
        """Every event above ``since``, in order and each once, then those that happen, until the session has ended.

        0: all from the beginning; absent: from now on, and what waits for an answer. What breaks is opened again after the
        last event that came. Where content has expired, was compacted, or was lost when the
        engine was killed, a StreamGap stands in its place. With ``args`` also ToolArgsDelta events, the arguments of calls
        while the model writes them.
        """
        box = StreamBox()
        if since is None:
            info = self.info()
            since = info.get("asked_since", info["events"])
        return EventStream(_events_of(self._follow(since, box, args=args)), box)

    def attach(
        self, file: bytes, *, name: str, media_type: str = "application/octet-stream"
    ) -> AttachmentInfo:
        """Stores a file, of at most 20 MiB, for inputs of this session: an image, a text or a PDF.

        A block ``{"type": "attachment", "id": info["attachment"]}`` of an input stands for it. Raises AttachmentRefused,
        AttachmentsFull, UploadsBusy.
        """
        path = f"/attachments?name={quote(name, safe='')}"
        body = self._post("attach", path, file=FileBody(file, media_type))
        return cast(AttachmentInfo, accepted(body, self._engine.http.url))

    def answer_permission(
        self,
        call_id: str,
        decision: str,
        *,
        scope: Optional[str] = None,
        rule: Optional[str] = None,
        hosts: Optional[bool] = None,
        hunks: Optional[Sequence[str]] = None,
        words: Optional[str] = None,
    ) -> Accepted:
        """Answers a PermissionRequested event: "allow" or "deny". The first answer counts, and only people's do.

        With "allow": ``scope`` and ``rule`` also allow later calls, ``hosts=True`` opens the network that the question
        names, and ``hunks`` are the ids of the changes that are applied. ``words`` go to the model: with "deny" or with
        ``hunks``.
        """
        answer = {
            "callId": call_id,
            "decision": decision,
            "scope": scope,
            "rule": rule,
            "hosts": hosts or None,
            "hunks": None if hunks is None else list(hunks),
            "words": words,
        }
        return self._send("AnswerPermission", "/permission", _without_none(answer))

    def answer(self, ask_id: str, answer: Any) -> Accepted:
        """Answers an Asked event: one of its choices, or the text or form it asks for. Only people's answers count."""
        return self._send("Answer", "/answer", {"askId": ask_id, "answer": answer})

    def cancel_turn(self) -> Accepted:
        """Stops the turn that runs."""
        return self._send("CancelTurn", "/cancel", {})

    def end_session(self) -> Accepted:
        """Ends the session. Its log stays, and can be gone on with."""
        self._has_ended = True
        return self._send("EndSession", "/command", {"kind": "EndSession"})

    def send(self, command: Mapping[str, Any]) -> Accepted:
        """Any command of the protocol, without its sessionId."""
        kind = str(command.get("kind"))
        answer = self._send(kind, "/command", command)
        if kind == "SwitchProfile" and "sessionId" in answer:
            self._go_on_as(answer["sessionId"], command.get("inPlace") is True)
        return answer

    def _send(self, kind: str, path: str, body: Mapping[str, Any]) -> Accepted:
        return accepted(self._post(kind, path, body), self._engine.http.url)

    def _post(
        self, kind: str, path: str, body: Optional[Mapping[str, Any]] = None, file: Optional[FileBody] = None
    ) -> Any:
        try:
            return self._engine.ask("POST", self._path() + path, body, kind, file).body
        except CinchError as thrown:
            # It was refused, so nothing of it was carried out: it may be sent to the run that takes over.
            if thrown.reason != "UnknownSession" or not self._reattach():
                raise
        return self._engine.ask("POST", self._path() + path, body, kind, file).body

    def _turn_events(
        self, events: Iterator[Optional[Envelope]], input_id: Optional[str], box: StreamBox
    ) -> Iterator[Envelope]:
        by = self._engine.client_id
        is_ours = False
        for event in _events_of(events):
            payload = cast(Any, event["payload"])
            is_withdrawn = event["kind"] == "InputWithdrawn" and payload["inputId"] == input_id
            is_ours = is_ours or is_withdrawn or begins(event, by, input_id)
            if not is_ours:
                continue
            yield event
            if is_withdrawn or (event["kind"] == "TurnEnded" and event.get("parentCall") is None):
                return
        if not box.closed.is_set():
            raise _ended_early()

    def _follow(
        self, since: int, box: StreamBox, *, args: bool = False, with_opening: bool = False
    ) -> Generator[Optional[Envelope], None, None]:
        engine = self._engine

        def heal(refusal: CinchError) -> bool:
            if refusal.reason == "UnknownClient":
                return engine.renew_client()
            return refusal.reason == "UnknownSession" and self._reattach()

        def ended() -> None:
            self._has_ended = True

        return follow(
            FollowParts(
                http=engine.http,
                since=since,
                args=args,
                box=box,
                run=lambda: self._id,
                client=lambda: engine.client,
                heal=heal,
                look=self._look,
                seen=self._seen,
                ended=ended,
                on_state=engine.on_state,
                with_opening=with_opening,
            )
        )

    def _seen(self, event: Envelope) -> None:
        if event["kind"] != "ProfileSwitched" or event["session"] != self._id:
            return
        payload = event["payload"]
        if "next" in payload:
            self._go_on_as(payload["next"], payload.get("inPlace") is True)

    def _go_on_as(self, next: str, in_place: bool) -> None:
        with self._lock:
            if next == self._id:
                return
            if in_place:
                self._left, self._id = self._id, next
            elif self._next is None:
                self._next = Session(self._engine, next)

    def _look(self) -> SessionInfo:
        """The session, which goes on as it was where its engine died before it had begun the run that it told of."""
        try:
            return self.info()
        except CinchError as thrown:
            left = self._left
            if left is None or thrown.reason != "UnknownSession":
                raise
            self._id, self._left = left, None
            return self.info()

    def _reattach(self) -> bool:
        """Opens a new run where the engine was started anew since; false where that is not why it is unknown."""
        known = self._id
        with self._lock:
            if self._id != known:
                return True  # another thread did, meanwhile
            if self._has_ended:
                return False
            now = self._engine.look()
            if now == self._seen_in:
                return False
            body = self._engine.ask("POST", f"{self._path()}/command", {"kind": "AttachSession"}, "AttachSession").body
            self._id = accepted(body, self._engine.http.url).get("sessionId", self._id)
            self._seen_in = now
            return True

    def _path(self) -> str:
        return f"/v1/sessions/{quote(self._id, safe='')}"


def accepted(body: Any, url: str) -> Accepted:
    if not isinstance(body, dict):
        raise invalid_answer(url, "what it accepted is no object")
    return cast(Accepted, body)


def _without_none(fields: Mapping[str, Any]) -> Dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _events_of(events: Iterator[Optional[Envelope]]) -> Iterator[Envelope]:
    return (event for event in events if event is not None)


def _ended_early() -> CinchError:
    return CinchError("EngineStopping", "The session ended before the turn did.")
