import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { fakeClock } from "../../../test/support/fake-clock.ts";
import { until } from "../../../test/support/until.ts";
import { seededRandom, temporaryDirectory } from "../../../test/support/world.ts";
import { Secret } from "../../base/brand.ts";
import { hasReason } from "../../base/errors.ts";
import { hostClock } from "../../platform/clock.ts";
import type { MachineKey } from "../machine-key.ts";
import { openMachineKey } from "../machine-key.ts";
import type { KeyStoreChange, StoredKey } from "./key-store.ts";
import { changeKeyStore, readKeyStore } from "./key-store.ts";
import { LOCK_MS_MAX } from "./store-lock.ts";

const KEY = "sk-test-0123456789abcdef";
const ENTRY: StoredKey = {
  provider: "openrouter",
  account: "default",
  secret: new Secret("api-key", KEY),
  addedAt: "2026-01-02T03:04:05.000Z",
};

test("[CRED-01] what was stored is read back, and the file shows neither key nor provider", async () => {
  await using rig = await openRig();
  expect(await rig.read()).toEqual([]);
  await rig.add(ENTRY);
  await rig.add({ ...ENTRY, account: "work" });
  const keys = await rig.read();
  expect(keys.map(({ account, secret }) => [account, secret.reveal()])).toEqual([
    ["default", KEY],
    ["work", KEY],
  ]);
  const text = readFileSync(rig.path, "utf8");
  for (const word of [KEY, "openrouter", "work"]) expect(text).not.toContain(word);
  expect(statSync(rig.path).mode & 0o777).toBe(0o600);
  expect(JSON.stringify(keys)).not.toContain(KEY);
});

test("[CRED-01] another machine key is reported as another key, and nothing is overwritten", async () => {
  await using rig = await openRig();
  await rig.add(ENTRY);
  const before = readFileSync(rig.path);
  const other = await rig.machineKey("another passphrase");
  const failures = [
    await readKeyStore({ path: rig.path, machineKey: other }).catch((thrown: unknown) => thrown),
    await rig.add(ENTRY, other).catch((thrown: unknown) => thrown),
  ];
  expect(failures.map((failure) => hasReason(failure, "CredentialsLocked"))).toEqual([true, true]);
  expect(String(failures[0])).toContain("in use now, which is from CINCH_PASSPHRASE");
  expect(String(failures[0])).toContain("If it was made with neither, unset both");
  expect(readFileSync(rig.path)).toEqual(before);
});

test("[CRED-01 R25] a store with a changed, missing or invented byte is reported as damaged or as another key's, and left unchanged", async () => {
  await using rig = await openRig();
  await rig.add(ENTRY);
  const whole = readFileSync(rig.path);
  await holdsAsync(async (at: number, byte: number) => {
    const changed = Buffer.from(whole);
    changed[at % whole.length] = byte;
    if (changed.equals(whole)) return;
    writeFileSync(rig.path, changed, { mode: 0o600 });
    const outcome = await rig.read().catch((thrown: unknown) => thrown);
    const isTold = hasReason(outcome, "CredentialsDamaged") || hasReason(outcome, "CredentialsLocked");
    // A changed letter of base64 that stands for no bit, or of white space at the end, changes nothing.
    const same = Array.isArray(outcome) && (outcome[0] as StoredKey).secret.reveal() === KEY;
    expect(isTold || same).toBe(true);
    expect(readFileSync(rig.path)).toEqual(changed);
  });
  for (const length of [0, 1, 10, whole.length - 20]) {
    writeFileSync(rig.path, whole.subarray(0, length), { mode: 0o600 });
    await expect(rig.add(ENTRY)).rejects.toThrow("cannot be used");
    expect(readFileSync(rig.path).length).toBe(length);
  }
});

test("[CRED-01] a store of a newer cinch, and one that others can read, are refused", async () => {
  await using rig = await openRig();
  await rig.add(ENTRY);
  const text = readFileSync(rig.path, "utf8");
  writeFileSync(rig.path, text.replace('"version":1', '"version":2'));
  await expect(rig.read()).rejects.toThrow("written by a newer cinch (version 2)");
  writeFileSync(rig.path, text);
  chmodSync(rig.path, 0o644);
  await expect(rig.read()).rejects.toThrow("can be read or changed by others");
});

test("[CRED-01 R25] twenty processes that add a key at once all have theirs in the store", async () => {
  await using rig = await openRig();
  const module = join(import.meta.dir, "key-store.ts");
  const keys = join(import.meta.dir, "../machine-key.ts");
  const brand = join(import.meta.dir, "../../base/brand.ts");
  const program = `
    import { changeKeyStore } from ${JSON.stringify(module)};
    import { openMachineKey } from ${JSON.stringify(keys)};
    import { Secret } from ${JSON.stringify(brand)};
    import { randomFillSync } from "node:crypto";
    import { hostClock as clock } from ${JSON.stringify(join(import.meta.dir, "../../platform/clock.ts"))};
    const random = { bytes: (count) => randomFillSync(new Uint8Array(count)), number: () => 0 };
    const [path, directory, account] = process.argv.slice(2);
    const machineKey = await openMachineKey({ directory, random });
    const entry = { provider: "zai", account, secret: new Secret("api-key", "k" + account), addedAt: "now" };
    await changeKeyStore({ path, machineKey, random, clock }, (keys) => [...keys, entry]);`;
  const file = join(rig.folder, "add.ts");
  writeFileSync(file, program);
  const flags = ["--no-install", "--no-env-file", "--config=/dev/null"];
  const children = Array.from({ length: 20 }, (_, index) =>
    Bun.spawn([process.execPath, ...flags, file, rig.path, rig.folder, String(index)], { stderr: "inherit" }),
  );
  // One of them is killed wherever it is: the others' keys are there all the same.
  children[7]?.kill("SIGKILL");
  const codes = await Promise.all(children.map((child) => child.exited));
  expect(codes.filter((code, index) => code !== 0 && index !== 7)).toEqual([]); // that one may have been done already
  const stored = await readKeyStore({ path: rig.path, machineKey: await rig.machineKey() });
  const accounts = new Set(stored.map(({ account }) => account));
  for (let index = 0; index < 20; index++) if (index !== 7) expect(accounts.has(String(index))).toBe(true);
  await changeKeyStore(
    { path: rig.path, machineKey: await rig.machineKey(), random: seededRandom(9), clock: hostClock },
    (keys) => keys,
  );
  expect(readdirSync(rig.folder).filter((name) => name.endsWith(".cinch-tmp"))).toEqual([]);
}, 300_000);

test("[CRED-01 CTL-11] a key is added once another process has let go of the store, and the wait blocks no thread", async () => {
  const clock = fakeClock();
  await using rig = await openRig(clock);
  using lock = lockOf(rig.path);
  const added = rig.add(ENTRY).then(() => "added");
  await until("it waits", () => clock.waiting > 0); // a wait in the thread would end the test here
  await clock.advance(LOCK_MS_MAX / 2);
  expect(await rig.read()).toEqual([]);
  lock.run("ROLLBACK");
  await clock.advance(100);
  expect(await added).toBe("added");
  expect((await rig.read()).map(({ account }) => account)).toEqual(["default"]);
});

test("[CRED-01] a store that another process never releases is reported after the total wait, and stays unchanged", async () => {
  const clock = fakeClock();
  await using rig = await openRig(clock);
  using _lock = lockOf(rig.path);
  const refused = rig.add(ENTRY).catch((thrown: unknown) => thrown);
  await until("it waits", () => clock.waiting > 0);
  await clock.advance(LOCK_MS_MAX);
  expect(String(await refused)).toContain("database is locked");
  expect(hasReason(await refused, "CredentialsUnwritable")).toBe(true);
  expect(await rig.read()).toEqual([]);
});

/** The lock of a store, held as another process holds it. */
function lockOf(path: string): Database {
  const database = new Database(`${path}.lock`);
  database.run("BEGIN EXCLUSIVE");
  return database;
}

async function holdsAsync(property: (at: number, byte: number) => Promise<void>): Promise<void> {
  await fc.assert(fc.asyncProperty(fc.nat(2_000), fc.integer({ min: 0, max: 255 }), property), {
    numRuns: 100,
  });
}

async function openRig(clock: KeyStoreChange["clock"] = hostClock) {
  const folder = temporaryDirectory();
  const random = seededRandom(3);
  const machineKey = (passphrase?: string): Promise<MachineKey> =>
    openMachineKey({ directory: folder.path, random, ...(passphrase === undefined ? {} : { passphrase }) });
  const own = await machineKey();
  const path = join(folder.path, "creds.enc");
  return {
    path,
    folder: folder.path,
    machineKey,
    read: () => readKeyStore({ path, machineKey: own }),
    add: (entry: StoredKey, key = own) =>
      changeKeyStore({ path, machineKey: key, random, clock }, (keys) => [...keys, entry]),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}
