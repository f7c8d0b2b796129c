"""A board of all sessions of an engine: one line for each, and one for whatever changes, until you end it.

    export CINCH_URL=http://127.0.0.1:8421 CINCH_TOKEN=$(./cinch token --identity-class human)
    PYTHONPATH=sdk/python/src python3 examples/session-board.py [past]

With ``past``, stored sessions are there too. ``?`` marks one that waits for an answer. A turn is unread
until a client marks it read for the reader ``board``.
"""
import json
import os
import sys

from cinch_client import CinchError, connect


def line(item):
    if item["kind"] == "NewsReady":
        return "that is all; now what changes"
    if item["kind"] == "SessionGone":
        return f"gone {item['session']}"
    info = item["info"]
    mark = "?" if info["state"] == "waiting" else " "
    state = info["state"] if info["live"] else "kept"
    cost = "unknown cost" if info["cost_usd"] is None else f"${info['cost_usd']:.2f}"
    # A title is what somebody typed: as JSON it cannot move the cursor.
    title = json.dumps(info["title"], ensure_ascii=False)
    return f"{mark} {info['session']} {state} {info['unread']}/{info['turns']} unread, {cost}: {title}"


try:
    client = connect(os.environ.get("CINCH_URL", "http://127.0.0.1:8421"), token=os.environ.get("CINCH_TOKEN", ""))
    with client.news(past=sys.argv[1:] == ["past"], reader="board") as news:
        for item in news:
            print(line(item), flush=True)
except CinchError as error:
    print(f"session-board: {error.message} ({error.reason})", file=sys.stderr)
    sys.exit(1)
