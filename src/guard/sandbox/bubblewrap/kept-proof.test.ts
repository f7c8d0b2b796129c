import { expect } from "bun:test";
import { chmodSync, existsSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { requireProgram } from "../../../../test/support/requires.ts";
import type { SandboxRig } from "../../../../test/support/sandbox-rig.ts";
import { openSandboxRig } from "../../../../test/support/sandbox-rig.ts";
import { temporaryDirectory, testWorld } from "../../../../test/support/world.ts";
import type { Files, SpawnOptions } from "../../../base/world.ts";
import { keptProof } from "./kept-proof.ts";
import { proveSandbox } from "./prove.ts";

const test = requireProgram("bwrap");

/** A session whose proof lies in a folder that outlives it, with the command lines of what it starts. */
function session(state: string, wrap: (options: SpawnOptions) => SpawnOptions = (options) => options) {
  const started: (readonly string[])[] = [];
  const proof = keptProof(testWorld(), state);
  const rig = openSandboxRig({ around: () => ({ proof }) });
  const { spawn } = rig.world;
  // One object, so that the trial and the commands are started alike.
  Object.assign(rig.world, {
    spawn: (options: SpawnOptions) => {
      started.push(options.argv);
      return spawn(wrap(options));
    },
  });
  return { rig, started };
}

const isTrial = (argv: readonly string[]) => argv.includes("probe");

async function trialsOf({ rig, started }: { rig: SandboxRig; started: (readonly string[])[] }) {
  await using session = rig;
  expect(await session.bash("echo done")).toBe("done");
  return started.filter(isTrial).length;
}

test("[SBX-01 PERF-02] a session uses the trial that another has made since the machine started", async () => {
  await using state = temporaryDirectory();
  expect(await trialsOf(session(state.path))).toBe(1);
  expect(await trialsOf(session(state.path))).toBe(0);
});

test("[SBX-01 PERF-02] a trial ahead of the first command spares it, and leaves nothing in the workspace", async () => {
  await using state = temporaryDirectory();
  const world = testWorld();
  const proof = keptProof(world, state.path);
  const folders: string[] = [];
  const makeTemporary: Files["makeTemporary"] = async (prefix) => {
    const made = await world.files.makeTemporary(prefix);
    folders.push(made);
    return made;
  };
  const sources = {
    world: { ...world, files: { ...world.files, makeTemporary } },
    proof,
    programs: undefined,
  };
  await proveSandbox(sources, new AbortController().signal);
  expect([folders.length, ...folders.map((path) => existsSync(path))]).toEqual([1, false]);
  await proveSandbox(sources, new AbortController().signal);
  expect(folders.length).toBe(1);
  expect(await trialsOf(session(state.path))).toBe(0);
});

test("[SBX-01] a trial counts no more when bwrap was replaced or the machine was started again", async () => {
  await using state = temporaryDirectory();
  const { files, log } = testWorld();
  const program = "/usr/bin/bwrap";
  const proof = keptProof({ files, log }, state.path);
  await proof.keep(program, "form");
  expect(await proof.holds(program, "form")).toBe(true);
  expect(await proof.holds(program, "another form")).toBe(false);
  const changed: readonly Partial<Files>[] = [
    {
      async lstat(path) {
        const info = await files.lstat(path);
        return info === undefined || path !== program ? info : { ...info, modifiedMs: info.modifiedMs + 1 };
      },
    },
    {
      read: async (path, bytesMax) =>
        path.endsWith("boot_id") ? Buffer.from("another boot\n") : await files.read(path, bytesMax),
    },
    { readlink: async () => "user:[1]" },
  ];
  for (const part of changed) {
    const other = keptProof({ files: { ...files, ...part }, log }, state.path);
    expect(await other.holds(program, "form")).toBe(false);
  }
});

test("[SBX-01] a trial counts only as a private file of the user", async () => {
  await using state = temporaryDirectory();
  const { files, log } = testWorld();
  const proof = keptProof({ files, log }, state.path);
  const holds = () => proof.holds("/usr/bin/bwrap", "form");
  await proof.keep("/usr/bin/bwrap", "form");
  const path = join(state.path, "sandbox-proof");
  expect(await holds()).toBe(true);
  chmodSync(path, 0o644);
  expect(await holds()).toBe(false);
  chmodSync(path, 0o600);
  const openResolved: Files["openResolved"] = async (place) => {
    const file = await files.openResolved(place);
    return {
      ...file,
      info: { ...file.info, owner: 12_345 },
      [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
    };
  };
  const anothers = keptProof({ files: { ...files, openResolved }, log }, state.path);
  expect(await anothers.holds("/usr/bin/bwrap", "form")).toBe(false);
  renameSync(path, join(state.path, "elsewhere"));
  symlinkSync("elsewhere", path);
  expect(await holds()).toBe(false);
});

test("[SBX-01 SBX-03] with a forged proof no command runs unconfined, and the sandbox is tried again", async () => {
  await using state = temporaryDirectory();
  await trialsOf(session(state.path));
  const forged = readFileSync(join(state.path, "sandbox-proof"), "utf8");
  // The machine no longer lets bwrap confine.
  const broken = session(state.path, (options) => {
    const [program, ...rest] = options.argv;
    return program.endsWith("/bwrap")
      ? { ...options, argv: [program, "--no-such-option", ...rest] }
      : options;
  });
  await using rig = broken.rig;
  expect(await rig.confinement()).toMatchObject({ kind: "working" });
  const refused = await rig.bash("echo ran >ran.txt");
  expect(refused).toStartWith("error: SandboxUnavailable: bubblewrap does not work here");
  expect(existsSync(join(rig.root, "ran.txt"))).toBe(false);
  expect(await rig.confinement()).toMatchObject({
    kind: "none",
    why: expect.stringContaining("bubblewrap does not work here"),
  });
  expect(broken.started.filter(isTrial).length).toBeGreaterThan(0);
  expect(existsSync(join(state.path, "sandbox-proof"))).toBe(false);
  // Nothing of the text is secret: written by hand, it is believed as long as bwrap confines.
  writeFileSync(join(state.path, "sandbox-proof"), forged, { mode: 0o600 });
  expect(await trialsOf(session(state.path))).toBe(0);
});

test("[SBX-01 S22] a proof says nothing about the places of a session: they refuse commands as after a trial", async () => {
  await using state = temporaryDirectory();
  await trialsOf(session(state.path));
  const proof = keptProof(testWorld(), state.path);
  const denied = () => ({ hidden: ["/usr"], readOnly: [] });
  await using rig = openSandboxRig({ denied, around: () => ({ proof }) });
  const refused = await rig.bash("echo ran");
  expect(refused).toContain("the sandbox works on this machine, but not with /usr covered");
  expect(refused).toStartWith("error: SandboxUnavailable");
});
