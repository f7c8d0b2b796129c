"""One engine as one client of it: who asks, over whatever number of connections."""
from __future__ import annotations

import threading
from typing import Any, Callable, Mapping, Optional
from urllib.parse import quote

from .errors import CinchError, invalid_answer
from .follow import ConnectionState
from .http import Answer, FileBody, Http
from .protocol import PROTOCOL_VERSION


class Engine:
    def __init__(
        self, http: Http, label: Optional[str], on_state: Optional[Callable[[ConnectionState], None]]
    ) -> None:
        self.http = http
        self.on_state = on_state
        self._label = label
        self._lock = threading.Lock()
        #: What requests name their client with, where it is not the token's own.
        self.client: Optional[str] = None
        self._client_id: Optional[str] = None
        #: The process that answers, as it was last looked at; another start changes it.
        self.process = ""

    @property
    def client_id(self) -> Optional[str]:
        """The client that the engine takes this for."""
        return self.client or self._client_id

    def shake(self) -> Any:
        """The handshake, as a client of its own where there is a label."""
        if self._label is None:
            body = self.ask("GET", f"/v1/handshake?version={quote(PROTOCOL_VERSION, safe='')}").body
        else:
            body = self._make_client(self._label)
        self.look()
        return body

    def look(self) -> str:
        """Asks which process answers now."""
        body = self.ask("GET", "/v1/runtime").body
        engine = body.get("engine") if isinstance(body, dict) else None
        if not isinstance(engine, str):
            engine = self._process_in(body)
        self.process = engine
        return engine

    def _process_in(self, body: Any) -> str:
        """What an engine before protocol 0.3 says of itself."""
        pid, started = (body.get("pid"), body.get("started_at")) if isinstance(body, dict) else (None, None)
        if not isinstance(pid, int) or not isinstance(started, str):
            raise invalid_answer(self.http.url, "it does not say which engine it is")
        return f"{pid} {started}"

    def ask(
        self,
        method: str,
        path: str,
        body: Optional[Mapping[str, Any]] = None,
        command: Optional[str] = None,
        file: Optional[FileBody] = None,
    ) -> Answer:
        """One request. Where the engine has forgotten this client, it is made anew: nothing was carried out."""
        try:
            return self._seen(self.http.request(method, path, body, self.client, command, file))
        except CinchError as thrown:
            if thrown.reason != "UnknownClient" or not self.renew_client():
                raise
            return self._seen(self.http.request(method, path, body, self.client, command, file))

    def renew_client(self) -> bool:
        """Makes this client anew, where it had one of its own."""
        if self._label is None:
            return False
        self._make_client(self._label)
        return True

    def _make_client(self, label: str) -> Any:
        body = self.http.request("POST", "/v1/clients", {"label": label}).body
        client = body.get("client") if isinstance(body, dict) else None
        if not isinstance(client, str):
            raise invalid_answer(self.http.url, "it does not say who the client is")
        with self._lock:
            self.client = client
        return body.get("handshake")

    def _seen(self, answer: Answer) -> Answer:
        with self._lock:
            self._client_id = answer.client or self._client_id
        return answer
