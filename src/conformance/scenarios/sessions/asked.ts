import { isObject } from "../../../base/json.ts";
import { assertAccepted, assertHolds, assertRefused, assertSame } from "../../check.ts";
import type { Scenario } from "../../scenario.ts";
import { EVERY } from "../../scenario.ts";
import { idOf, inputCommand, newestTurn, payloadOf, promptTurn } from "../../stage.ts";
import type { Client, EventStream } from "../../transports/transport.ts";

const UNKNOWN_TASK = `task_${"0".repeat(26)}`;

/** Scenarios about questions other than permissions, and what a turn leaves for people. */
export const ASKED_SCENARIOS: readonly Scenario[] = [
  {
    id: "plan-approved",
    section: "docs/agent-loop.md § Plan mode",
    promise:
      "A plan is a question to all clients. The first answer counts, reaches every subscriber, and ends plan mode if it approves.",
    wires: EVERY,
    since: "0.3.0",
    features: ["plan_mode"],
    kinds: ["EnterPlanMode", "Asked", "Answer", "Answered"],
    async play(stage) {
      const [one, two] = [await stage.attach(), await stage.attach()];
      const session = await stage.session(one);
      await using first = await one.follow(session);
      await using second = await two.follow(session);
      const askId = await askedPlan(one, session, first);
      assertSame("the other client's question", payloadOf(await second.kind("Asked"))["askId"], askId);
      const answer = { kind: "Answer", sessionId: session, askId, answer: "approve" };
      assertAccepted("the answer", await two.send(answer));
      for (const stream of [first, second]) {
        const answered = payloadOf(await stream.kind("Answered"));
        assertSame("the reported answer", [answered["askId"], answered["answer"]], [askId, "approve"]);
      }
      await first.kind("TurnEnded");
      assertSame("what the model got", newestTurn(first.seen).text, "allowed");
      assertRefused("an answer to a closed question", await one.send(answer), []);
      assertSame("a plan after plan mode", (await promptTurn(one, session, "cue:plan")).text, "denied");
    },
  },
  {
    id: "plan-refused",
    section: "docs/agent-loop.md § Plan mode",
    promise: "Words in answer to a plan refuse it: plan mode goes on.",
    wires: EVERY,
    since: "0.3.0",
    features: ["plan_mode"],
    kinds: ["EnterPlanMode", "Asked", "Answer", "Answered"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await using stream = await client.follow(session);
      const askId = await askedPlan(client, session, stream);
      const answer = { kind: "Answer", sessionId: session, askId, answer: "look at the tests first" };
      assertAccepted("the answer", await client.send(answer));
      await stream.kind("TurnEnded");
      assertSame("what the model got", newestTurn(stream.seen).text, "denied");
      assertAccepted("the next prompt", await client.send(inputCommand(session, "cue:plan")));
      const asked = payloadOf(await stream.kind("Asked", 2));
      assertSame("whether it is the same question", asked["askId"] === askId, false);
    },
  },
  {
    id: "session-rewound",
    section: "docs/sessions.md § Branch, rewind, replay",
    promise:
      "A rewind asks the people who are attached. Confirmed, it takes the later turns from what the model reads.",
    wires: EVERY,
    since: "0.3.0",
    kinds: ["RewindSession", "Asked", "Answer"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await promptTurn(client, session, "cue:say one");
      const [begun] = (await promptTurn(client, session, "cue:say two")).events;
      await using stream = await client.follow(session);
      const rewind = { kind: "RewindSession", sessionId: session, to: idOf(begun), what: "conversation" };
      const rewound = client.send(rewind);
      const asked = payloadOf(await stream.kind("Asked"));
      assertSame("what is asked about", asked["about"], "rewind");
      const askId = String(asked["askId"]);
      const answer = { kind: "Answer", sessionId: session, askId, answer: "approve" };
      assertAccepted("the answer", await client.send(answer));
      assertAccepted("RewindSession", await rewound);
      assertSame(
        "the earlier prompts",
        (await promptTurn(client, session, "cue:recall")).text,
        "cue:say one",
      );
    },
  },
  {
    id: "todos-changed",
    section: "docs/tools.md",
    promise: "A change of the todos reaches every subscriber with all items.",
    wires: EVERY,
    since: "0.3.0",
    kinds: ["TodoChanged"],
    async play(stage) {
      const [one, two] = [await stage.attach(), await stage.attach()];
      const session = await stage.session(one);
      await using stream = await two.follow(session);
      await promptTurn(one, session, "cue:call");
      const { items } = payloadOf(await stream.kind("TodoChanged"));
      const isItem = (item: unknown) =>
        isObject(item) && typeof item["content"] === "string" && typeof item["status"] === "string";
      assertHolds("the items", Array.isArray(items) && items.length === 1 && items.every(isItem), {
        expected: "one item with content and status",
        got: items,
      });
    },
  },
  {
    id: "task-unknown",
    section: "docs/tasks.md",
    promise: "StopTask for a task that does not exist is refused, and the session stays usable.",
    wires: EVERY,
    since: "0.3.0",
    kinds: ["StopTask"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      assertRefused(
        "StopTask",
        await client.send({ kind: "StopTask", sessionId: session, taskId: UNKNOWN_TASK }),
        [],
      );
      assertSame(
        "the answer to a prompt after it",
        (await promptTurn(client, session, "cue:say on")).text,
        "on",
      );
    },
  },
];

/** Lets the model show a plan in plan mode. Returns the id of its question. */
async function askedPlan(client: Client, session: string, stream: EventStream): Promise<string> {
  assertAccepted("EnterPlanMode", await client.send({ kind: "EnterPlanMode", sessionId: session }));
  assertAccepted("the prompt", await client.send(inputCommand(session, "cue:plan")));
  const asked = payloadOf(await stream.kind("Asked"));
  assertSame("what it is about", asked["about"], "plan");
  return String(asked["askId"]);
}
