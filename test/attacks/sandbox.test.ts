import { describe, expect } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { noneWith } from "../support/processes.ts";
import { requireSandbox } from "../support/sandbox-place.ts";
import { openSandboxRig } from "../support/sandbox-rig.ts";
import type { Attempt } from "./sandbox/attempt.ts";
import { readAttempts, repositoryAttempts, writeAttempts } from "./sandbox/files.ts";
import { kernelAttempts, networkAttempts, processAttempts, survivors } from "./sandbox/machine.ts";
import type { Mutation, Range } from "./sandbox/range.ts";
import { openRange } from "./sandbox/range.ts";

const test = requireSandbox();

const CALLS: Attempt = { name: "calls", stopped: "filter", script: '"$BUN" $FLAGS "$CALLS" calls' };
const ALONE: readonly Attempt[] = ["x32:getpid", "x32:socket", "int80"].map((name) => ({
  name,
  stopped: "filter",
  script: `"$BUN" $FLAGS "$CALLS" alone ${name}`,
}));

describe("[SBX-01 S22 S26 S27 S30 S59] nothing gets out of the sandbox", () => {
  test("by writing, through links, mounts, /proc or a replaced folder", async () => {
    await using range = await openRange();
    const attempts = [...writeAttempts(range.places), ...repositoryAttempts(range.places)];
    const { escaped, made } = await range.attack(attempts);
    expect(escaped).toEqual([]);
    expect(made).toBeGreaterThanOrEqual(200);
  }, 300_000);

  test("by reading credentials, cinch's own files and what is configured to be hidden", async () => {
    await using range = await openRange();
    const { escaped, made } = await range.attack(readAttempts(range.places));
    expect(escaped).toEqual([]);
    expect(made).toBeGreaterThanOrEqual(100);
  }, 300_000);

  test("by processes, devices, the kernel and its calls, nor by sockets", async () => {
    await using range = await openRange();
    const { places } = range;
    const attempts = [
      ...processAttempts(places),
      ...kernelAttempts(),
      ...networkAttempts(places),
      CALLS,
      ...ALONE,
    ];
    const { escaped, made } = await range.attack(attempts);
    expect(escaped).toEqual([]);
    expect(process.kill(places.victim, 0)).toBe(true);
    expect(made).toBeGreaterThanOrEqual(130);
  }, 300_000);

  test("[REL-03 R19] by a process that means to outlive its call", async () => {
    await using range = await openRange();
    const token = `cinch-survivor-${process.pid}`;
    await range.attack(survivors(token));
    await noneWith(token);
  }, 300_000);
});

describe("[SBX-01] what is not there cannot be made: [S26]", () => {
  const WAYS = {
    "mkdir .cinch": "mkdir -p .cinch && echo x >.cinch/config.toml",
    "move .cinch": "mkdir c && echo x >c/config.toml && mv -T c .cinch",
    "link .cinch": "ln -sfn /tmp .cinch && echo x >.cinch/config.toml",
  };
  test(Object.keys(WAYS).join(", "), async () => {
    for (const [name, script] of Object.entries(WAYS)) {
      await using rig = openSandboxRig();
      await rig.bash(script);
      await rig.end();
      expect([name, existsSync(join(rig.root, ".cinch"))]).toEqual([name, false]);
    }
  }, 300_000);
});

/** Each control is taken out in turn, and what it is there for then works: the attempts can succeed. */
describe("[SBX-01] the attempts work where a control is missing:", () => {
  const harmless = (range: Range, stopped: Attempt["stopped"]) =>
    processAttempts(range.places).filter(
      // Without a namespace of its own this would reach every process of the machine.
      ({ name, stopped: by }) => name !== "signal:all" && by === stopped,
    );
  const CASES: readonly (readonly [string, Mutation, (range: Range) => readonly Attempt[], string])[] = [
    [
      "the filter of system calls",
      { without: ["--seccomp"] },
      ({ places }) => [CALLS, ...networkAttempts(places)],
      "^reached .*outside/host.sock",
    ],
    ["the filter, for calls of another kind", { without: ["--seccomp"] }, () => ALONE, "x32:getpid|int80"],
    [
      "the pid namespace",
      { without: ["--unshare-pid"] },
      (range) => harmless(range, "pid namespace"),
      "cmdline:all",
    ],
    [
      "the network namespace",
      { without: ["--unshare-net"] },
      ({ places }) => networkAttempts(places),
      "reached tcp",
    ],
    [
      "hidden places",
      { policy: (policy) => ({ ...policy, hidden: [] }) },
      ({ places }) => readAttempts(places),
      "read-cat",
    ],
    [
      "protected places",
      { policy: (policy) => ({ ...policy, readOnly: [] }) },
      ({ places }) => [...writeAttempts(places), ...repositoryAttempts(places)],
      "redirect:git-hooks",
    ],
    [
      "a root that is read-only",
      { policy: (policy) => ({ ...policy, writable: [join(policy.root, "..", "outside")] }) },
      ({ places }) => writeAttempts(places),
      "redirect:outside",
    ],
    [
      "a /tmp of its own",
      { policy: (policy) => ({ ...policy, temporary: "/tmp" }) },
      ({ places }) => repositoryAttempts(places),
      "tmp:leave",
    ],
  ];
  for (const [name, mutation, attempts, expected] of CASES) {
    test(name, async () => {
      await using range = await openRange(mutation);
      const { escaped } = await range.attack(attempts(range));
      expect(escaped.filter((each) => new RegExp(expected).test(each))).not.toEqual([]);
    }, 300_000);
  }

  test("a /proc that is read-only, for root", async () => {
    if (process.getuid?.() !== 0) return;
    await using range = await openRange({ without: ["--remount-ro"] });
    const { escaped } = await range.attack(kernelAttempts().filter(({ name }) => name.startsWith("sysctl:")));
    expect(escaped).toContain("sysctl:core-pattern");
  }, 300_000);

  test("dropped capabilities, for root", async () => {
    if (process.getuid?.() !== 0) return;
    const remounts = (range: Range) =>
      writeAttempts(range.places).filter(({ name }) => name.startsWith("remount:"));
    await using kept = await openRange({ without: ["--seccomp", "--unshare-user"] });
    expect((await kept.attack(remounts(kept))).escaped).toEqual([]);
    await using range = await openRange({ without: ["--seccomp", "--unshare-user", "--cap-drop"] });
    expect((await range.attack(remounts(range))).escaped).toContain("remount:outside");
  }, 300_000);
});
