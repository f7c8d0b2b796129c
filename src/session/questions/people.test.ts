import { expect, test } from "bun:test";
import type { Rig } from "../../../test/support/rig.ts";
import { openRig } from "../../../test/support/rig.ts";
import { says } from "../../../test/support/scripted-provider.ts";
import type { Connection } from "../../protocol/connection.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { PROTOCOL_VERSION } from "../../protocol/version.ts";
import { connectInproc } from "../../server/hub/inproc.ts";
import type { AttachRequest } from "../access/attach-request.ts";
import type { NewQuestion } from "../questions.ts";

const QUESTION: NewQuestion = {
  about: "token-code",
  text: "the code: 123456",
  choices: [{ value: "close", label: "close" }],
};

interface Watching {
  readonly connection: Connection;
  /** The next event that is no part of the log; anything else is passed over. */
  aside(): Promise<Envelope>;
  /** Every event up to one of this kind. */
  upTo(kind: Envelope["kind"]): Promise<readonly Envelope[]>;
}

async function watch(rig: Rig, client: Partial<AttachRequest> = {}): Promise<Watching> {
  const served = { commands: [], events: [], features: [] };
  const connection = connectInproc(
    rig.multiplexer,
    { identityClass: "human", label: "test", ...client },
    served,
  );
  await connection.handshake(PROTOCOL_VERSION);
  const { signal } = new AbortController();
  const events = connection.subscribe(rig.session.id, { signal })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await events.next();
    if (done === true) throw new Error("the events have ended");
    return value;
  };
  return {
    connection,
    async aside() {
      while (true) {
        const event = await next();
        if (event.aside === true) return event;
      }
    },
    async upTo(kind) {
      const seen: Envelope[] = [];
      while (seen.at(-1)?.kind !== kind) seen.push(await next());
      return seen;
    },
  };
}

test("[AUTH-03] what only people may see reaches every person who watches, in no log and no agent's stream", async () => {
  await using rig = await openRig({ script: [says("hi")], follows: false });
  const [one, two] = [await watch(rig), await watch(rig)];
  const agent = await watch(rig, { identityClass: "agent" });
  const bound = await watch(rig, { scope: { sessions: [rig.session.id], commands: "all" } });
  const narrow = await watch(rig, { scope: { sessions: "all", commands: ["SendInput", "Answer"] } });
  const { signal } = new AbortController();
  expect(rig.multiplexer.people.ask(QUESTION, signal)).toBe(true);
  for (const person of [one, two]) {
    expect(await person.aside()).toMatchObject({ kind: "Asked", aside: true, payload: QUESTION });
  }
  const sent = {
    kind: "SendInput",
    sessionId: rig.session.id,
    content: [{ type: "text", text: "x" }],
  } as const;
  await one.connection.send(sent as never);
  for (const other of [agent, bound, narrow]) {
    const seen = await other.upTo("TurnEnded");
    expect(JSON.stringify(seen)).not.toContain("123456");
  }
  const logged = await rig.store.events(rig.session.logId, 0, 1_000);
  expect(logged.length).toBeGreaterThan(1);
  expect(JSON.stringify(logged)).not.toContain("123456");
});

test("[AUTH-03] a person who closes it closes it for all; an agent cannot, and its answer is nothing to the session", async () => {
  await using rig = await openRig({ script: [], follows: false });
  const [one, two] = [await watch(rig), await watch(rig)];
  const agent = await watch(rig, { identityClass: "agent" });
  const { signal } = new AbortController();
  rig.multiplexer.people.ask(QUESTION, signal);
  const asked = await one.aside();
  const { askId } = asked.kind === "Asked" ? asked.payload : { askId: undefined };
  const answer = { kind: "Answer", sessionId: rig.session.id, askId, answer: "close" } as never;
  await expect(agent.connection.send(answer)).rejects.toMatchObject({ reason: "InvalidCommand" });
  await one.connection.send(answer);
  await two.aside();
  expect(await two.aside()).toMatchObject({
    kind: "Answered",
    payload: { askId, answer: null, by: one.connection.clientId },
  });
  await expect(one.connection.send(answer)).rejects.toMatchObject({ reason: "InvalidCommand" });
});

test("[AUTH-03] who comes while it is open is shown it, and it goes away with its time", async () => {
  await using rig = await openRig({ script: [], follows: false });
  const first = await watch(rig);
  const over = new AbortController();
  rig.multiplexer.people.ask(QUESTION, over.signal);
  const second = await watch(rig);
  expect(await second.aside()).toMatchObject({ kind: "Asked", payload: QUESTION });
  over.abort(new Error("60 s have passed"));
  await first.aside();
  expect(await first.aside()).toMatchObject({ kind: "Answered" });
  expect(await second.aside()).toMatchObject({ kind: "Answered" });
  expect(rig.multiplexer.people.initialEvents).toEqual([]);
});

test("[AUTH-03] without a watching person nothing is shown, and the answer says so", async () => {
  await using rig = await openRig({ script: [], follows: false });
  await watch(rig, { identityClass: "agent" });
  expect(rig.multiplexer.people.isAnybody).toBe(false);
  expect(rig.multiplexer.people.ask(QUESTION, new AbortController().signal)).toBe(false);
  expect(rig.multiplexer.people.initialEvents).toEqual([]);
});

test("[CTL-12] an event that is shown reaches the people who watch, and those who come later, until it is disposed", async () => {
  await using rig = await openRig({ script: [], follows: false });
  const first = await watch(rig);
  const payload = { namespace: "cinch", kind: "Shown", payload: {} };
  {
    using _shown = rig.multiplexer.people.show({ kind: "CustomEvent", payload });
    const second = await watch(rig);
    for (const person of [first, second])
      expect(await person.aside()).toMatchObject({ kind: "CustomEvent", payload });
  }
  expect(rig.multiplexer.people.initialEvents).toEqual([]);
});
