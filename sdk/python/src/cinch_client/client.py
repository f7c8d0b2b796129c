"""Clients of an engine, as programs see them."""
from __future__ import annotations

import re
import ssl
from dataclasses import dataclass
from typing import Any, Callable, List, Mapping, Optional, Sequence, Tuple, Union, cast
from urllib.parse import quote, urlencode

from .engine import Engine
from .errors import invalid_answer
from .follow import ConnectionState
from .http import Http, StreamBox, TokenSource
from .limits import Limits
from .news import read_news
from .protocol import (
    QUERY_ROUTES,
    Accepted,
    Handshake,
    Health,
    McpServerInfo,
    ModelInfo,
    ProfileInfo,
    ProviderInfo,
    RuntimeInfo,
    SessionInfo,
    SkillInfo,
    SkillText,
    SlashCommandInfo,
    TaskInfo,
    ToolInfo,
)
from .session import Session, _without_none, accepted
from .stream import NewsStream


def connect(
    url: str = "http://localhost",
    *,
    token: TokenSource,
    socket_path: Optional[str] = None,
    tls: Optional[ssl.SSLContext] = None,
    label: Optional[str] = None,
    limits: Limits = Limits(),
    on_state: Optional[Callable[[ConnectionState], None]] = None,
) -> Client:
    """Makes the handshake with an engine.

    ``socket_path`` goes to its Unix socket. An https address is always verified: by the machine's authorities, or by those
    of ``tls``, such as ``ssl.create_default_context(cafile="ca.pem")``. ``label`` makes a client of its own, for programs
    that share a token; a token has at most 64 in an hour.

    Raises CinchError: EngineUnreachable; HandshakeVersionMismatch; what the engine says of the token; InvalidAnswer where
    something else answers there.
    """
    http = Http(url, token, limits, socket_path, tls)
    engine = Engine(http, label, on_state)
    handshake = engine.shake()
    fields = handshake if isinstance(handshake, dict) else {}
    if not isinstance(fields.get("protocol_version"), str) or not isinstance(fields.get("event_kinds"), list):
        raise invalid_answer(http.url, "its handshake says no version")
    return Client(engine, cast(Handshake, handshake))


class Client:
    """One client of one engine. Made by ``connect``; for any number of threads."""

    def __init__(self, engine: Engine, handshake: Handshake) -> None:
        self._engine = engine
        #: What the engine speaks: versions, kinds, features.
        self.handshake = handshake
        self.sessions = Sessions(engine)
        self.tokens = Tokens(engine)

    @property
    def client_id(self) -> Optional[str]:
        """Who the engine takes this for: the originator of what it sends."""
        return self._engine.client_id

    def session(self, id: str) -> Session:
        """A session that is known by its id; nothing is asked yet."""
        return Session(self._engine, id)

    def news(self, *, past: bool = False, reader: Optional[str] = None) -> NewsStream:
        """The news about all sessions: a SessionChanged of each, NewsReady, then what changes, in the newest state.

        With ``past``, stored sessions too. With the name of a ``reader``, ``unread`` counts the turns after its mark.
        What breaks is opened again and begins with all sessions; those that are gone meanwhile are told as gone.
        """
        box = StreamBox()
        return NewsStream(read_news(self._engine, past, box, reader), box)

    def query(self, kind: str, **params: Any) -> Any:
        """Asks any query of the engine: ``client.query("ListTools", sessionId=id)``; the answer is a dictionary."""
        method, path, body = _query_request(kind, params)
        return self._engine.ask(method, path, body).body

    def health(self) -> Health:
        return cast(Health, self._get("/v1/health"))

    def runtime(self) -> RuntimeInfo:
        return cast(RuntimeInfo, self._get("/v1/runtime"))

    def profiles(self) -> List[ProfileInfo]:
        return self._list("/v1/profiles", "profiles")

    def providers(self) -> List[ProviderInfo]:
        return self._list("/v1/providers", "providers")

    def store_provider_key(self, provider: str, key: str) -> Accepted:
        """Stores the key of a provider, encrypted, on the engine's machine; the engine uses it at once.

        Only people may, and only over the engine's Unix socket (``socket_path``). Raises NotOnThisMachine.
        """
        path = f"/v1/providers/{quote(provider, safe='')}/key"
        answer = self._engine.ask("POST", path, {"key": key}, "StoreProviderKey").body
        return accepted(answer, self._engine.http.url)

    def models(self, provider: str) -> List[ModelInfo]:
        """The models that a provider offers now."""
        return self._list(f"/v1/providers/{quote(provider, safe='')}/models", "models")

    def tools(self) -> List[ToolInfo]:
        return self._list("/v1/tools", "tools")

    def skills(self) -> List[SkillInfo]:
        return self._list("/v1/skills", "skills")

    def skill(self, name: str) -> SkillText:
        return cast(SkillText, self._get(f"/v1/skills/{quote(name, safe='')}"))

    def slash_commands(self) -> List[SlashCommandInfo]:
        return self._list("/v1/slash-commands", "slash_commands")

    def mcp_servers(self) -> List[McpServerInfo]:
        return self._list("/v1/mcp/servers", "servers")

    def _get(self, path: str) -> Any:
        return self._engine.ask("GET", path).body

    def _list(self, path: str, name: str) -> List[Any]:
        return _list_of(self._get(path), name, self._engine.http.url)


def _query_request(kind: str, params: Mapping[str, Any]) -> Tuple[str, str, Optional[Mapping[str, Any]]]:
    """A query as a request: fields that are not in the path are the query string, or the body of a POST."""
    if kind not in QUERY_ROUTES:
        raise ValueError(f"there is no query {kind}")
    route = QUERY_ROUTES[kind]
    left = {name: value for name, value in params.items() if value is not None}
    path = route["path"]
    if "ofSession" in route and "sessionId" in left:
        path = route["ofSession"]
    for name in re.findall(r"{(\w+)}", path):
        field = "sessionId" if name == "id" else route.get("name", "name") if name == "name" else name
        path = path.replace("{" + name + "}", quote(str(left.pop(field)), safe=""))
    if route.get("method") == "POST":
        return "POST", path, left
    words = {name: _words(value) for name, value in left.items()}
    return "GET", path + ("?" + urlencode(words, doseq=True) if words else ""), None


def _words(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return [str(each) for each in value] if isinstance(value, (list, tuple)) else str(value)


class Sessions:
    """The sessions of an engine, as far as the token names them."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def list(self, *, past: bool = False, **params: Any) -> List[SessionInfo]:
        """Those that run, the newest first; with ``past``, those that are stored too.

        Takes the other parameters of the query ``ListSessions`` too; ``Client.query`` also gives the cursor.
        """
        method, path, body = _query_request("ListSessions", {"past": past, **params})
        body = self._engine.ask(method, path, body).body
        return _list_of(body, "sessions", self._engine.http.url)

    def get(self, id: str) -> SessionInfo:
        """One session. Raises UnknownSession."""
        return cast(SessionInfo, self._engine.ask("GET", f"/v1/sessions/{quote(id, safe='')}?last=0").body)

    def tasks(self, id: str) -> List[TaskInfo]:
        """What a session has run in the background."""
        body = self._engine.ask("GET", f"/v1/sessions/{quote(id, safe='')}/tasks").body
        return _list_of(body, "tasks", self._engine.http.url)

    def create(
        self,
        *,
        profile: Optional[str] = None,
        model: Optional[str] = None,
        working_dir: Optional[str] = None,
        run: Optional[Mapping[str, Any]] = None,
        provisional: Optional[bool] = None,
    ) -> Session:
        """Begins a new session. What is left out is as the engine's user has configured it.

        ``run`` is the protocol's, such as ``{"maxTurns": 5, "strictPermissions": True}``. With
        ``provisional`` the session is removed if it ends unused, without clients.
        """
        given = {"profile": profile, "model": model, "workingDir": working_dir, "run": run}
        body = _without_none({**given, "provisional": provisional})
        return self._open("/v1/sessions", "CreateSession", body, None)

    def resume(self, id: str) -> Session:
        """Goes on with one that has ended, or whose engine has: as a new run on its log, or the run that there is."""
        path = f"/v1/sessions/{quote(id, safe='')}/command"
        return self._open(path, "AttachSession", {"kind": "AttachSession"}, id)

    def _open(self, path: str, command: str, body: Any, known: Optional[str]) -> Session:
        answer = accepted(self._engine.ask("POST", path, body, command).body, self._engine.http.url)
        id = answer.get("sessionId", known)
        if id is None:
            raise invalid_answer(self._engine.http.url, "it does not say which session")
        return Session(self._engine, id)


@dataclass(frozen=True)
class MintedToken:
    token: str


@dataclass(frozen=True)
class MintCode:
    """A person was shown a code at ``channel``; ``confirm`` takes it, within a minute."""

    mint_id: str
    channel: str


class Tokens:
    """Making and revoking tokens; over the Unix socket and loopback alone, as the engine has it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def mint(
        self,
        identity_class: str,
        *,
        sessions: Optional[Sequence[str]] = None,
        commands: Optional[Sequence[str]] = None,
        wire: Optional[str] = None,
        expires_in: Optional[float] = None,
        can_mint: Optional[bool] = None,
    ) -> Union[MintedToken, MintCode]:
        """A token of class "human" or "agent", which can approve nothing; ``expires_in`` in seconds, else 24 hours."""
        claims = {
            "identity_class": identity_class,
            "sessions": None if sessions is None else list(sessions),
            "commands": None if commands is None else list(commands),
            "wire": wire,
            "expires_in": expires_in,
            "can_mint": can_mint,
        }
        body = self._engine.ask("POST", "/v1/auth/token", {"claims": _without_none(claims)}, "a new token").body
        fields = body if isinstance(body, dict) else {}
        token, mint_id, channel = fields.get("token"), fields.get("mintId"), fields.get("channel")
        if isinstance(token, str):
            return MintedToken(token)
        if isinstance(mint_id, str) and isinstance(channel, str):
            return MintCode(mint_id, channel)
        raise invalid_answer(self._engine.http.url, "neither a token nor where its code is shown")

    def confirm(self, mint_id: str, code: str) -> str:
        """Sends the code back that a person has read; gives the token."""
        path = f"/v1/auth/token/{quote(mint_id, safe='')}"
        body = self._engine.ask("POST", path, {"code": code}, "the code").body
        token = body.get("token") if isinstance(body, dict) else None
        if not isinstance(token, str):
            raise invalid_answer(self._engine.http.url, "no token")
        return token

    def revoke(self, jti: str) -> None:
        """Revokes a token for good and cuts its streams."""
        self._engine.ask("DELETE", f"/v1/auth/tokens/{quote(jti, safe='')}", None, "the revocation")


def _list_of(body: Any, name: str, url: str) -> List[Any]:
    found = body.get(name) if isinstance(body, dict) else None
    if not isinstance(found, list):
        raise invalid_answer(url, f"there is no list of {name} in it")
    return found
