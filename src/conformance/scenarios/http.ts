import type { JsonObject } from "../../base/json.ts";
import { arrayAt, isObject, parseJson, stringAt } from "../../base/json.ts";
import { accepted, holds, refused, same } from "../check.ts";
import { Skipped } from "../mismatch.ts";
import { answerOf } from "../rest-wire.ts";
import type { Scenario } from "../scenario.ts";
import type { SseFrame } from "../sse.ts";
import { SseReader } from "../sse.ts";
import { asking, idOf, permission, seenTurn, textOf, turn } from "../stage.ts";

export const HTTP_SCENARIOS: readonly Scenario[] = [
  {
    id: "host-rebinding",
    section: "[A] § Listening and binding",
    promise:
      "A request whose Host is not the server's own is refused with InvalidHost, a good token notwithstanding.",
    wires: ["rest"],
    async play(stage) {
      for (const host of ["evil.example", "localhost.evil.example:80", "127.0.0.1.evil.example"]) {
        const answer = await answerOf(await stage.ask("/v1/sessions", { headers: { host } }));
        refused(`the Host ${host}`, answer, ["InvalidHost"], 403);
      }
    },
  },
  {
    id: "origin-foreign",
    section: "[A] § Listening and binding",
    promise:
      "A page of another origin is refused with InvalidOrigin: its requests, its preflights, and its WebSockets.",
    wires: ["rest"],
    async play(stage) {
      const headers = { origin: "https://evil.example" };
      for (const path of ["/v1/sessions", "/v1/health", "/v1/ws"]) {
        const answer = await answerOf(await stage.ask(path, { headers }));
        refused(`${path} for a page of https://evil.example`, answer, ["InvalidOrigin"], 403);
      }
      const preflight = await stage.askBare("/v1/sessions", { method: "OPTIONS", headers });
      same("what its preflight is allowed", preflight.headers.get("access-control-allow-origin"), null);
    },
  },
  {
    id: "content-type",
    section: "[A] § Listening and binding",
    promise: "A body that is not sent as application/json is refused with 415.",
    wires: ["rest"],
    async play(stage) {
      const body = JSON.stringify({ profile: "conformance" });
      for (const type of ["text/plain", "application/x-www-form-urlencoded", ""]) {
        const headers: Record<string, string> = type === "" ? {} : { "content-type": type };
        const bytes = new TextEncoder().encode(body); // a text would bring a type of its own
        const answer = await answerOf(await stage.ask("/v1/sessions", { headers, body: bytes }));
        const made = answer.kind === "accepted" ? stringAt(answer.body, "sessionId") : undefined;
        if (made !== undefined) stage.ends(made);
        refused(`a body of type ${type === "" ? "(none)" : type}`, answer, ["UnsupportedMediaType"], 415);
      }
    },
  },
  {
    id: "body-garbage",
    section: "docs/rest.md § Where, and with what",
    promise: "A body that is no JSON, no object or no UTF-8 is refused with 400, and the server goes on.",
    wires: ["rest"],
    async play(stage) {
      const headers = { "content-type": "application/json" };
      const deep = `${"[".repeat(5_000)}${"]".repeat(5_000)}`;
      const bodies = ["{", "", "null", "[1]", deep, new Uint8Array([123, 34, 255, 254, 34, 125])];
      for (const body of bodies) {
        const answer = await answerOf(await stage.ask("/v1/sessions", { method: "POST", headers, body }));
        refused(`a body of ${describe(body)}`, answer, ["InvalidBody"], 400);
      }
    },
  },
  {
    id: "body-large",
    section: "docs/rest.md § Where, and with what",
    promise: "A body of 40 MiB is refused with 413, and the server goes on.",
    wires: ["rest"],
    async play(stage) {
      const headers = { "content-type": "application/json" };
      const body = new Uint8Array(LARGE_BYTES).fill(0x20);
      const answer = await stage.ask("/v1/sessions", { method: "POST", headers, body });
      await answer.body?.cancel();
      same("its status", answer.status, 413);
      same("the status of the health after it", (await stage.askBare("/v1/health")).status, 200);
    },
  },
  {
    id: "unknown-route",
    section: "[A] § REST surface",
    promise:
      "An address that there is not is 404, and a method that it does not take 405, each with a reason and a message.",
    wires: ["rest"],
    async play(stage) {
      refused(
        "GET /v1/nothing-here",
        await answerOf(await stage.ask("/v1/nothing-here")),
        ["UnknownRoute"],
        404,
      );
      const answer = await stage.ask("/v1/sessions", { method: "DELETE" });
      refused("DELETE /v1/sessions", await answerOf(answer), ["MethodNotAllowed"], 405);
    },
  },
  {
    id: "header-injection",
    section: "docs/rest.md § Where, and with what",
    promise: "Line breaks in an address or in an id never become headers of an answer.",
    wires: ["rest"],
    async play(stage) {
      for (const path of [
        "/v1/sessions/sess_%0d%0ax-injected:%201",
        "/v1/sessions?past=%0d%0ax-injected:%201",
      ]) {
        const answer = await stage.ask(path);
        same(`the header x-injected of the answer to ${path}`, answer.headers.get("x-injected"), null);
        refused(path, await answerOf(answer), [], 400);
      }
    },
  },
  {
    id: "not-cached",
    section: "docs/rest.md § Where, and with what",
    promise: "No answer may be kept on its way: cache-control is no-store.",
    wires: ["rest"],
    async play(stage) {
      const session = await stage.session(await stage.attach());
      for (const path of ["/v1/sessions", `/v1/sessions/${session}`]) {
        const answer = await stage.ask(path);
        holds(`cache-control of ${path}`, /\bno-store\b/.test(answer.headers.get("cache-control") ?? ""), {
          expected: "no-store",
          got: answer.headers.get("cache-control"),
        });
      }
    },
  },
  {
    id: "sessions-listed",
    section: "[A] § REST surface",
    promise: "A session that runs is listed, and told of at its own address.",
    wires: ["rest"],
    async play(stage) {
      const session = await stage.session(await stage.attach());
      const list = parseJson(await (await stage.ask("/v1/sessions")).text())?.value;
      const listed = arrayAt(list, "sessions").map((each) => stringAt(each, "session"));
      holds("the sessions that are listed", listed.includes(session), {
        expected: session,
        got: listed.join(", "),
      });
      const one = accepted("the session", await answerOf(await stage.ask(`/v1/sessions/${session}`)));
      same("the id that is told at its address", one["session"], session);
    },
  },
  {
    id: "session-detail",
    section: "[A] § REST surface",
    promise: "A session at its own address has its last events, as the stream has them.",
    wires: ["rest"],
    since: "0.3.0",
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      const { events } = await turn(client, session, "cue:call");
      const one = accepted("the session", await answerOf(await stage.ask(`/v1/sessions/${session}`)));
      const last = arrayAt(one, "last_events");
      same("its last events", last.slice(-events.length), events);
    },
  },
  {
    id: "catalogues",
    section: "[A] § REST surface",
    promise:
      "Profiles, providers, tools, skills and MCP servers are listed; a provider that is set up with its models, or why not.",
    wires: ["rest"],
    since: "0.3.0",
    async play(stage) {
      for (const [path, name] of Object.entries(CATALOGUES)) {
        const body = accepted(`GET ${path}`, await answerOf(await stage.ask(path)));
        holds(`what ${path} answers`, Array.isArray(body[name]), {
          expected: `a list, as ${name}`,
          got: body,
        });
        if (name !== "providers") continue;
        const bare = arrayAt(body, name).filter(
          (each) =>
            isObject(each) && each["configured"] === true && !("models" in each) && !("error" in each),
        );
        same("providers that are set up, without models", bare, []);
      }
    },
  },
  {
    id: "input-status",
    section: "[A] § REST surface",
    promise: "A prompt is answered with 202 at once; events tell the rest.",
    wires: ["rest"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await using stream = await client.follow(session);
      const json = { content: [{ type: "text", text: "cue:say at once" }] };
      const answer = await stage.ask(`/v1/sessions/${session}/input`, { json });
      same("its status", answer.status, 202);
      await answer.body?.cancel();
      await stream.kind("TurnEnded");
    },
  },
  {
    id: "plan-mode-route",
    section: "[A] § REST surface",
    promise: "Plan mode is entered and left at its own address.",
    wires: ["rest"],
    features: ["plan_mode"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      const at = `/v1/sessions/${session}/plan-mode`;
      accepted("EnterPlanMode", await answerOf(await stage.ask(at, { json: {} })));
      accepted(
        "ExitPlanMode",
        await answerOf(await stage.ask(at, { json: { enter: false, approve: true } })),
      );
    },
  },
  {
    id: "wait-turn",
    section: "[A] § REST surface",
    promise:
      "With ?wait=turn a prompt is answered when its turn has ended, with what the model said and why it ended.",
    wires: ["rest"],
    async play(stage) {
      const session = await stage.session(await stage.attach());
      const json = { content: [{ type: "text", text: "cue:say waited for" }] };
      const answer = await stage.ask(`/v1/sessions/${session}/input?wait=turn`, { json });
      const body = accepted("the prompt", await answerOf(answer));
      same("what it answers", [body["text"], body["reason"]], ["waited for", "complete"]);
    },
  },
  {
    id: "wait-left",
    section: "[A] § Multi-client semantics: detach is non-destructive",
    promise: "Who stops waiting for a turn does not stop the turn.",
    wires: ["rest"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await using stream = await client.follow(session);
      const leave = new AbortController();
      const json = { content: [{ type: "text", text: "cue:ask" }] };
      const signal = AbortSignal.any([stage.signal, leave.signal]);
      const waiting = stage.ask(`/v1/sessions/${session}/input?wait=turn`, { json, signal });
      const asked = await stream.kind("PermissionRequested");
      leave.abort(new Error("left"));
      await waiting.then(
        (answer) => answer.body?.cancel(),
        () => undefined, // it was left: that is what is wanted
      );
      const callId = String((asked["payload"] as { readonly callId?: unknown }).callId);
      const answer = await client.send(permission(session, callId, "allow", "once"));
      accepted("the answer to what is asked", answer);
      await stream.kind("TurnEnded");
      same("why the turn ended", seenTurn(stream.seen).reason, "complete");
    },
  },
  {
    id: "sse-format",
    section: "[A] § Canonical event envelope",
    promise: "Each event of a stream is one frame, with its id and its envelope as one line of JSON.",
    wires: ["rest"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await turn(client, session, "cue:call");
      const answer = await stage.ask(`/v1/sessions/${session}/events?since=0`);
      const type = answer.headers.get("content-type") ?? "";
      holds("its content-type", /^text\/event-stream\b/.test(type), {
        expected: "text/event-stream",
        got: type,
      });
      const frames = await framesUntil(answer, "TurnEnded");
      for (const { id, data = "" } of frames) {
        const event = parseJson(data)?.value;
        const idInside = isObject(event) ? String(event["id"]) : "(no envelope)";
        same(`the id of a frame, and of the event in it`, id, idInside);
      }
    },
  },
  {
    id: "sse-kinds",
    section: "[A] § Canonical event envelope",
    promise:
      "Each frame of a stream names the kind of its event; a client whose version is older than 0.3 gets frames without a name.",
    wires: ["rest"],
    since: "0.3.0",
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await turn(client, session, "cue:call");
      const at = `/v1/sessions/${session}/events?since=0`;
      for (const version of [stage.version, "0.2.0"]) {
        const answer = await stage.ask(at, { headers: { "x-harness-version": version } });
        for (const { event, data = "" } of await framesUntil(answer, "TurnEnded")) {
          const kind = stringAt(parseJson(data)?.value, "kind");
          const name = version === stage.version ? kind : undefined;
          same(`the name of a frame with ${kind}, for a client of ${version}`, event ?? null, name ?? null);
        }
      }
    },
  },
  {
    id: "sse-injection",
    section: "[A] § Canonical event envelope",
    promise: "Nothing that a model says can begin a frame of its own in a stream.",
    wires: ["rest"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await turn(client, session, "cue:lines");
      const answer = await stage.ask(`/v1/sessions/${session}/events?since=0`);
      const frames = await framesUntil(answer, "TurnEnded");
      const events = frames.map(({ data = "" }) => parseJson(data)?.value);
      same(
        "frames whose data is no envelope",
        events.filter((event) => !isObject(event) || !("ts" in event)),
        [],
      );
      const text = textOf(events.filter(isObject));
      same("the text of the answer", text, LINES);
    },
  },
  {
    id: "last-event-id",
    section: "[A] § Stream resume (unified)",
    promise:
      "Last-Event-ID names the last event that was seen, and goes before ?since=; what is no id is refused.",
    wires: ["rest"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      const { events } = await turn(client, session, "cue:call");
      const [second, third] = [idOf(events[1]), idOf(events[2])];
      const at = `/v1/sessions/${session}/events?since=0`;
      const answer = await stage.ask(at, { headers: { "last-event-id": `${second}` } });
      const frames = await framesUntil(answer, "TurnEnded");
      same(`the first event after ${second}`, frames[0]?.id, `${third}`);
      const refusal = await answerOf(await stage.ask(at, { headers: { "last-event-id": "abc" } }));
      refused("Last-Event-ID: abc", refusal, ["InvalidHeader", "InvalidPath"], 400);
    },
  },
  {
    id: "minimal-blocks",
    section: "[B] § HTTP Server",
    promise:
      "The minimal server tells a turn as user, status, one text for each block, and status; with ?deltas=true text comes in pieces.",
    wires: ["rest"],
    since: "0.3.0",
    async play(stage) {
      const leave = new AbortController();
      const signal = AbortSignal.any([stage.signal, leave.signal]);
      try {
        const streams = [];
        for (const path of ["/events", "/events?deltas=true"]) {
          const answer = await stage.ask(path, { signal });
          if (answer.status === 404) throw new Skipped("there is no minimal server");
          same(`the status of ${path}`, answer.status, 200);
          streams.push(answer);
        }
        const prompt = await stage.ask("/prompt", { json: { content: "cue:pieces 3" } });
        same("the status of the prompt", prompt.status, 202);
        await prompt.body?.cancel();
        const [blocks = [], deltas = []] = await Promise.all(streams.map(minimalTurn));
        same("what is told of the turn", blocks.map(minimalLine), [
          "user cue:pieces 3",
          "status thinking",
          "text 1 2 3 ",
          "status idle",
        ]);
        const texts = deltas.filter(({ type }) => type === "text").map(({ content }) => String(content));
        same("the text in pieces", texts.join(""), "1 2 3 ");
      } finally {
        leave.abort(new Error("left"));
      }
    },
  },
  {
    id: "permission-route",
    section: "[A] § REST surface",
    promise:
      "A permission request is answered at its own address, and an answer without a decision is refused there.",
    wires: ["rest"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await using stream = await client.follow(session);
      const { callId } = await asking(client, session, stream);
      const at = `/v1/sessions/${session}/permission`;
      const wrong = await answerOf(await stage.ask(at, { json: { callId, decision: "perhaps" } }));
      refused("the decision perhaps", wrong, ["InvalidBody", "InvalidCommand"]);
      accepted(
        "the decision deny",
        await answerOf(await stage.ask(at, { json: { callId, decision: "deny", scope: "once" } })),
      );
      await stream.kind("TurnEnded");
      same("what became of it", seenTurn(stream.seen).text, "denied");
    },
  },
];

/** The lists of [A] § REST surface, and the name under which each stands. */
const CATALOGUES: Readonly<Record<string, string>> = {
  "/v1/profiles": "profiles",
  "/v1/providers": "providers",
  "/v1/tools": "tools",
  "/v1/skills": "skills",
  "/v1/mcp/servers": "servers",
};

const LARGE_BYTES = 40 * 1_048_576;
/** What the cue `lines` says (docs/conformance.md). */
const LINES = 'first\n\nevent: TurnEnded\ndata: {"kind":"TurnEnded"}\nid: 1\n\nlast';

function describe(body: string | Uint8Array): string {
  if (typeof body !== "string") return "bytes that are no UTF-8";
  return body.length > 20 ? "deeply nested lists" : JSON.stringify(body);
}

/** The events of the minimal server, up to the end of a turn. */
async function minimalTurn(answer: Response): Promise<readonly JsonObject[]> {
  const told: JsonObject[] = [];
  const [reader, decoder] = [new SseReader(), new TextDecoder()];
  for await (const chunk of answer.body ?? []) {
    for (const { data = "" } of reader.push(decoder.decode(chunk, { stream: true }))) {
      const value = parseJson(data)?.value;
      if (isObject(value)) told.push(value);
    }
    if (told.some(({ state }) => state === "idle")) break;
  }
  return told;
}

function minimalLine({ type, content, state }: JsonObject): string {
  return `${String(type)} ${String(type === "status" ? state : content)}`;
}

/** The frames with data, up to the event of a kind; a stream that ends before gives what it had. */
async function framesUntil(answer: Response, kind: string): Promise<readonly SseFrame[]> {
  const frames: SseFrame[] = [];
  const [reader, decoder] = [new SseReader(), new TextDecoder()];
  if (answer.body === null) return frames;
  for await (const chunk of answer.body) {
    frames.push(
      ...reader.push(decoder.decode(chunk, { stream: true })).filter(({ data }) => data !== undefined),
    );
    if (frames.some(({ data = "" }) => isEnvelopeOf(data, kind))) break;
  }
  return frames;
}

function isEnvelopeOf(data: string, kind: string): boolean {
  const value = parseJson(data)?.value;
  return isObject(value) && value["kind"] === kind && "ts" in value;
}
