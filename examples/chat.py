"""A chat with an engine that runs elsewhere, over its Unix socket or a port.

    CINCH_URL=http://127.0.0.1:8421 CINCH_TOKEN=$(./cinch token --identity-class human) \\
        PYTHONPATH=sdk/python/src python3 examples/chat.py

With CINCH_SOCKET, it goes to that socket. A line is a question; what asks for permission is answered with y or n. Ctrl-D
leaves, and stops nothing.
"""
import os
import sys

from cinch_client import CinchError, connect


def ask(question):
    print(question, end="", flush=True)
    return sys.stdin.readline()


def chat():
    client = connect(
        os.environ.get("CINCH_URL", "http://localhost"),
        token=os.environ.get("CINCH_TOKEN", ""),
        socket_path=os.environ.get("CINCH_SOCKET"),
    )
    session = client.sessions.create()
    while line := ask("> "):
        if line.strip() == "":
            continue
        with session.stream_turn(line.rstrip("\n")) as events:
            for event in events:
                kind, payload = event["kind"], event["payload"]
                if kind == "TextDelta":
                    print(payload["text"], end="", flush=True)
                elif kind == "ToolCallStarted":
                    print(f"\n[{payload['tool']}]")
                elif kind == "PermissionRequested":
                    answer = ask(f"\n{payload['summary']}\nallow? [y/n] ").strip()
                    session.answer_permission(payload["callId"], "allow" if answer == "y" else "deny")
                elif kind == "TurnEnded":
                    print("" if payload["reason"] == "complete" else f"\n({payload['reason']})")
    session.end_session()


try:
    chat()
except CinchError as error:
    print(f"chat: {error.message} ({error.reason})", file=sys.stderr)
    sys.exit(1)
