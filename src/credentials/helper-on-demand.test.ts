import { expect, test } from "bun:test";
import { hasReason } from "../base/errors.ts";
import type { Fetch } from "../base/world.ts";
import type { Credentials } from "./credentials.ts";
import { helperClient } from "./helper/client.ts";
import type { HelperReady, HelperReport } from "./helper/helper-messages.ts";
import { helperOnDemand } from "./helper-on-demand.ts";

const KEY = "Zc81Qn5RwPd27LxUe0YbTf94Ma";
const READY: HelperReady = { kind: "ready", socket: "s", token: "t", held: [], prints: [], notices: [] };
const LOCKED: HelperReport = {
  kind: "refused",
  reason: "CredentialsLocked",
  fields: { path: "creds.enc", source: "machine.key" },
};
const CUSTOMS = [
  { name: "own", kind: "anthropic", baseUrl: "http://127.0.0.1:9/v1", apiKeyEnv: "OWN_KEY" },
] as const;

/** Credentials of an engine without keys, whose helpers report one after the other. */
function openRig(...reports: readonly HelperReport[]) {
  const begun: { ended: boolean }[] = [];
  const asked: string[] = [];
  const own = {
    keys: { keyFor: async () => undefined, providers: async () => [] },
    prints: async () => ({ all: [] }),
    list: async () => [],
    state: () => ({ helper: { kind: "none" }, machineKey: "machine.key" }),
  } as unknown as Credentials;
  const through: Fetch = (url, { body }) => {
    asked.push(`${url} ${String(body)}`);
    const held = [{ provider: "own", source: "creds.enc" }];
    return Promise.resolve(Response.json({ kind: "stored", replaced: false, held, prints: [] }));
  };
  const credentials = helperOnDemand(own, {
    customs: CUSTOMS,
    fetch: () => Promise.reject(new Error("no network")),
    fetchThrough: () => through,
    needsOf: () => undefined,
    async start() {
      const client = helperClient();
      const report = reports[begun.length];
      if (report === undefined) throw new Error("no further helper is expected");
      client.receive(report);
      const helper = { ended: false };
      begun.push(helper);
      return {
        client,
        [Symbol.dispose]() {
          helper.ended = true;
        },
      };
    },
  });
  return { credentials, begun, asked };
}

test("[CRED-01 CRED-03 CTL-19] the first key starts the helper, all later ones go to it", async () => {
  const { credentials, begun, asked } = openRig(READY);
  expect([credentials.state().helper.kind, await credentials.keys.providers()]).toEqual(["none", []]);
  const report = { replaced: false, source: "creds.enc" };
  const entered = [KEY, ` ${KEY}`].map((key) => credentials.store({ provider: "own", key }));
  expect(await Promise.all(entered)).toEqual([report, report]);
  expect(begun).toEqual([{ ended: false }]);
  expect(asked[0]).toBe(`http://helper/keys ${JSON.stringify({ provider: "own", key: KEY })}`);
  expect(credentials.state()).toEqual({ helper: { kind: "working" }, machineKey: "machine.key" });
  expect(await credentials.keys.providers()).toEqual(["own"]);
});

test("[CRED-01 CTL-19] a helper that refuses the first key is ended, nothing changes, and the next key starts another", async () => {
  const { credentials, begun } = openRig(LOCKED, READY);
  const refused = await credentials.store({ provider: "own", key: KEY }).catch((thrown: unknown) => thrown);
  expect(hasReason(refused, "CredentialsLocked")).toBe(true);
  expect([begun, credentials.state().helper.kind]).toEqual([[{ ended: true }], "none"]);
  expect(await credentials.keys.providers()).toEqual([]);
  await credentials.store({ provider: "own", key: KEY });
  expect(begun).toEqual([{ ended: true }, { ended: false }]);
});

test("[CRED-01 CTL-19] no helper is started for a key that cannot be stored", async () => {
  const { credentials, begun } = openRig();
  for (const entered of [
    { provider: "own", key: "" },
    { provider: "nobody", key: KEY },
  ])
    await expect(credentials.store(entered)).rejects.toThrow();
  expect(begun).toEqual([]);
});
