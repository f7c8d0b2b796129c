import { isObject } from "../../base/json.ts";
import { assertAccepted, assertHolds, assertRefused, assertSame } from "../check.ts";
import type { Scenario } from "../scenario.ts";
import { AGENTS_TOO, EVERY } from "../scenario.ts";
import { answerCommand, listKinds, newestTurn, payloadOf, requestPermission } from "../stage.ts";

export const PERMISSION_SCENARIOS: readonly Scenario[] = [
  {
    id: "permission-asked",
    section: "[A] § Control plane: AnswerPermission",
    promise:
      "A call that needs approval asks, with its tool, its arguments, the originator of the turn and what will run.",
    wires: EVERY,
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await using stream = await client.follow(session);
      const { event, callId } = await requestPermission(client, session, stream);
      const { tool, originator, summary, ...rest } = payloadOf(event);
      const offered = { tool: typeof tool, args: "args" in rest ? "told" : "missing" };
      assertSame("what is asked", offered, { tool: "string", args: "told" });
      assertSame(
        "whose turn it is",
        originator,
        payloadOf(stream.seen.find(({ kind }) => kind === "TurnStarted"))["originator"],
      );
      assertHolds("the summary", typeof summary === "string" && summary !== "", {
        expected: "what will run, as a text",
        got: summary,
      });
      assertAccepted("the answer", await client.send(answerCommand(session, callId, "deny", "once")));
      await stream.kind("TurnEnded");
    },
  },
  {
    id: "permission-allow",
    section: "[A] § Control plane: AnswerPermission",
    promise: "An allowed call runs: its result is no error, and the turn completes.",
    wires: EVERY,
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await using stream = await client.follow(session);
      const { callId } = await requestPermission(client, session, stream);
      assertAccepted("the answer", await client.send(answerCommand(session, callId, "allow")));
      await stream.kind("TurnEnded");
      const { events, text, reason } = newestTurn(stream.seen);
      const results = events
        .filter(({ kind }) => kind === "ToolResult")
        .map((each) => payloadOf(each)["isError"] === true);
      assertSame("whether the results of the call are errors", results, [false]);
      assertSame(
        "what the model made of it, and why the turn ended",
        [text, reason],
        ["allowed", "complete"],
      );
    },
  },
  {
    id: "permission-deny",
    section: "[A] § Control plane: AnswerPermission",
    promise: "A denied call does not run: the model gets an error as its result, and the turn continues.",
    wires: EVERY,
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await using stream = await client.follow(session);
      const { callId } = await requestPermission(client, session, stream);
      assertAccepted("the answer", await client.send(answerCommand(session, callId, "deny")));
      await stream.kind("TurnEnded");
      const { events, text, reason } = newestTurn(stream.seen);
      const results = events
        .filter(({ kind }) => kind === "ToolResult")
        .map((each) => payloadOf(each)["isError"] === true);
      assertSame("whether the results of the call are errors", results, [true]);
      assertSame("what the model made of it, and why the turn ended", [text, reason], ["denied", "complete"]);
    },
  },
  {
    id: "permission-agent",
    section: "[A] § Multi-client semantics",
    promise: "An agent's answer is refused, and the question stays open for a person.",
    wires: EVERY,
    async play(stage) {
      const [agent, person] = [await stage.attachAgent(), await stage.attach()];
      const session = await stage.session(person);
      await using stream = await person.follow(session);
      const { callId } = await requestPermission(agent, session, stream);
      assertRefused(
        "the agent's answer",
        await agent.send(answerCommand(session, callId, "allow", "once")),
        [],
      );
      assertSame("results by then", listKinds(stream.seen).includes("ToolResult"), false);
      assertAccepted(
        "the person's answer",
        await person.send(answerCommand(session, callId, "deny", "once")),
      );
      await stream.kind("TurnEnded");
      assertSame("what became of it", newestTurn(stream.seen).text, "denied");
    },
  },
  {
    id: "permission-first-wins",
    section: "[A] § Multi-client semantics",
    promise: "Of two answers the first counts, whatever the second says.",
    wires: EVERY,
    async play(stage) {
      const [one, two] = [await stage.attach(), await stage.attach()];
      const session = await stage.session(one);
      await using stream = await one.follow(session);
      const { callId } = await requestPermission(one, session, stream);
      assertAccepted("the first answer", await one.send(answerCommand(session, callId, "deny", "tool")));
      // A refusal, or an answer marked as not counted: both say that it came too late.
      await two.send(answerCommand(session, callId, "allow", "tool"));
      await stream.kind("TurnEnded");
      assertSame("what became of it", newestTurn(stream.seen).text, "denied");
    },
  },
  {
    id: "permission-unknown-call",
    section: "[A] § Control plane: AnswerPermission",
    promise: "An answer to a call without a question is refused, and open questions stay open.",
    wires: EVERY,
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await using stream = await client.follow(session);
      const { callId } = await requestPermission(client, session, stream);
      const other = `${callId.slice(0, -4)}${callId.endsWith("0000") ? "1111" : "0000"}`;
      assertRefused("the answer", await client.send(answerCommand(session, other, "allow", "once")), []);
      assertSame("results by then", listKinds(stream.seen).includes("ToolResult"), false);
      assertAccepted(
        "the answer to the call",
        await client.send(answerCommand(session, callId, "deny", "once")),
      );
      await stream.kind("TurnEnded");
    },
  },
  {
    id: "permission-once",
    section: "[A] § Control plane: AnswerPermission",
    promise: "A call that was allowed once asks again the next time.",
    wires: EVERY,
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await using stream = await client.follow(session);
      const { callId } = await requestPermission(client, session, stream, "cue:ask 2");
      assertAccepted("the answer", await client.send(answerCommand(session, callId, "allow", "once")));
      const again = await stream.until("the second question, or the end of the turn", (event) => {
        const isOther = payloadOf(event)["callId"] !== callId;
        return event["kind"] === "TurnEnded" || (event["kind"] === "PermissionRequested" && isOther);
      });
      assertSame("what comes after the first call", again["kind"], "PermissionRequested");
      const second = String(payloadOf(again)["callId"]);
      assertAccepted("the second answer", await client.send(answerCommand(session, second, "deny", "once")));
      await stream.kind("TurnEnded");
      assertSame("what became of the two calls", newestTurn(stream.seen).text, "allowed denied");
    },
  },
  {
    id: "permission-tool",
    section: "[A] § Control plane: AnswerPermission",
    promise: "A call that was allowed for its tool does not ask again in the session.",
    wires: EVERY,
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await using stream = await client.follow(session);
      const { callId } = await requestPermission(client, session, stream, "cue:ask 2");
      assertAccepted("the answer", await client.send(answerCommand(session, callId, "allow", "tool")));
      const next = await stream.until("the end of the turn", (event) => {
        const isOther = payloadOf(event)["callId"] !== callId;
        return event["kind"] === "TurnEnded" || (event["kind"] === "PermissionRequested" && isOther);
      });
      assertSame("what comes after the first call", next["kind"], "TurnEnded");
      assertSame("what became of the two calls", newestTurn(stream.seen).text, "allowed allowed");
    },
  },
  {
    id: "permission-timeout",
    section: "[A] § Observability of agent-driven sessions",
    promise:
      "With no person there, a question without an answer in time is denied with PermissionTimeout, and the turn continues.",
    wires: AGENTS_TOO,
    isSlow: true,
    async play(stage) {
      const client = await stage.attachAgent();
      const session = await stage.session(client);
      await using stream = await client.follow(session);
      const { event } = await requestPermission(client, session, stream);
      const { timeoutMs } = payloadOf(event);
      const waitMs = typeof timeoutMs === "number" ? timeoutMs : TIMEOUT_MS;
      await stage.clock.pass(waitMs, stage.signal);
      await stream.kind("TurnEnded");
      const { events, text } = newestTurn(stream.seen);
      assertSame("what became of it", text, "denied");
      const errors = events.filter(({ kind }) => kind === "Error").map((each) => payloadOf(each)["reason"]);
      assertSame("the reported errors", errors, ["PermissionTimeout"]);
    },
  },
  {
    id: "permission-stays-open",
    section: "[A] § Observability of agent-driven sessions",
    promise:
      "A question whose time counts only while nobody is there stays open while a person is subscribed.",
    wires: EVERY,
    isSlow: true,
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await using stream = await client.follow(session);
      const { event, callId } = await requestPermission(client, session, stream);
      const { timeoutMs, onlyUnattended } = payloadOf(event);
      if (onlyUnattended === true) {
        const waitMs = typeof timeoutMs === "number" ? timeoutMs : TIMEOUT_MS;
        await stage.clock.pass(waitMs, stage.signal);
      }
      assertAccepted("the answer", await client.send(answerCommand(session, callId, "allow", "once")));
      await stream.kind("TurnEnded");
      assertSame("what became of it", newestTurn(stream.seen).text, "allowed");
    },
  },
  {
    id: "permission-why",
    section: "[A] § Permission UX",
    promise: "A question says why it is asked, and the rules by prefix that it offers are rules of its tool.",
    wires: EVERY,
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await using stream = await client.follow(session);
      const { event, callId } = await requestPermission(client, session, stream);
      const { why, tool, prefixes } = payloadOf(event);
      const { cause, text } = isObject(why) ? why : {};
      assertHolds("why it is asked", typeof cause === "string" && typeof text === "string" && text !== "", {
        expected: "a cause and a text",
        got: why,
      });
      const rules = Array.isArray(prefixes) ? prefixes : [];
      const ofTool = rules.every((rule) => typeof rule === "string" && rule.startsWith(`${tool}:`));
      assertHolds("the prefixes", ofTool, { expected: `rules of ${tool}`, got: prefixes });
      assertAccepted("the answer", await client.send(answerCommand(session, callId, "deny", "once")));
      await stream.kind("TurnEnded");
    },
  },
  {
    id: "permission-words",
    section: "[A] § Control plane: AnswerPermission",
    promise:
      "A denial carries words: every client sees them, and the result of the call has them for the model.",
    wires: EVERY,
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await using stream = await client.follow(session);
      const { callId } = await requestPermission(client, session, stream);
      const words = "list another folder instead";
      const answer = { ...answerCommand(session, callId, "deny", "once"), words };
      assertAccepted("the answer", await client.send(answer));
      await stream.kind("TurnEnded");
      const answered = payloadOf(stream.seen.find(({ kind }) => kind === "PermissionAnswered"));
      assertSame("the words of the answer", answered["words"], words);
      const result = payloadOf(stream.seen.find(({ kind }) => kind === "ToolResult"));
      assertHolds("the result of the call", JSON.stringify(result["content"]).includes(words), {
        expected: `a text with "${words}"`,
        got: result["content"],
      });
    },
  },
  {
    id: "permission-hunks",
    section: "[A] § Control plane: AnswerPermission",
    promise:
      "An answer that accepts hunks which its question does not show is refused, and the question stays open.",
    wires: EVERY,
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await using stream = await client.follow(session);
      const { callId } = await requestPermission(client, session, stream);
      const answer = { ...answerCommand(session, callId, "allow"), hunks: ["h1-00000000"] };
      assertRefused("the answer with hunks", await client.send(answer), []);
      assertSame("results by then", listKinds(stream.seen).includes("ToolResult"), false);
      assertAccepted("the other answer", await client.send(answerCommand(session, callId, "deny", "once")));
      await stream.kind("TurnEnded");
      assertSame("what became of it", newestTurn(stream.seen).text, "denied");
    },
  },
];

/** Default time limit of a server that does not state one. */
const TIMEOUT_MS = 60_000;
