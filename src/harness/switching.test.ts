import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { says } from "../../test/support/mock-provider/turn.ts";
import type { Place } from "../../test/support/place.ts";
import { connect, openPlace, turn } from "../../test/support/place.ts";
import type { SessionId } from "../base/ids.ts";
import type { OpenHarness } from "../harness.ts";
import type { Connection } from "../protocol/connection.ts";
import type { Envelope } from "../protocol/envelope.ts";

const { signal } = new AbortController();

test("[PROF-02] SwitchProfile goes on in a new session under the profile, with the last turns as a summary, and the old one can be resumed", async () => {
  await using place = openPlace(says("one is done"), says("two is done"), says("three"), says("four"));
  profile(place, "review", 'prompt_header = "You review."\ntool_packs = ["search"]\n');
  await using harness = await place.open();
  await turn(harness, "do one; never push");
  await turn(harness, "do two");
  const connection = await connect(harness);
  const { session: sessionId } = harness;
  const before = connection.subscribe(sessionId, { signal, since: 0 });
  const switched = await connection.send({ kind: "SwitchProfile", sessionId, profile: "review" });
  const next = switched.sessionId ?? sessionId;
  expect(next).not.toBe(sessionId);

  const told = (await all(before)).slice(-2);
  const payload = { from: "default", to: "review", logId: expect.any(String), next };
  expect(told.map(({ kind, payload }) => ({ kind, payload }))).toEqual([
    { kind: "ProfileSwitched", payload },
    { kind: "SessionEnded", payload: { reason: "user" } },
  ]);

  const seen = await say(connection, next, "go on");
  expect(seen.find(({ kind }) => kind === "ProfileSwitched")?.payload).toMatchObject({
    from: "default",
    to: "review",
    previous: sessionId,
  });
  const asked = JSON.stringify(place.mock.requests.at(-1)?.body);
  expect(asked).toContain("You review.");
  expect(asked).toContain("untrusted-summary");
  expect(asked).toContain("two is done");
  expect(asked).toContain("go on");
});

function profile(place: Place, name: string, text: string): void {
  const folder = join(place.root, "config", "profiles");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.toml`), text);
}

async function all(events: AsyncIterable<Envelope>): Promise<readonly Envelope[]> {
  const seen: Envelope[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

async function say(connection: Connection, sessionId: SessionId, text: string): Promise<readonly Envelope[]> {
  const events = connection.subscribe(sessionId, { signal, since: 0 });
  const seen: Envelope[] = [];
  await connection.send({ kind: "SendInput", sessionId, content: [{ type: "text", text }] });
  for await (const event of events) {
    seen.push(event);
    if (event.kind === "TurnEnded") break;
  }
  return seen;
}
