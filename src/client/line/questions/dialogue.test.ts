import { expect, test } from "bun:test";
import type { AskId, SessionId } from "../../../base/ids.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import { Dialogue } from "./dialogue.ts";

const ASK = { askId: "ask_00000000000000000000000001" as AskId, about: "trust", text: "Use it?" } as const;
const CHOICES = [
  { value: "approve", label: "use it" },
  { value: "deny", label: "leave it out" },
];

test("[TUI-01 TOFU-04] a question that follows before the answer to the last one is acknowledged is shown once", async () => {
  const said: string[] = [];
  let own: Promise<boolean | undefined> | undefined;
  const dialogue: Dialogue = new Dialogue({
    session: "sess_00000000000000000000000001" as SessionId,
    interactive: true,
    say: async (text) => void said.push(text),
    async send() {
      await dialogue.follow(event("Answered", { askId: ASK.askId, answer: "approve" }));
      own = dialogue.confirm("Import the last turn?");
      await Promise.resolve();
      return undefined;
    },
    keep: () => undefined,
    later: () => undefined,
    unanswered: () => undefined,
    nowMs: () => 0,
  });
  await dialogue.follow(event("Asked", { ...ASK, choices: CHOICES }));
  await dialogue.answer("1");
  expect(said.filter((text) => text.includes("Import"))).toEqual(["Import the last turn? (y/n)"]);
  await dialogue.answer("n");
  expect(await own).toBe(false);
});

test("[CTL-14 PERM-03] a question that a gap may have closed says so, and ends with the start of the next turn", async () => {
  const said: string[] = [];
  const dialogue = new Dialogue({
    session: "sess_00000000000000000000000001" as SessionId,
    interactive: true,
    say: async (text) => void said.push(text),
    send: async () => undefined,
    keep: () => undefined,
    later: () => undefined,
    unanswered: () => undefined,
    nowMs: () => 0,
  });
  const request = { tool: "Bash", args: {}, originator: "cli_00000000000000000000000001", summary: "x" };
  for (const at of [1, 2])
    await dialogue.follow(
      event("PermissionRequested", { ...request, callId: `call_0000000000000000000000000${at}` }),
    );
  await dialogue.follow(event("StreamGap", { from: 3, to: 9, reason: "ttl" }));
  await dialogue.answer("1");
  expect(said.map((text) => text.includes("may have been answered"))).toEqual([false, true]);
  await dialogue.follow(event("TurnStarted", { turn: 2, originator: "cli_00000000000000000000000001" }));
  expect(dialogue.question).toBeUndefined();
});

function event(kind: string, payload: object): Envelope {
  return { kind, payload } as Envelope;
}
