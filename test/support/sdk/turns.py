"""Runs named turns with the Python SDK and prints the result of each as one line of JSON."""
import json
import os
import sys
from dataclasses import asdict

import cinch_client

client = cinch_client.connect(os.environ["CINCH_URL"], token=os.environ["CINCH_TOKEN"])
session = client.session(sys.argv[1])
for name in sys.argv[2:]:
    turn = session.run_turn(name)
    error = None if turn.error is None else {"reason": turn.error.reason, "message": turn.error.message}
    result = {
        "text": turn.text,
        "reason": turn.reason,
        "rounds": turn.rounds,
        "costUsd": turn.cost_usd,
        "tools": list(turn.tools),
        "refused": turn.refused,
        "error": error,
        "usage": asdict(turn.usage),
    }
    print(json.dumps(result), flush=True)
