"""The same for asyncio: each call runs in a thread, and no event loop waits for it.

A task that is cancelled while it waits for an answer stops waiting at once; the answer is thrown away when it comes. Whether
a command was carried out is then told by the events of its session.
"""
from __future__ import annotations

import asyncio
import functools
from concurrent.futures import ThreadPoolExecutor
from typing import Any, AsyncIterator, Callable, List, Mapping, Optional, TypeVar, Union

from . import client as sync
from .protocol import (
    Accepted,
    AttachmentInfo,
    Envelope,
    Handshake,
    Health,
    ModelInfo,
    NewsItem,
    RuntimeInfo,
    SessionInfo,
    ToolInfo,
)
from .session import Input, Session
from .stream import ReadStream
from .turn import TurnResult, TurnSum

Value = TypeVar("Value")
Item = TypeVar("Item")


async def connect(url: str = "http://localhost", **options: Any) -> AsyncClient:
    """As ``cinch_client.connect``, with its options."""
    return AsyncClient(await _in_thread(sync.connect, url, **options))


class AsyncClient:
    def __init__(self, client: sync.Client) -> None:
        #: The client beneath, for what has no method here: ``await asyncio.to_thread(client.sync.skills)``.
        self.sync = client
        self.sessions = AsyncSessions(client.sessions)
        self.tokens = AsyncTokens(client.tokens)

    @property
    def handshake(self) -> Handshake:
        return self.sync.handshake

    @property
    def client_id(self) -> Optional[str]:
        return self.sync.client_id

    def session(self, id: str) -> AsyncSession:
        return AsyncSession(self.sync.session(id))

    async def health(self) -> Health:
        return await _in_thread(self.sync.health)

    async def runtime(self) -> RuntimeInfo:
        return await _in_thread(self.sync.runtime)

    async def query(self, kind: str, **params: Any) -> Any:
        return await _in_thread(self.sync.query, kind, **params)

    async def news(self, *, past: bool = False, reader: Optional[str] = None) -> AsyncIterator[NewsItem]:
        async for item in _read(functools.partial(self.sync.news, past=past, reader=reader)):
            yield item

    async def tools(self) -> List[ToolInfo]:
        return await _in_thread(self.sync.tools)

    async def store_provider_key(self, provider: str, key: str) -> Accepted:
        return await _in_thread(self.sync.store_provider_key, provider, key)

    async def models(self, provider: str) -> List[ModelInfo]:
        return await _in_thread(self.sync.models, provider)


class AsyncSessions:
    def __init__(self, sessions: sync.Sessions) -> None:
        self._sessions = sessions

    async def list(self, *, past: bool = False, **params: Any) -> List[SessionInfo]:
        return await _in_thread(self._sessions.list, past=past, **params)

    async def get(self, id: str) -> SessionInfo:
        return await _in_thread(self._sessions.get, id)

    async def create(self, **options: Any) -> AsyncSession:
        """As ``Sessions.create``, with its options."""
        return AsyncSession(await _in_thread(self._sessions.create, **options))

    async def resume(self, id: str) -> AsyncSession:
        return AsyncSession(await _in_thread(self._sessions.resume, id))


class AsyncTokens:
    def __init__(self, tokens: sync.Tokens) -> None:
        self._tokens = tokens

    async def mint(self, identity_class: str, **claims: Any) -> Union[sync.MintedToken, sync.MintCode]:
        return await _in_thread(self._tokens.mint, identity_class, **claims)

    async def confirm(self, mint_id: str, code: str) -> str:
        return await _in_thread(self._tokens.confirm, mint_id, code)

    async def revoke(self, jti: str) -> None:
        await _in_thread(self._tokens.revoke, jti)


class AsyncSession:
    """As ``Session``; see there."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def id(self) -> str:
        return self._session.id

    @property
    def next(self) -> Optional[AsyncSession]:
        after = self._session.next
        return None if after is None else AsyncSession(after)

    async def info(self) -> SessionInfo:
        return await _in_thread(self._session.info)

    async def send_input(self, input: Input, **options: Optional[str]) -> Accepted:
        return await _in_thread(self._session.send_input, input, **options)

    async def stream_turn(
        self, input: Input, *, args: bool = False, **options: Optional[str]
    ) -> AsyncIterator[Envelope]:
        async for event in _read(functools.partial(self._session.stream_turn, input, args=args, **options)):
            yield event

    async def run_turn(self, input: Input, **options: Optional[str]) -> TurnResult:
        total = TurnSum()
        async for event in self.stream_turn(input, **options):
            total.add(event)
        if total.result is None:
            raise RuntimeError("a turn's events end with its end")
        return total.result

    async def events(self, since: Optional[int] = None, *, args: bool = False) -> AsyncIterator[Envelope]:
        async for event in _read(functools.partial(self._session.events, since, args=args)):
            yield event

    async def attach(
        self, file: bytes, *, name: str, media_type: str = "application/octet-stream"
    ) -> AttachmentInfo:
        return await _in_thread(self._session.attach, file, name=name, media_type=media_type)

    async def answer_permission(self, call_id: str, decision: str, **options: Any) -> Accepted:
        """As ``Session.answer_permission``, with its options."""
        return await _in_thread(self._session.answer_permission, call_id, decision, **options)

    async def answer(self, ask_id: str, answer: Any) -> Accepted:
        return await _in_thread(self._session.answer, ask_id, answer)

    async def cancel_turn(self) -> Accepted:
        return await _in_thread(self._session.cancel_turn)

    async def end_session(self) -> Accepted:
        return await _in_thread(self._session.end_session)

    async def send(self, command: Mapping[str, Any]) -> Accepted:
        return await _in_thread(self._session.send, command)


async def _read(open_stream: Callable[[], ReadStream[Item]]) -> AsyncIterator[Item]:
    """One thread for each reader: the next item is asked for when the one before was taken."""
    loop = asyncio.get_running_loop()
    thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="cinch-events")
    stream: Optional[ReadStream[Item]] = None
    try:
        stream = await loop.run_in_executor(thread, open_stream)
        while True:
            item = await loop.run_in_executor(thread, _next, stream)
            if item is None:
                return
            yield item
    finally:
        if stream is not None:
            stream.close()  # whatever the thread waits for ends with it
        thread.shutdown(wait=False)


def _next(stream: ReadStream[Item]) -> Optional[Item]:
    return next(stream, None)


async def _in_thread(call: Callable[..., Value], *args: Any, **options: Any) -> Value:
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(None, functools.partial(call, *args, **options))
