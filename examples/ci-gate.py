"""A step of CI: one turn of an agent, and an exit code that says how it went.

    CINCH_TOKEN=$(./cinch token --identity-class agent) CINCH_SOCKET=... \\
        PYTHONPATH=sdk/python/src python3 examples/ci-gate.py "Do the tests cover what the last commit changed?"

0: it ended well, and its answer is on standard output. 1: the turn failed. 2: there is no engine, or it refuses. 3: a call
needed a permission that nobody here can give: the turn is cancelled, or went on without it.
"""
import os
import sys

from cinch_client import CinchError, TurnSum, connect

WELL, FAILED, NO_ENGINE, REFUSED = 0, 1, 2, 3


def gate(prompt):
    client = connect(
        os.environ.get("CINCH_URL", "http://localhost"),
        token=os.environ.get("CINCH_TOKEN", ""),
        socket_path=os.environ.get("CINCH_SOCKET"),
    )
    session = client.sessions.create()
    total, needed = TurnSum(), []
    try:
        with session.stream_turn(prompt) as events:
            for event in events:
                total.add(event)
                if event["kind"] == "PermissionRequested":
                    needed.append(event["payload"]["summary"])
                    session.cancel_turn()
    finally:
        session.end_session()
    result = total.result
    if needed or result.refused > 0:
        print(f"ci-gate: refused: {'; '.join(needed) or 'see the log of the session'}", file=sys.stderr)
        return REFUSED
    if result.reason not in ("complete", "yield"):
        print(f"ci-gate: {result.error.message if result.error else result.reason}", file=sys.stderr)
        return FAILED
    print(result.text)
    return WELL


if len(sys.argv) != 2:
    sys.exit('usage: ci-gate.py "PROMPT"')
try:
    sys.exit(gate(sys.argv[1]))
except CinchError as error:
    print(f"ci-gate: {error.message} ({error.reason})", file=sys.stderr)
    sys.exit(NO_ENGINE)
