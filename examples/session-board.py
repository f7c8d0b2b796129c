"""A board of all sessions of an engine: one line for each, and one for whatever changes, until you end it.

    export CINCH_URL=http://127.0.0.1:8421 CINCH_TOKEN=$(./cinch token --identity-class human)
    PYTHONPATH=sdk/python/src python3 examples/session-board.py [past]

With ``past``, stored sessions are there too. ``?`` marks one that waits for an answer.
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
    mark = "?" if "asked_since" in info else " "
    state = "live" if info["live"] else "kept"
    # A title is what somebody typed: as JSON it cannot move the cursor.
    title = json.dumps(info["title"], ensure_ascii=False)
    return f"{mark} {info['session']} {state} {info['turns']} turns {title}"


try:
    client = connect(os.environ.get("CINCH_URL", "http://127.0.0.1:8421"), token=os.environ.get("CINCH_TOKEN", ""))
    with client.news(past=sys.argv[1:] == ["past"]) as news:
        for item in news:
            print(line(item), flush=True)
except CinchError as error:
    print(f"session-board: {error.message} ({error.reason})", file=sys.stderr)
    sys.exit(1)
