"""Requests to one engine: over TCP, TLS or a Unix socket, each with a limit."""
from __future__ import annotations

import http.client
import json
import re
import socket
import ssl
import threading
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, Mapping, Optional, Union
from urllib.parse import urlsplit

from .errors import CinchError, connection_lost, invalid_answer, refusal_of, unreachable
from .limits import Limits
from .protocol import PROTOCOL_VERSION

#: A capability token, or what gives one: it is asked before each request, so that it may be a new one.
TokenSource = Union[str, Callable[[], str]]

_TOKEN = re.compile(r"[\x21-\x7e]*\Z")
_BROKEN = (OSError, http.client.HTTPException, ValueError)


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            sock.settimeout(self.timeout)
            sock.connect(self._path)
        except BaseException:
            sock.close()
            raise
        self.sock = sock


@dataclass(frozen=True)
class FileBody:
    """A file as the body of a request, instead of JSON."""

    data: bytes
    media_type: str


@dataclass(frozen=True)
class Answer:
    status: int
    body: Any
    #: The client that the engine took this for.
    client: Optional[str]


class Http:
    """Opens a connection for each request. Every failure is a CinchError."""

    def __init__(
        self,
        url: str,
        token: TokenSource,
        limits: Limits,
        socket_path: Optional[str] = None,
        tls: Optional[ssl.SSLContext] = None,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError("url: it takes the address of an engine, such as http://127.0.0.1:8421, without a query")
        if parts.username is not None or parts.password is not None:
            raise ValueError("url: it takes no user; a token is given as token")
        if tls is not None and parts.scheme != "https":
            raise ValueError("tls: it is for an address that begins with https://")
        self.url = url.rstrip("/")
        self.limits = limits
        self._parts = parts
        self._token = token
        self._socket_path = socket_path
        self._tls = tls

    def request(
        self,
        method: str,
        path: str,
        body: Optional[Mapping[str, Any]] = None,
        client: Optional[str] = None,
        command: Optional[str] = None,
        file: Optional[FileBody] = None,
    ) -> Answer:
        """One request and its whole answer. A command is never sent twice, and may take longer."""
        seconds = self.limits.answer if command is None else self.limits.command
        with _Exchange(self._connection(seconds), seconds) as exchange:
            try:
                response = self._send(exchange, method, path, {"Accept": "application/json"}, body, client, file)
                raw = exchange.read_all(response, self.limits.answer_bytes_max, self.url)
            except _BROKEN as thrown:
                raise self._broken(thrown, exchange, command, seconds) from thrown
        value = self._parsed(raw, response.status)
        if not 200 <= response.status < 300:
            raise refusal_of(value, self.url, response.status)
        return Answer(response.status, value, response.getheader("x-harness-client"))

    def stream(self, path: str, headers: Mapping[str, str], client: Optional[str], box: StreamBox) -> Stream:
        """The answer of a stream. The box closes it from another thread."""
        exchange = _Exchange(self._connection(self.limits.answer), self.limits.answer)
        try:
            box.put(exchange)
            try:
                asked = {"Accept": "text/event-stream", **headers}
                response = self._send(exchange, "GET", path, asked, None, client)
                raw = b""
                if response.status != 200:
                    raw = exchange.read_all(response, self.limits.answer_bytes_max, self.url)
            except _BROKEN as thrown:
                raise self._broken(thrown, exchange, None, self.limits.answer) from thrown
            if response.status != 200:
                raise refusal_of(self._parsed(raw, response.status), self.url, response.status)
            kind = response.getheader("content-type") or "none"
            if not kind.startswith("text/event-stream"):
                why = f"a stream of events was asked for, its content type is {kind[:100]}"
                raise invalid_answer(self.url, why, response.status)
            exchange.begin_stream(self.limits.silence)
            return Stream(exchange, response, self._socket_path or self.url, self.limits.silence)
        except BaseException:
            exchange.close()
            raise

    def _connection(self, seconds: float) -> http.client.HTTPConnection:
        host, port = self._parts.hostname or "", self._parts.port
        if self._socket_path is not None:
            return _UnixConnection(self._socket_path, seconds)
        if self._parts.scheme == "https":
            context = self._tls or ssl.create_default_context()
            return http.client.HTTPSConnection(host, port, timeout=seconds, context=context)
        return http.client.HTTPConnection(host, port, timeout=seconds)

    def _send(
        self,
        exchange: _Exchange,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: Optional[Mapping[str, Any]],
        client: Optional[str],
        file: Optional[FileBody] = None,
    ) -> http.client.HTTPResponse:
        token = self._token if isinstance(self._token, str) else self._token()
        if _TOKEN.match(token) is None:
            raise CinchError("TokenInvalid", "The token has characters that no header can have.")
        every: Dict[str, str] = {**headers, "X-Harness-Token": token, "X-Harness-Version": PROTOCOL_VERSION}
        if client is not None:
            every["X-Harness-Client"] = client
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            every["Content-Type"] = "application/json"
        if file is not None:
            data = file.data
            every["Content-Type"] = file.media_type
        response = exchange.ask(method, self._parts.path.rstrip("/") + path, data, every)
        if 300 <= response.status < 400:
            why = f"it sends requests elsewhere (status {response.status})"
            raise invalid_answer(self.url, why, response.status)
        return response

    def _broken(
        self, thrown: Exception, exchange: _Exchange, command: Optional[str], seconds: float
    ) -> CinchError:
        detail = f"no answer within {seconds:g} s" if exchange.is_late(thrown) else (str(thrown) or type(thrown).__name__)
        if command is None or not exchange.was_sent:
            return unreachable(self._socket_path or self.url, detail)
        return connection_lost(command)

    def _parsed(self, raw: bytes, status: int) -> Any:
        if raw == b"" and status == 204:
            return None
        try:
            return json.loads(raw.decode())
        except (ValueError, RecursionError) as thrown:
            raise invalid_answer(self.url, f"status {status}, and no JSON", status) from thrown


class _Exchange:
    """One connection, with a limit for the whole of it: a server that sends a byte now and then is late too."""

    def __init__(self, connection: http.client.HTTPConnection, seconds: float) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._sock: Optional[socket.socket] = None
        self._is_over = False
        self._late = False
        self.was_sent = False
        self._ends = time.monotonic() + seconds
        self._timer: Optional[threading.Timer] = threading.Timer(seconds, self._be_late)
        self._timer.daemon = True
        self._timer.start()

    def __enter__(self) -> _Exchange:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask(self, method: str, path: str, data: Optional[bytes], headers: Mapping[str, str]) -> http.client.HTTPResponse:
        self._connection.connect()
        with self._lock:
            self._sock = self._connection.sock
            if self._is_over or self._late:
                raise OSError("the connection was closed")
        self.was_sent = True
        self._connection.request(method, path, body=data, headers=dict(headers))
        return self._connection.getresponse()

    def read_all(self, response: http.client.HTTPResponse, bytes_max: int, url: str) -> bytes:
        pieces, count = [], 0
        while True:
            piece = response.read(65_536)  # not read1, which does not count what is left
            if piece == b"":
                break
            pieces.append(piece)
            count += len(piece)
            if count > bytes_max:
                raise invalid_answer(url, f"an answer of more than {bytes_max} bytes", response.status)
        if response.length:
            raise http.client.IncompleteRead(b"", response.length)
        if self._late:
            raise TimeoutError("the time is over")
        return b"".join(pieces)

    def begin_stream(self, silence: float) -> None:
        """The limit was for the answer to begin; from now on it is for each piece."""
        self._stop_timer()
        if self._sock is not None:
            self._sock.settimeout(silence)

    def is_late(self, thrown: BaseException) -> bool:
        return self._late or isinstance(thrown, (socket.timeout, TimeoutError)) or time.monotonic() >= self._ends

    @property
    def is_over(self) -> bool:
        return self._is_over

    def close(self) -> None:
        """From any thread: whoever reads is told that it has ended."""
        self._stop_timer()
        with self._lock:
            self._is_over = True
        self._shut()
        self._connection.close()

    def interrupt(self) -> None:
        """Ends the reading of another thread, which then closes it."""
        with self._lock:
            self._is_over = True
        self._shut()

    def _be_late(self) -> None:
        with self._lock:
            self._late = True
        self._shut()

    def _shut(self) -> None:
        sock = self._sock
        if sock is None:
            return
        try:
            # The socket beneath TLS too: its own shutdown would wait for the other side.
            socket.socket.shutdown(sock, socket.SHUT_RDWR)
        except OSError:
            pass  # it is closed already, which is what was wanted

    def _stop_timer(self) -> None:
        timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()


class Stream:
    """The body of a stream, piece by piece."""

    def __init__(self, exchange: _Exchange, response: http.client.HTTPResponse, url: str, silence: float) -> None:
        self._exchange = exchange
        self._response = response
        self._url = url
        self._silence = silence

    def read(self) -> bytes:
        """Empty at the end. Raises EngineUnreachable where it breaks, or is silent for too long."""
        try:
            return self._response.read1(65_536)
        except (socket.timeout, TimeoutError) as thrown:
            raise unreachable(self._url, f"its events bring nothing, for {self._silence:g} s") from thrown
        except _BROKEN as thrown:
            raise unreachable(self._url, "the connection broke") from thrown

    def close(self) -> None:
        self._exchange.close()


class StreamBox:
    """Holds the connection that a reader is at, so that another thread can end the reading."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._exchange: Optional[_Exchange] = None
        self.closed = threading.Event()

    def put(self, exchange: _Exchange) -> None:
        with self._lock:
            self._exchange = exchange
            if not self.closed.is_set():
                return
        exchange.interrupt()

    def close(self) -> None:
        with self._lock:
            self.closed.set()
            exchange = self._exchange
        if exchange is not None:
            exchange.interrupt()
