// Does with the TypeScript SDK, as it is built, what a test asks for, in whatever runs this: prints one line of JSON for
// each thing that came of it. `driver.py` does the same with the Python SDK, and both must print the same.
const { CINCH_SDK, CINCH_URL, CINCH_SOCKET, CINCH_TOKEN, CINCH_WIRE, CINCH_LABEL } = process.env;
const [scenario, session] = process.argv.slice(2);
const { connect, CinchError } = await import(`${CINCH_SDK}/index.js`);
const { unixSocket } = await import(`${CINCH_SDK}/node.js`);

function tell(value) {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

async function open(more = {}) {
  return await connect({
    url: CINCH_URL ?? "http://localhost",
    token: CINCH_TOKEN ?? "",
    ...(CINCH_SOCKET === undefined ? {} : { fetch: unixSocket(CINCH_SOCKET) }),
    ...(CINCH_WIRE === undefined ? {} : { wire: CINCH_WIRE }),
    ...(CINCH_LABEL === undefined ? {} : { label: CINCH_LABEL }),
    ...more,
  });
}

async function reasonOf(promise) {
  try {
    await promise;
    return "none";
  } catch (thrown) {
    return thrown instanceof CinchError ? thrown.reason : thrown.name;
  }
}

const SCENARIOS = {
  /** Everything that the SDK has, once. */
  async tour() {
    const client = await open();
    const { handshake } = client;
    tell({ handshake: [handshake.protocol_version, handshake.event_kinds.includes("TextDelta")] });
    tell({
      health: (await client.health()).status,
      tools: (await client.tools()).some(({ name }) => name === "Bash"),
    });
    const made = await client.sessions.create();
    const [newest, ...others] = await client.sessions.list({ past: true, limit: 1 });
    const { log, profile } = await client.sessions.get(made.id);
    tell({ created: newest.session === made.id && others.length === 0, got: log === newest.log, profile });
    const queried = await client.query("GetSession", { sessionId: made.id, last: 0 });
    const { prices } = await client.query("ListPrices", { models: ["mock:one", "mock:two"] });
    tell({
      queried: queried.session === made.id && queried.last_events.length === 0,
      priced: Object.keys(prices),
    });

    tell({ turn: await made.runTurn("say hello") });
    const kinds = new Set();
    for await (const { kind } of made.streamTurn("say hello")) kinds.add(kind);
    tell({ kinds: [...kinds].sort() });

    for (const decision of ["allow", "deny"]) {
      for await (const event of made.streamTurn("touch it")) {
        if (event.kind === "PermissionRequested") {
          const { callId, tool } = event.payload;
          tell({ asked: tool, answered: await made.answerPermission(callId, decision) });
        }
        if (event.kind === "PermissionAnswered")
          tell({ counted: event.payload.counted, by: event.payload.decision });
        if (event.kind === "ToolResult") tell({ isError: event.payload.isError ?? false });
      }
    }

    const seen = [];
    for await (const { kind, payload } of made.streamTurn("go on for ever")) {
      if (kind === "TextDelta" && seen.length === 0) seen.push(await made.cancelTurn());
      if (kind === "TurnEnded") seen.push(payload.reason);
    }
    tell({ cancelled: seen });

    tell({
      unknownSession: await reasonOf(client.session("sess_01ARZ3NDEKTSV4RRFFQ69G5FAV").runTurn("hello")),
      noId: await reasonOf(client.sessions.get("nonsense")),
      noQuestion: await reasonOf(made.answer("ask_01ARZ3NDEKTSV4RRFFQ69G5FAV", "yes")),
      badToken: await reasonOf(open({ token: "nonsense" })),
    });
    const { token } = await client.tokens.mint({
      identityClass: "agent",
      sessions: [made.id],
      expiresIn: 60,
    });
    const lesser = await open({ token });
    await client.tokens.revoke(
      JSON.parse(atob(token.split(".")[0].replaceAll("-", "+").replaceAll("_", "/"))).jti,
    );
    tell({ revoked: await reasonOf(lesser.runtime()) });

    await made.endSession();
    tell({ ended: !(await client.sessions.get(made.id)).live });
    const again = await client.sessions.resume(made.id);
    tell({ resumed: again.id !== made.id, turn: (await again.runTurn("say hello")).text });
    client.close();
  },

  /** Follows a session from its beginning over whatever happens to its engine; sends once more when a turn has failed. */
  async follow() {
    const client = await open({ limits: { backoffMsMin: 20, backoffMsMax: 200 } });
    const followed = client.session(session);
    for await (const { id, kind, payload } of followed.events({ since: 0 })) {
      tell({ id, kind });
      if (kind !== "TurnEnded") continue;
      if (payload.reason === "complete") break;
      await followed.sendInput("say hello");
    }
    tell({ goneOn: followed.id !== session });
    client.close();
  },

  /** The news of all sessions over whatever happens to their engine, up to the second time that all were told. */
  async news() {
    const client = await open({ limits: { backoffMsMin: 20, backoffMsMax: 200 } });
    const turns = new Map();
    let ready = 0;
    for await (const item of client.news()) {
      if (item.kind === "SessionChanged" && turns.get(item.session) !== item.info.turns) {
        turns.set(item.session, item.info.turns);
        tell({ ours: item.session === session, turns: item.info.turns });
      }
      if (item.kind === "SessionGone") tell({ gone: item.session === session });
      if (item.kind !== "NewsReady") continue;
      ready += 1;
      tell({ ready });
      if (ready === 2) break;
    }
    client.close();
  },

  /** Every event, whole, until the session has ended; and the run, whenever events come anew. */
  async watch() {
    const client = await open({
      limits: { backoffMsMin: 20, backoffMsMax: 200 },
      onState: ({ kind }) => kind === "connected" && tell({ run: watched.id }),
    });
    const watched = client.session(session);
    for await (const event of watched.events({ since: 0 })) tell(event);
    client.close();
  },

  /** Follows a session and those that take its place; then switches one of its own. */
  async onward() {
    const client = await open();
    for (let at = client.session(session); at !== undefined; at = at.next)
      for await (const { id, kind, session: run } of at.events({ since: 0 })) tell({ id, kind, run });
    const own = await client.sessions.create();
    await own.send({ kind: "SwitchProfile", profile: "self", inPlace: true });
    tell({ inPlace: (await own.runTurn("say hello")).text, gone: own.next !== undefined });
    await own.send({ kind: "SwitchProfile", profile: "default" });
    tell({ after: (await own.next.runTurn("say hello")).text, gone: own.next.id !== own.id });
    await own.next.endSession();
    client.close();
  },

  /** A turn that is waited for while its engine is killed. */
  async turn() {
    let isWatching = false;
    const client = await open({
      limits: { backoffMsMin: 20, backoffMsMax: 200 },
      onState({ kind }) {
        // Its input was accepted, and its events are followed.
        if (kind === "connected" && !isWatching) tell({ watching: true });
        isWatching = true;
      },
    });
    const awaited = client.session(session);
    tell({ reason: (await awaited.runTurn("take your time")).reason });
    tell({ text: (await awaited.runTurn("say hello")).text });
    client.close();
  },

  /** The arguments of a call while the model writes them. They come only to who asks. */
  async written() {
    const client = await open();
    let written = "";
    const args = process.argv[4] === "asks";
    for await (const { kind, payload } of client.session(session).events({ since: 0, args })) {
      if (kind === "TurnEnded") tell({ watching: true });
      if (kind === "ToolArgsDelta") written += payload.text;
      if (kind === "ToolCallStarted") break;
    }
    tell({ written });
    client.close();
  },

  /** The arguments of calls in turns that it begins itself. */
  async args() {
    const client = await open();
    for (const args of [true, false]) {
      let written = "";
      let turn = [];
      for await (const { kind, payload } of client.session(session).streamTurn("touch it", { args })) {
        if (kind === "ToolArgsDelta") written += payload.text;
        if (kind === "PermissionRequested")
          await client.session(session).answerPermission(payload.callId, "deny");
        turn = [...turn, kind];
      }
      tell({ written, ended: turn.at(-1) });
    }
    client.close();
  },

  /** A turn whose engine is killed while it asks. The answer comes when another engine has taken its place. */
  async asked() {
    const client = await open({ limits: { backoffMsMin: 20, backoffMsMax: 200 } });
    const awaited = client.session(session);
    let callId;
    for await (const { kind, payload } of awaited.streamTurn("touch it")) {
      if (kind === "PermissionRequested") {
        callId = payload.callId;
        tell({ asked: payload.tool });
      }
      if (kind === "TurnEnded") tell({ ended: payload.reason });
    }
    tell({ late: await reasonOf(awaited.answerPermission(callId, "allow")) });
    tell({ text: (await awaited.runTurn("say hello")).text });
    client.close();
  },

  /** Tries bad servers one after the other: the behaviours of `hostile.ts`. */
  async probe() {
    const patient = { backoffMsMin: 10, answerBytesMax: 100_000 };
    const hurried = { ...patient, answerMs: 1_000, silenceMs: 500, awayMs: 700 };
    for (const name of process.argv.slice(3)) {
      const ids = [];
      // Only where nothing comes is there something to wait for.
      const limits = /silent|drip/.test(name) ? hurried : patient;
      const reason = await reasonOf(
        (async () => {
          const client = await open({ url: `${CINCH_URL}/${name}`, limits });
          const { id } = client.session("sess_01ARZ3NDEKTSV4RRFFQ69G5FAV");
          if (name.startsWith("command")) await client.session(id).sendInput("hello");
          for await (const event of client.session(id).events({ since: 0 })) ids.push(event.id);
        })(),
      );
      tell({ [name]: reason === "none" ? ids : reason });
    }
  },
};

await SCENARIOS[scenario]();
