import { expect, test } from "bun:test";
import { join } from "node:path";
import { readQuery } from "../src/protocol/queries/read-query.ts";
import { acknowledgeAll } from "./support/acknowledge.ts";
import { connect, openPlace } from "./support/place.ts";

const OWN = '[[hooks]]\nevent = "PreToolUse"\ncmd = "/bin/true"\nmatcher = "Bash|Write"\ntimeout_ms = 1500\n';
const OF_PROJECT = '[[hooks]]\nevent = "Stop"\ncmd = "/bin/false"\n';

test("[CTL-19 HOOK-01] the hooks of a session are listed in their order, with secrets redacted", async () => {
  await using place = openPlace();
  const secret = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJ";
  const config = await Bun.file(join(place.root, "config/config.toml")).text();
  place.config(`${config}\n${OWN}\n[[hooks]]\nevent = "Stop"\ncmd = "curl -H 'x-api-key: ${secret}' x"\n`);
  place.write(".cinch/hooks/stop.toml", OF_PROJECT);
  await acknowledgeAll(place.options({ wishes: { allowProjectHooks: true } }));
  await using harness = await place.open({ wishes: { attended: true, allowProjectHooks: true } });
  const { session: sessionId } = harness;
  const person = await connect(harness);
  const { hooks, waiting, more } = await person.query({ kind: "ListHooks", sessionId });
  expect([waiting, more]).toEqual([[], false]);
  expect(hooks).toEqual([
    {
      event: "PreToolUse",
      matcher: ["Bash", "Write"],
      command: "/bin/true",
      source: expect.stringMatching(/config\.toml:\d+$/),
      timeout_s: 1.5,
    },
    {
      event: "Stop",
      command: expect.stringContaining("«redacted:"),
      source: expect.stringMatching(/config\.toml:\d+$/),
      timeout_s: 5,
    },
    {
      event: "Stop",
      command: "/bin/false",
      source: expect.stringContaining(".cinch/hooks/stop.toml"),
      timeout_s: 5,
      acknowledged: true,
    },
  ]);
  expect(JSON.stringify(hooks)).not.toContain(secret);
});

test("[CTL-19 HOOK-02 TOFU-01] hooks of the repository that wait for a person are named by their file, and not waited for", async () => {
  await using place = openPlace();
  place.write(".cinch/hooks/stop.toml", OF_PROJECT);
  await using harness = await place.open({ wishes: { attended: true, allowProjectHooks: true } });
  const { session: sessionId } = harness;
  const person = await connect(harness);
  expect(await person.query({ kind: "ListHooks", sessionId })).toEqual({
    hooks: [],
    waiting: [expect.stringContaining(".cinch/hooks/stop.toml")],
    more: false,
  });
});

test("[CTL-19] a session without hooks has an empty list, and a bad request is refused", async () => {
  await using place = openPlace();
  await using harness = await place.open({ wishes: { attended: true } });
  const person = await connect(harness);
  const { session: sessionId } = harness;
  const none = { hooks: [], waiting: [], more: false };
  expect(await person.query({ kind: "ListHooks", sessionId })).toEqual(none);
  expect(() => readQuery({ kind: "ListHooks", sessionId: 7 })).toThrow("sessionId");
});
