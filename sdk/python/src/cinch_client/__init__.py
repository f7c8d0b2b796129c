"""A client of cinch engines. Standard library only; ``cinch_client.aio`` has the same for asyncio."""
from .client import Client, MintCode, MintedToken, Sessions, Tokens, connect
from .errors import CinchError, EngineUnreachable
from .follow import ConnectionState
from .limits import Limits
from .protocol import EVENT_KINDS, PROTOCOL_VERSION, Envelope, NewsItem
from .session import Input, Session
from .stream import EventStream, NewsStream
from .turn import TurnError, TurnResult, TurnSum, TurnUsage

__all__ = [
    "Client",
    "CinchError",
    "ConnectionState",
    "EVENT_KINDS",
    "EngineUnreachable",
    "Envelope",
    "EventStream",
    "Input",
    "Limits",
    "MintCode",
    "MintedToken",
    "NewsItem",
    "NewsStream",
    "PROTOCOL_VERSION",
    "Session",
    "Sessions",
    "Tokens",
    "TurnError",
    "TurnResult",
    "TurnSum",
    "TurnUsage",
    "connect",
]
