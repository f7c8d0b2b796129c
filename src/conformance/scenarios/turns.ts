import type { JsonObject } from "../../base/json.ts";
import { arrayAt, objectAt, stringAt } from "../../base/json.ts";
import { EnvelopeSchema } from "../../protocol/events/envelope.ts";
import { EVENT_KINDS } from "../../protocol/kinds.ts";
import { assertAccepted, assertHolds, assertRefused, assertSame } from "../check.ts";
import type { Scenario } from "../scenario.ts";
import { AGENTS_TOO } from "../scenario.ts";
import { idOf, inputCommand, listKinds, newestTurn, payloadOf, promptTurn } from "../stage.ts";
import { answerOf } from "../transports/rest-transport.ts";

export const TURN_SCENARIOS: readonly Scenario[] = [
  {
    id: "turn-completes",
    section: "[A] § 3. Event bus",
    promise: "A prompt begins a turn that tells the prompt and the answer, and ends as complete.",
    wires: AGENTS_TOO,
    async play(stage) {
      const client = await stage.attach();
      const seen = await promptTurn(client, await stage.session(client), "cue:say hello there");
      const started = payloadOf(seen.events[0]);
      assertSame("the prompt that TurnStarted tells", started["content"], [
        { type: "text", text: "cue:say hello there" },
      ]);
      assertSame("the number of the first turn", started["turn"], 1);
      assertSame("the text of the answer", seen.text, "hello there");
      assertSame("why the turn ended", seen.reason, "complete");
    },
  },
  {
    id: "turn-order",
    section: "[A] § 3. Event bus",
    promise:
      "A turn begins with TurnStarted and ends with TurnEnded; a call comes before its result, and the result before the model's next text.",
    wires: AGENTS_TOO,
    async play(stage) {
      const client = await stage.attach();
      const { events } = await promptTurn(client, await stage.session(client), "cue:call");
      const kinds = listKinds(events).filter((kind) => TOLD.includes(kind));
      assertSame("the order of the events", kinds, [
        "TurnStarted",
        "ToolCallStarted",
        "ToolResult",
        "TextDelta",
        "TurnEnded",
      ]);
      const ids = events.flatMap((event) => {
        const { callId } = payloadOf(event);
        return callId !== undefined && TOLD.includes(String(event["kind"])) ? [callId] : [];
      });
      assertSame("the call ids of the call and of its result", new Set(ids).size, 1);
    },
  },
  {
    id: "event-ids",
    section: "[A] § Canonical event envelope",
    promise: "The ids of the events of a session are whole numbers, each above the one before.",
    wires: AGENTS_TOO,
    async play(stage) {
      const client = await stage.attach();
      const { events } = await promptTurn(client, await stage.session(client), "cue:think of numbers");
      const ids = events.map(idOf);
      const falling = ids.filter(
        (id, at) => !Number.isSafeInteger(id) || id < 1 || (at > 0 && id <= (ids[at - 1] ?? 0)),
      );
      assertSame(`ids that are none, or not above the one before, in ${ids.join(" ")}`, falling, []);
    },
  },
  {
    id: "event-envelope",
    section: "[A] § Canonical event envelope",
    promise:
      "Every event has the canonical envelope and the payload of its kind, and no field whose name begins with an underscore.",
    wires: AGENTS_TOO,
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      const { events } = await promptTurn(client, session, "cue:call");
      for (const event of events) {
        const { kind } = event;
        if (!EVENT_KINDS.some((known) => known === kind)) continue; // a newer server may send more kinds
        const issue = EnvelopeSchema.safeParse(event).error?.issues[0];
        assertHolds(`the event ${String(kind)}`, issue === undefined, {
          expected: "what docs/protocol/events.schema.json describes",
          got: `${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`,
        });
        assertSame(`the session of ${String(kind)}`, event["session"], session);
        assertSame(`fields of ${String(kind)} that are the engine's own`, hidden(event), []);
      }
    },
  },
  {
    id: "turn-in-progress",
    section: "[A] § Multi-client semantics",
    promise: "Input during a turn is refused with TurnInProgress, and the turn continues.",
    wires: AGENTS_TOO,
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await using stream = await client.follow(session);
      assertAccepted("the first prompt", await client.send(inputCommand(session, "cue:hold")));
      await stream.kind("TextDelta");
      assertRefused(
        "a second prompt",
        await client.send(inputCommand(session, "cue:say second")),
        ["TurnInProgress"],
        409,
      );
      assertSame("turns that have ended meanwhile", listKinds(stream.seen).includes("TurnEnded"), false);
      assertAccepted("the end of the first", await client.send({ kind: "CancelTurn", sessionId: session }));
      await stream.kind("TurnEnded");
    },
  },
  {
    id: "next-input",
    section: "[A] § Multi-client semantics",
    promise: "The next input is accepted once TurnEnded is emitted, turn after turn.",
    wires: AGENTS_TOO,
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await using stream = await client.follow(session);
      for (let number = 1; number <= TURNS; number++) {
        assertAccepted(`prompt ${number}`, await client.send(inputCommand(session, `cue:say ${number}`)));
        await stream.kind("TurnEnded", number);
        assertSame(`the answer of turn ${number}`, newestTurn(stream.seen).text, `${number}`);
      }
    },
  },
  {
    id: "cancel",
    section: "[A] § Control plane: CancelTurn",
    promise:
      "A turn that is cancelled in the middle of an answer names who cancelled it, ends as cancelled, and the session continues.",
    wires: AGENTS_TOO,
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await using stream = await client.follow(session);
      assertAccepted("the prompt", await client.send(inputCommand(session, "cue:hold")));
      await stream.kind("TextDelta");
      assertAccepted("CancelTurn", await client.send({ kind: "CancelTurn", sessionId: session }));
      await stream.kind("TurnEnded");
      const seen = newestTurn(stream.seen);
      assertSame("why the turn ended", seen.reason, "cancelled");
      const by = seen.events.flatMap((event) =>
        event["kind"] === "Cancelled" ? [payloadOf(event)["by"]] : [],
      );
      assertHolds("the event Cancelled", by.length === 1 && typeof by[0] === "string" && by[0] !== "", {
        expected: "it is emitted once, with who cancelled",
        got: listKinds(seen.events).join(", "),
      });
      assertSame(
        "the answer of the next turn",
        (await promptTurn(client, session, "cue:say next")).text,
        "next",
      );
    },
  },
  {
    id: "cancel-idle",
    section: "[A] § Control plane: CancelTurn",
    promise: "A cancel while no turn runs leaves the next turn alone.",
    wires: AGENTS_TOO,
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      const answer = await client.send({ kind: "CancelTurn", sessionId: session });
      if (answer.kind === "refused") assertRefused("a cancel while no turn runs", answer, []);
      assertSame(
        "why the next turn ended",
        (await promptTurn(client, session, "cue:pieces 3")).reason,
        "complete",
      );
    },
  },
  {
    id: "turn-fails",
    section: "[A] § 3. Event bus",
    promise:
      "A turn whose model fails emits an Error with its reason, ends as error, and the session continues.",
    wires: AGENTS_TOO,
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      const seen = await promptTurn(client, session, "cue:fail");
      assertSame("why the turn ended", seen.reason, "error");
      const errors = seen.events.filter(({ kind }) => kind === "Error").map(payloadOf);
      assertHolds(
        "the event Error",
        errors.some(({ reason, message }) => isText(reason) && isText(message)),
        {
          expected: "it is emitted, with a reason and a message",
          got: listKinds(seen.events).join(", "),
        },
      );
      assertSame(
        "the answer of the next turn",
        (await promptTurn(client, session, "cue:say well again")).text,
        "well again",
      );
    },
  },
  {
    id: "round-limit",
    section: "[B] § Termination Conditions",
    promise: "A model that never comes to an end is stopped: the turn ends as turn_limit.",
    wires: AGENTS_TOO,
    async play(stage) {
      const client = await stage.attach();
      const { reason } = await promptTurn(client, await stage.session(client), "cue:loop");
      assertSame("why the turn ended", reason, "turn_limit");
    },
  },
  {
    id: "cost-told",
    section: "[A] § 3. Event bus",
    promise:
      "Every call of the model tells what it cost: CostIncremented with its provider, model and tokens.",
    wires: AGENTS_TOO,
    async play(stage) {
      const client = await stage.attach();
      const { events } = await promptTurn(client, await stage.session(client), "cue:call");
      const costs = events.filter(({ kind }) => kind === "CostIncremented");
      assertSame("how often the cost of the model's two calls was emitted", costs.length, 2);
    },
  },
  {
    id: "turn-timing",
    section: "[A] § 3. Event bus",
    promise: "A turn ends with TurnTiming: how long its parts took.",
    wires: AGENTS_TOO,
    kinds: ["TurnTiming"],
    async play(stage) {
      const client = await stage.attach();
      const { events } = await promptTurn(client, await stage.session(client), "cue:call");
      const timings = events.filter(({ kind }) => kind === "TurnTiming").map(payloadOf);
      assertSame("how often it is emitted in the turn", timings.length, 1);
      const durations = Object.values(timings[0] ?? {}).filter((value) => typeof value === "object");
      assertHolds("what it tells", durations.length > 0, { expected: "a map of durations", got: timings[0] });
    },
  },
  {
    id: "turn-files",
    section: "docs/sessions/changes.md",
    promise: "A turn ends with the files that it changed: those that GetChanges has for it.",
    wires: ["rest"],
    since: "0.3.0",
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      const { events } = await promptTurn(client, session, "cue:call");
      const { turn, files = [] } = payloadOf(events.at(-1));
      const path = `/v1/sessions/${session}/changes?turn=${String(turn)}`;
      const changes = assertAccepted(`GET ${path}`, await answerOf(await stage.ask(path)));
      const changed = arrayAt(changes, "files").flatMap((file) => [
        ...[stringAt(file, "path"), stringAt(file, "from")].filter((name) => name !== undefined),
      ]);
      assertSame("the files of the end of the turn", files, changed.toSorted());
    },
  },
  {
    id: "thinking-told",
    section: "[A] § 3. Event bus",
    promise: "A model's thinking is emitted as ThinkingDelta, before the answer.",
    wires: AGENTS_TOO,
    kinds: ["ThinkingDelta"],
    async play(stage) {
      const client = await stage.attach();
      const { events } = await promptTurn(client, await stage.session(client), "cue:think about it");
      const kinds = listKinds(events).filter((kind) => kind === "ThinkingDelta" || kind === "TextDelta");
      assertSame("the order of thinking and answer", [...new Set(kinds)], ["ThinkingDelta", "TextDelta"]);
    },
  },
  {
    id: "thinking-once",
    section: "[A] § 3. Event bus; docs/rest.md § Text and thinking",
    promise:
      "Thinking comes in pieces that make it up once: each is a block with `type` and `text`, and `family` at most beside them.",
    wires: AGENTS_TOO,
    since: "0.3.0",
    kinds: ["ThinkingDelta"],
    async play(stage) {
      const client = await stage.attach();
      const { events } = await promptTurn(client, await stage.session(client), "cue:think about it once");
      const blocks = events
        .filter(({ kind }) => kind === "ThinkingDelta")
        .map((event) => objectAt(payloadOf(event), "block") ?? {});
      if (blocks.length === 0) return; // another scenario checks that it is sent at all
      assertSame("the text of all pieces", blocks.map(({ text }) => String(text)).join(""), "about it once");
      const others = blocks.flatMap((block) =>
        Object.keys(block).filter((name) => name !== "type" && name !== "family" && name !== "text"),
      );
      assertSame("other fields of a piece", others, []);
    },
  },
  {
    id: "secret-redacted",
    section: "[A] § Redaction middleware",
    promise: "Text that looks like a credential is taken out of the events.",
    wires: AGENTS_TOO,
    async play(stage) {
      const client = await stage.attach();
      const { text } = await promptTurn(client, await stage.session(client), "cue:secret");
      assertHolds("the answer", !/ghp_[A-Za-z0-9]{20}/.test(text) && text.startsWith("the key is "), {
        expected: "the key in it is replaced by a marker",
        got: text,
      });
    },
  },
];

const TURNS = 10;
const TOLD: readonly string[] = ["TurnStarted", "ToolCallStarted", "ToolResult", "TextDelta", "TurnEnded"];

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/** Returns field names, at any depth, that must never be sent. Does not search content of a model or tool. */
function hidden(value: JsonObject): readonly string[] {
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key.startsWith("_")) return [key];
    if (key === "args" || key === "content" || key === "block" || typeof inner !== "object" || inner === null)
      return [];
    return hidden(inner as JsonObject);
  });
}
