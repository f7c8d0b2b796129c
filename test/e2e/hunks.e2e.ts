import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { EnvelopeOf } from "../../src/protocol/events/envelope.ts";
import { StreamReader } from "../support/control-rig.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import type { Served } from "../support/served.ts";
import { openServed } from "../support/served.ts";

const TIMEOUT_MS = 300_000;
const BEFORE = Array.from({ length: 20 }, (_, at) => `line ${at + 1}\n`).join("");
const CHANGE = calls("MultiEdit", {
  file_path: "a.txt",
  edits: [
    { old_string: "line 2\n", new_string: "two\n" },
    { old_string: "line 18\n", new_string: "eighteen\n" },
  ],
});

/** An engine that asks about every edit, with a session in its folder. */
async function openAsked(script: Parameters<typeof openServed>[0]["script"]) {
  const config = '[permissions]\nask = ["MultiEdit"]\n';
  const served = await openServed({ script, config, files: { "a.txt": BEFORE } });
  const token = await served.token();
  const made = await served.ask("/v1/sessions", token, { workingDir: served.work });
  const { sessionId: session } = (await made.json()) as { readonly sessionId: string };
  return { served, token, session };
}

async function question(
  served: Served,
  token: string,
  session: string,
): Promise<EnvelopeOf<"PermissionRequested">["payload"]> {
  const stream = new StreamReader(await served.ask(`/v1/sessions/${session}/events`, token));
  const content = [{ type: "text", text: "go" }];
  expect((await served.ask(`/v1/sessions/${session}/input`, token, { content })).status).toBe(202);
  await stream.until((text) => text.includes("event: PermissionRequested\n") && text.endsWith("\n\n"));
  const asked = stream.events().find((event) => event.kind === "PermissionRequested");
  await stream.leave();
  if (asked?.kind !== "PermissionRequested") throw new Error("nothing was asked");
  return asked.payload;
}

test(
  "[PERM-15 CTL-06] over REST, accepted hunks are applied, and an answer out of its limits is refused",
  async () => {
    const { served, token, session } = await openAsked([CHANGE, says("done")]);
    await using _served = served;
    const { callId, hunks = [], why } = await question(served, token, session);
    expect(why?.cause).toBe("rule");
    const answer = (given: object) =>
      served.ask(`/v1/sessions/${session}/permission`, token, { callId, ...given });
    const wrong = [
      { decision: "deny", words: "x".repeat(8_193) },
      { decision: "allow", hunks: "h1" },
      { decision: "allow", hunks: ["h9-0"] },
      { decision: "allow", hunks: Array.from({ length: 501 }, () => "h1") },
    ];
    for (const given of wrong) {
      const { status } = await answer(given);
      expect([given.decision, status >= 400 && status < 500]).toEqual([given.decision, true]);
    }
    const ids = hunks.slice(1).map(({ id }) => id);
    const taken = await answer({ decision: "allow", hunks: ids, words: "leave the second line" });
    expect([taken.status, await taken.json()]).toMatchObject([200, { result: { counted: true } }]);
    const stream = new StreamReader(await served.ask(`/v1/sessions/${session}/events?since=0`, token));
    await stream.until((text) => text.includes("event: TurnEnded\n"));
    await stream.leave();
    expect(readFileSync(join(served.work, "a.txt"), "utf8")).toBe(BEFORE.replace("line 18\n", "eighteen\n"));
    expect(JSON.stringify(served.provider.requests.at(-1))).toContain("leave the second line");
  },
  TIMEOUT_MS,
);

test(
  "[PERM-15 REL-02] an engine that is killed with a question about hunks open writes nothing, and asks again at the next prompt",
  async () => {
    const { served, token, session } = await openAsked([CHANGE, CHANGE, says("done")]);
    await using _served = served;
    const { callId, hunks = [] } = await question(served, token, session);
    await served.kill();
    await served.start();
    const again = await served.token();
    const attached = await served.ask(`/v1/sessions/${session}/command`, again, { kind: "AttachSession" });
    const { sessionId } = (await attached.json()) as { readonly sessionId: string };
    const ids = hunks.map(({ id }) => id);
    const permission = (call: string, given: object) =>
      served.ask(`/v1/sessions/${sessionId}/permission`, again, { callId: call, ...given });
    const late = await permission(callId, { decision: "allow", hunks: ids });
    expect([late.status, await late.json()]).toMatchObject([
      409,
      { message: expect.stringContaining("no permission is asked for") },
    ]);
    expect(readFileSync(join(served.work, "a.txt"), "utf8")).toBe(BEFORE);
    const next = await question(served, again, sessionId);
    expect(next.callId).not.toBe(callId);
    expect(next.hunks).toEqual(hunks);
    const taken = await permission(next.callId, { decision: "allow", hunks: ids.slice(0, 1) });
    expect(taken.status).toBe(200);
    const stream = new StreamReader(await served.ask(`/v1/sessions/${sessionId}/events?since=0`, again));
    await stream.until((text) => text.includes("A person accepted 1 of 2 changes."));
    await stream.leave();
    expect(readFileSync(join(served.work, "a.txt"), "utf8")).toBe(BEFORE.replace("line 2\n", "two\n"));
  },
  TIMEOUT_MS,
);
