"""Does with the Python SDK what driver.mjs does with the TypeScript SDK, and prints the same lines."""
import asyncio
import base64
import inspect
import json
import os
import sys

import cinch_client
from cinch_client import CinchError, Limits, aio

ENV = os.environ
ASYNC = sys.argv[1] == "--async"
ARGS = sys.argv[2:] if ASYNC else sys.argv[1:]


def tell(**value):
    print(json.dumps(value), flush=True)


async def wait(value):
    """What the two kinds of client give: a value, or what is to be awaited for one."""
    return await value if inspect.isawaitable(value) else value


async def each(events):
    if hasattr(events, "__aiter__"):
        async for event in events:
            yield event
    else:
        with events:
            for event in events:
                yield event


async def open_client(**more):
    options = {"token": ENV.get("CINCH_TOKEN", ""), **more}
    if "CINCH_SOCKET" in ENV:
        options["socket_path"] = ENV["CINCH_SOCKET"]
    if "CINCH_LABEL" in ENV:
        options["label"] = ENV["CINCH_LABEL"]
    connect = aio.connect if ASYNC else cinch_client.connect
    return await wait(connect(ENV.get("CINCH_URL", "http://localhost"), **options))


async def reason_of(call):
    try:
        await wait(call())
        return "none"
    except CinchError as thrown:
        return thrown.reason


async def tour():
    client = await open_client()
    kinds = client.handshake["event_kinds"]
    tell(handshake=[client.handshake["protocol_version"], "TextDelta" in kinds])
    tools = await wait(client.tools())
    tell(health=(await wait(client.health()))["status"], tools="Bash" in [tool["name"] for tool in tools])
    made = await wait(client.sessions.create())
    [newest] = await wait(client.sessions.list(past=True, limit=1))
    got = await wait(client.sessions.get(made.id))
    tell(created=newest["session"] == made.id, got=got["log"] == newest["log"], profile=got["profile"])
    queried = await wait(client.query("GetSession", sessionId=made.id, last=0))
    prices = (await wait(client.query("ListPrices", models=["mock:one", "mock:two"])))["prices"]
    tell(queried=queried["session"] == made.id and queried["last_events"] == [], priced=list(prices))

    turn = await wait(made.run_turn("say hello"))
    tell(
        turn={
            "text": turn.text,
            "reason": turn.reason,
            "rounds": turn.rounds,
            "costUsd": turn.cost_usd,
            "usage": {
                "calls": turn.usage.calls,
                "inputTokens": turn.usage.input_tokens,
                "outputTokens": turn.usage.output_tokens,
                "cacheReadTokens": turn.usage.cache_read_tokens,
                "cacheWriteTokens": turn.usage.cache_write_tokens,
            },
            "tools": list(turn.tools),
            "refused": turn.refused,
        }
    )
    seen = set()
    async for event in each(made.stream_turn("say hello")):
        seen.add(event["kind"])
    tell(kinds=sorted(seen))

    for decision in ["allow", "deny"]:
        async for event in each(made.stream_turn("touch it")):
            payload = event["payload"]
            if event["kind"] == "PermissionRequested":
                answered = await wait(made.answer_permission(payload["callId"], decision))
                tell(asked=payload["tool"], answered=answered)
            if event["kind"] == "PermissionAnswered":
                tell(counted=payload["counted"], by=payload["decision"])
            if event["kind"] == "ToolResult":
                tell(isError=payload.get("isError", False))

    told = []
    async for event in each(made.stream_turn("go on for ever")):
        if event["kind"] == "TextDelta" and not told:
            told.append(await wait(made.cancel_turn()))
        if event["kind"] == "TurnEnded":
            told.append(event["payload"]["reason"])
    tell(cancelled=told)

    stranger = client.session("sess_01ARZ3NDEKTSV4RRFFQ69G5FAV")
    tell(
        unknownSession=await reason_of(lambda: stranger.run_turn("hello")),
        noId=await reason_of(lambda: client.sessions.get("nonsense")),
        noQuestion=await reason_of(lambda: made.answer("ask_01ARZ3NDEKTSV4RRFFQ69G5FAV", "yes")),
        badToken=await reason_of(lambda: open_client(token="nonsense")),
    )
    minted = await wait(client.tokens.mint("agent", sessions=[made.id], expires_in=60))
    lesser = await open_client(token=minted.token)
    claims = json.loads(base64.urlsafe_b64decode(minted.token.split(".")[0] + "=="))
    await wait(client.tokens.revoke(claims["jti"]))
    tell(revoked=await reason_of(lesser.runtime))

    await wait(made.end_session())
    tell(ended=not (await wait(client.sessions.get(made.id)))["live"])
    again = await wait(client.sessions.resume(made.id))
    turn = await wait(again.run_turn("say hello"))
    tell(resumed=again.id != made.id, turn=turn.text)


async def follow(session):
    client = await open_client(limits=Limits(backoff_min=0.02, backoff_max=0.2))
    followed = client.session(session)
    async for event in each(followed.events(0)):
        tell(id=event["id"], kind=event["kind"])
        if event["kind"] != "TurnEnded":
            continue
        if event["payload"]["reason"] == "complete":
            break
        await wait(followed.send_input("say hello"))
    tell(goneOn=followed.id != session)


async def news(session):
    client = await open_client(limits=Limits(backoff_min=0.02, backoff_max=0.2))
    turns, ready = {}, 0
    async for item in each(client.news()):
        if item["kind"] == "SessionChanged" and turns.get(item["session"]) != item["info"]["turns"]:
            turns[item["session"]] = item["info"]["turns"]
            tell(ours=item["session"] == session, turns=item["info"]["turns"])
        if item["kind"] == "SessionGone":
            tell(gone=item["session"] == session)
        if item["kind"] == "NewsReady":
            ready += 1
            tell(ready=ready)
            if ready == 2:
                break


async def watch(session):
    def on_state(state):
        if state.kind == "connected":
            tell(run=watched.id)

    client = await open_client(limits=Limits(backoff_min=0.02, backoff_max=0.2), on_state=on_state)
    watched = client.session(session)
    async for event in each(watched.events(0)):
        tell(**event)


async def onward(session):
    client = await open_client()
    at = client.session(session)
    while at is not None:
        async for event in each(at.events(0)):
            tell(id=event["id"], kind=event["kind"], run=event["session"])
        at = at.next
    own = await wait(client.sessions.create())
    await wait(own.send({"kind": "SwitchProfile", "profile": "self", "inPlace": True}))
    tell(inPlace=(await wait(own.run_turn("say hello"))).text, gone=own.next is not None)
    await wait(own.send({"kind": "SwitchProfile", "profile": "default"}))
    after = own.next
    tell(after=(await wait(after.run_turn("say hello"))).text, gone=after.id != own.id)
    await wait(after.end_session())


async def turn(session):
    watching = []

    def on_state(state):
        if state.kind == "connected" and not watching:
            tell(watching=True)  # its input was accepted, and its events are followed
            watching.append(True)

    client = await open_client(limits=Limits(backoff_min=0.02, backoff_max=0.2), on_state=on_state)
    awaited = client.session(session)
    tell(reason=(await wait(awaited.run_turn("take your time"))).reason)
    tell(text=(await wait(awaited.run_turn("say hello"))).text)


async def written(session, asks):
    client = await open_client()
    text = ""
    async for event in each(client.session(session).events(0, args=asks == "asks")):
        if event["kind"] == "TurnEnded":
            tell(watching=True)
        if event["kind"] == "ToolArgsDelta":
            text += event["payload"]["text"]
        if event["kind"] == "ToolCallStarted":
            break
    tell(written=text)


async def args(session):
    client = await open_client()
    awaited = client.session(session)
    for asks in [True, False]:
        text, last = "", ""
        async for event in each(awaited.stream_turn("touch it", args=asks)):
            last = event["kind"]
            if last == "ToolArgsDelta":
                text += event["payload"]["text"]
            if last == "PermissionRequested":
                await wait(awaited.answer_permission(event["payload"]["callId"], "deny"))
        tell(written=text, ended=last)


async def asked(session):
    client = await open_client(limits=Limits(backoff_min=0.02, backoff_max=0.2))
    awaited = client.session(session)
    async for event in each(awaited.stream_turn("touch it")):
        payload = event["payload"]
        if event["kind"] == "PermissionRequested":
            call_id = payload["callId"]
            tell(asked=payload["tool"])
        if event["kind"] == "TurnEnded":
            tell(ended=payload["reason"])
    tell(late=await reason_of(lambda: awaited.answer_permission(call_id, "allow")))
    tell(text=(await wait(awaited.run_turn("say hello"))).text)


async def probe(*names):
    patient = Limits(backoff_min=0.01, answer_bytes_max=100_000)
    hurried = Limits(answer=1.0, silence=0.5, away=0.7, backoff_min=0.01, answer_bytes_max=100_000)
    for name in names:
        ids = []
        # Only where nothing comes is there something to wait for.
        limits = hurried if "silent" in name or "drip" in name else patient

        async def attempt():
            connect = aio.connect if ASYNC else cinch_client.connect
            client = await wait(connect(f"{ENV['CINCH_URL']}/{name}", token=ENV["CINCH_TOKEN"], limits=limits))
            session = client.session("sess_01ARZ3NDEKTSV4RRFFQ69G5FAV")
            if name.startswith("command"):
                await wait(session.send_input("hello"))
            async for event in each(session.events(0)):
                ids.append(event["id"])

        reason = await reason_of(attempt)
        tell(**{name: ids if reason == "none" else reason})


SCENARIOS = {
    "probe": probe,
    "news": news,
    "tour": tour,
    "follow": follow,
    "watch": watch,
    "onward": onward,
    "turn": turn,
    "asked": asked,
    "written": written,
    "args": args,
}
asyncio.run(SCENARIOS[ARGS[0]](*ARGS[1:]))
