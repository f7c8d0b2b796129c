import { expect, test } from "bun:test";
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { fakeClock } from "../../test/support/fake-clock.ts";
import { holds } from "../../test/support/property.ts";
import { hasReason, messageOf } from "../base/errors.ts";
import type { Random } from "../base/world.ts";
import { KEYCHAIN_MS_MAX, timedKeychain } from "./keychain.ts";
import type { Keychain, MachineKeyOptions } from "./machine-key.ts";
import { openMachineKey, parseMachineKey } from "./machine-key.ts";

const BYTES = new Uint8Array(32).map((_, index) => index * 7 + 1);
const HEX = Buffer.from(BYTES).toString("hex");

test("[CRED-01] a machine key is 32 bytes as they are, as hex or as base64 in either alphabet, padded or not", () => {
  const standard = Buffer.from(BYTES).toString("base64");
  const url = Buffer.from(BYTES).toString("base64url");
  for (const text of [HEX, HEX.toUpperCase(), standard, standard.replace("=", ""), url, `${url}=`]) {
    expect(parseMachineKey(text)).toEqual(BYTES);
  }
  expect(parseMachineKey("a".repeat(32))).toEqual(new Uint8Array(32).fill(97));
});

test("[CRED-01] every encoding of every key is read back, and every other length is refused", async () => {
  await holds(
    fc.property(fc.uint8Array({ minLength: 0, maxLength: 80 }), (bytes) => {
      const buffer = Buffer.from(bytes);
      for (const text of [buffer.toString("hex"), buffer.toString("base64"), buffer.toString("base64url")]) {
        const read = outcome(text);
        // Another length may still be the right one in another form: 24 bytes are 32 characters of base64.
        if (bytes.length === 32) expect(read).toEqual(bytes);
        else if (text.length === 32) expect(read).toEqual(new TextEncoder().encode(text));
        else expect(read).toBe("refused");
      }
    }),
  );
});

test.each([
  "",
  " ",
  "short",
  HEX.slice(1),
  `${HEX}0`,
  `${HEX}\n`,
  `g${HEX.slice(1)}`,
  "ä".repeat(32),
  `${"\ufffd".repeat(10)}ab`,
])("[CRED-01] a machine key of the wrong length is refused, and not shown (%j)", async (text) => {
  await using rig = openRig();
  const failure = await rig
    .open({ machineKey: text, passphrase: "another" })
    .catch((thrown: unknown) => thrown);
  expect(hasReason(failure, "MachineKeyUnusable")).toBe(true);
  expect(String(failure)).toContain("CINCH_MACHINE_KEY cannot be used: it must be exactly 32 bytes");
  if (text.trim() !== "") expect(String(failure)).not.toContain(text);
  expect(rig.files()).toEqual([]); // nothing weaker took its place
});

test("[CRED-01 SES-04] the machine key's variable comes before the passphrase, that before the keychain, that before the file", async () => {
  await using rig = openRig();
  const keychain = fakeKeychain();
  const all = { machineKey: HEX, passphrase: "words", keychain };
  const sources = [
    await rig.open(all),
    await rig.open({ ...all, machineKey: undefined }),
    await rig.open({ keychain }),
    await rig.open({}),
    await rig.open({ insecureDevKey: true, keychain }),
  ].map(({ source }) => source);
  expect(sources).toEqual([
    "CINCH_MACHINE_KEY",
    "CINCH_PASSPHRASE",
    "keychain",
    "machine.key",
    "--insecure-dev-key",
  ]);
});

test("[CRED-01] the key file and the salt are made once, for nobody else to read, and give the same key again", async () => {
  await using rig = openRig();
  const [first, again] = [await rig.open({}), await rig.open({})];
  expect(first.derive("cinch log v1")).toEqual(again.derive("cinch log v1"));
  const words = [await rig.open({ passphrase: "words" }), await rig.open({ passphrase: "words" })] as const;
  expect(words[0].derive("cinch log v1")).toEqual(words[1].derive("cinch log v1"));
  expect((await rig.open({ passphrase: "other" })).derive("cinch log v1")).not.toEqual(
    words[0].derive("cinch log v1"),
  );
  expect(rig.files()).toEqual(["machine.key", "salt"]);
  for (const file of rig.files()) expect(statSync(join(rig.directory, file)).mode & 0o777).toBe(0o600);
});

test("[CRED-01] the same passphrase is another key on another installation", async () => {
  await using one = openRig();
  await using other = openRig(2);
  const keys = [await one.open({ passphrase: "words" }), await other.open({ passphrase: "words" })] as const;
  expect(keys[0].derive("cinch creds v1")).not.toEqual(keys[1].derive("cinch creds v1"));
});

test("[CRED-01 R25] many that make the key file at once all get the same key", async () => {
  await using rig = openRig();
  const keys = await Promise.all(Array.from({ length: 20 }, () => rig.open({})));
  expect(new Set(keys.map((key) => Buffer.from(key.derive("cinch creds v1")).toString("hex"))).size).toBe(1);
  expect(rig.files()).toEqual(["machine.key"]);
});

test("[CRED-01 R25] what a killed process left of a key that it was making goes when one is made, and not what another is writing", async () => {
  await using rig = openRig();
  const left = join(rig.directory, ".machine.key.0123456789ab.cinch-tmp");
  const written = join(rig.directory, ".machine.key.ba9876543210.cinch-tmp");
  for (const path of [left, written]) writeFileSync(path, "half", { mode: 0o600 });
  utimesSync(left, 1, 1);
  await rig.open({});
  expect(rig.files()).toEqual([".machine.key.ba9876543210.cinch-tmp", "machine.key"]);
});

test("[CRED-01 S54] a key file that others can read, that is a link, or that is damaged is refused and left alone", async () => {
  await using rig = openRig();
  const path = join(rig.directory, "machine.key");
  writeFileSync(path, BYTES, { mode: 0o600 });
  for (const mode of [0o644, 0o640, 0o602, 0o620]) {
    chmodSync(path, mode);
    await expect(rig.open({})).rejects.toThrow("can be read or changed by others");
  }
  chmodSync(path, 0o600);
  expect((await rig.open({})).source).toBe("machine.key");
  rmSync(path);
  writeFileSync(join(rig.directory, "elsewhere"), BYTES, { mode: 0o600 });
  symlinkSync("elsewhere", path);
  await expect(rig.open({})).rejects.toThrow("it is a symbolic link");
  rmSync(path);
  for (const length of [0, 31, 33, 4_096]) {
    writeFileSync(path, new Uint8Array(length), { mode: 0o600 });
    await expect(rig.open({})).rejects.toThrow(/must have 32|more than the 33/);
    expect(readFileSync(path).length).toBe(length);
  }
});

test("[CRED-01] the development key is announced at every start, and so is a keychain that cannot be used", async () => {
  await using rig = openRig();
  const dev = await rig.open({ insecureDevKey: true });
  expect(dev.notices.join()).toContain("everybody knows");
  const broken: Keychain = {
    read: () => Promise.reject(new Error("no D-Bus")),
    store: () => Promise.resolve(),
  };
  const file = await rig.open({ keychain: broken });
  expect(file.source).toBe("machine.key");
  expect(file.notices.join()).toContain("The keychain cannot be used (no D-Bus); the key file");
});

test("[CRED-01] an empty passphrase is reported with its remedy, and nothing weaker replaces it", async () => {
  await using rig = openRig();
  for (const passphrase of ["", " \t"]) {
    await expect(rig.open({ passphrase })).rejects.toThrow(
      "The machine key from CINCH_PASSPHRASE cannot be used: it is set and empty; set a passphrase, or unset it.",
    );
  }
  expect(rig.files()).toEqual([]);
});

test("[CRED-01 REL-03] a keychain that never answers ends the wait, and nothing weaker takes its place", async () => {
  await using rig = openRig();
  const clock = fakeClock();
  const silent: Keychain = { read: () => new Promise(() => undefined), store: () => Promise.resolve() };
  const opening = rig.open({ keychain: timedKeychain(silent, clock) }).catch(messageOf);
  await clock.advance(KEYCHAIN_MS_MAX - 1);
  expect(clock.waiting).toBe(1);
  await clock.advance(1);
  expect(await opening).toBe(
    "The machine key from the keychain cannot be used: it did not answer within 60 s; unlock it and start cinch again.",
  );
  expect(rig.files()).toEqual([]);
  const answers = await rig.open({ keychain: timedKeychain(fakeKeychain(BYTES), clock) });
  expect([answers.source, clock.waiting]).toEqual(["keychain", 0]);
});

test("[CRED-01] an entry of the keychain that is no key is refused, never replaced", async () => {
  await using rig = openRig();
  const keychain = fakeKeychain(new Uint8Array(5));
  await expect(rig.open({ keychain })).rejects.toThrow("its entry has 5 bytes");
});

test("[CRED-01 SES-04] each purpose has a key of its own, and the machine key is none of them", async () => {
  await using rig = openRig();
  const key = await rig.open({ machineKey: HEX });
  const derived = (["cinch creds v1", "cinch creds v1 id", "cinch log v1"] as const).map((purpose) =>
    Buffer.from(key.derive(purpose)).toString("hex"),
  );
  expect(new Set([...derived, HEX]).size).toBe(4);
  expect(derived[2]).toBe("919c3e908cb0a8fe88cea0bf0662f746c09c7a87fe4b769d4da3ffc861367d36");
});

function outcome(text: string): Uint8Array | "refused" {
  try {
    return parseMachineKey(text);
  } catch {
    return "refused";
  }
}

function fakeKeychain(stored?: Uint8Array): Keychain {
  let held = stored;
  return {
    read: () => Promise.resolve(held),
    store(key) {
      held = key;
      return Promise.resolve();
    },
  };
}

type Asked = Partial<{ readonly [Name in keyof MachineKeyOptions]: MachineKeyOptions[Name] | undefined }>;

function openRig(seed = 1) {
  const directory = mkdtempSync(join(tmpdir(), "cinch-key-"));
  let drawn = seed * 1_000;
  const random: Random = {
    bytes: (count) => new Uint8Array(count).map(() => (drawn++ * 31) % 251),
    number: () => 0.5,
  };
  return {
    directory,
    files: () => readdirSync(directory).sort(),
    open: (asked: Asked) =>
      openMachineKey({
        directory,
        random,
        ...(Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined)) as object),
      }),
    [Symbol.asyncDispose]() {
      rmSync(directory, { recursive: true, force: true });
      return Promise.resolve();
    },
  };
}
