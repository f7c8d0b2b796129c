import { expect, test } from "bun:test";
import { CLIENT, SESSION } from "../../../test/support/fake-connection.ts";
import { testWorld } from "../../../test/support/world.ts";
import type { JsonObject } from "../../base/json.ts";
import { runningPromptOn } from "./prompt-connection.ts";
import type { PromptLink, PromptReader } from "./prompt-link.ts";

/** An engine behind a link, played by the test. */
function openLink() {
  let reader: PromptReader | undefined;
  const sent: object[] = [];
  const link: PromptLink = {
    send: (...frames) => void sent.push(...frames),
    read(next) {
      reader = next;
    },
    taken: () => undefined,
    enginePid: async () => undefined,
    verdict: Promise.resolve(undefined),
    [Symbol.dispose]: () => undefined,
  };
  return { link, sent, frame: (frame: JsonObject) => reader?.frame(frame, 1), close: () => reader?.closed() };
}

const INPUT = { content: [{ type: "text", text: "go" }] } as const;
const REQUEST = {
  workingDir: "/work",
  wishes: { environment: {}, autoApprove: false, strictPermissions: false },
};

test.each([
  ["with the request", true],
  ["later", false],
])(
  "[REL-01] an input sent %s was accepted if its turn has begun, though the engine was lost before it said so",
  async (_, isSent) => {
    const { link, frame, close } = openLink();
    const request = isSent ? { ...REQUEST, input: INPUT } : REQUEST;
    const options = { isSent, clock: testWorld().clock, sinceMs: 0 };
    const { connection } = runningPromptOn(link, request, options);
    frame({ frame: "opened", session: SESSION, client: CLIENT, notices: [] });
    const events = connection
      .subscribe(SESSION, { signal: new AbortController().signal })
      [Symbol.asyncIterator]();
    const first = events.next();
    const accepted = connection.send({
      kind: "SendInput",
      sessionId: SESSION,
      content: [{ type: "text", text: "go" }],
    });
    const started = {
      id: 1,
      kind: "TurnStarted",
      session: SESSION,
      payload: { turn: 1, originator: CLIENT },
    };
    frame({ frame: "event", body: started });
    close();
    expect(await accepted).toEqual({});
    expect((await first).value).toMatchObject(started);
    expect(await events.next().catch((thrown: unknown) => thrown)).toMatchObject({ reason: "EngineLost" });
  },
);

test("[REL-01 SES-16] a log that cannot be synced ends a prompt whose turn has begun with that reason", async () => {
  const { link, frame } = openLink();
  const { connection } = runningPromptOn(
    link,
    { ...REQUEST, input: INPUT },
    { isSent: true, clock: testWorld().clock, sinceMs: 0 },
  );
  frame({ frame: "opened", session: SESSION, client: CLIENT, notices: [] });
  const events = connection
    .subscribe(SESSION, { signal: new AbortController().signal })
    [Symbol.asyncIterator]();
  const started = { id: 1, kind: "TurnStarted", session: SESSION, payload: { turn: 1, originator: CLIENT } };
  const body = { reason: "StoreUnwritable", message: "the disk is full", details: { path: "/s" } };
  frame({ frame: "event", body: started });
  frame({ frame: "error", id: 0, body });
  frame({ frame: "failed", body });
  expect((await events.next()).value).toMatchObject(started);
  expect(await events.next().catch((thrown: unknown) => thrown)).toMatchObject({ reason: "StoreUnwritable" });
});
