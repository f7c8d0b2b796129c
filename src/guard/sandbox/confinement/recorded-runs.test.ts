import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fakeTool } from "../../../../test/support/rig.ts";
import { requireSandbox } from "../../../../test/support/sandbox-place.ts";
import { openSandboxRig } from "../../../../test/support/sandbox-rig.ts";
import { openToolRig } from "../../../../test/support/tool-rig.ts";
import { testWorld } from "../../../../test/support/world.ts";
import { Cancelled } from "../../../base/errors.ts";
import type { World } from "../../../base/world.ts";
import type { Confine } from "../../../session/guard/sandbox.ts";
import type { SessionSandbox } from "../../../session/guard/session-sandbox.ts";
import { INTENT_MS_MAX } from "../../../tools/bash/bash.ts";
import type { ToolCall } from "../../../tools/middleware.ts";
import { textOutput } from "../../../tools/output.ts";
import { RECORD_MS_MAX } from "../interrupted-runs.ts";
import { confine } from "./confine.ts";

for (const { what, passesInput, isIntended } of [
  { what: "one that is held", passesInput: true, isIntended: true },
  { what: "one of a backend without standard input", passesInput: false, isIntended: true },
  { what: "one that changes nothing", passesInput: true, isIntended: false },
] as const) {
  test(`[S26 REL-02] a command begins after its run is recorded: ${what}`, async () => {
    await using rig = openToolRig({}, {});
    const { order, recorded, sandbox } = recordingSandbox(passesInput);
    const middleware = confine({
      sandbox: () => sandbox,
      attended: false,
      ask: () => Promise.resolve({ kind: "nobody" }),
      mayLeave: () => Promise.resolve(false),
    });
    const intent = Promise.withResolvers<void>();
    const context = isIntended ? { ...rig.context, intentSafe: () => intent.promise } : rig.context;
    const running = middleware(bashCall(rig.root), context, async (_call, { intentSafe }) => {
      await intentSafe?.();
      order.push("begins");
      return textOutput("");
    });
    intent.resolve();
    await intent.promise;
    setImmediate(() => {
      order.push("recorded");
      recorded.resolve();
    });
    await running;
    expect(order).toEqual(["recorded", "begins"]);
  });
}

const sandboxed = requireSandbox();

for (const { what, isHeld, background } of [
  { what: "one that is held", isHeld: true, background: false },
  { what: "one that waits before its start", isHeld: false, background: false },
  { what: "one in the background", isHeld: true, background: true },
])
  sandboxed(`[SBX-01 REL-04] a disk that never takes the record ends the call: ${what}`, async () => {
    const { world, isStuck } = stuckWorld();
    await using rig = openSandboxRig({ around: () => ({ world }) });
    if (isHeld) Object.assign(rig.context, { intentSafe: () => Promise.resolve() });
    const said = rig.bash("touch begun", { background });
    await isStuck;
    await world.clock.advance(RECORD_MS_MAX);
    expect(await said).toMatch(
      /^error: nothing was run: the record of this run could not be written within 10 s, to \S+\/sandboxes\/running\/\S+\.json\. Check that the disk of this folder takes writes, then try again\.$/,
    );
    expect(existsSync(join(rig.root, "begun"))).toBe(false);
  });

sandboxed(
  "[ENG-09] a call that is cancelled while its record is written ends with the wait for the record",
  async () => {
    const { world, isStuck } = stuckWorld();
    await using rig = openSandboxRig({ around: () => ({ world }) });
    const said = rig.bash("touch begun").catch((thrown: unknown) => thrown);
    await isStuck;
    rig.cancel.abort(new Cancelled("tester", "enough"));
    await world.clock.advance(RECORD_MS_MAX);
    expect(await said).toBeInstanceOf(Cancelled);
    expect(existsSync(join(rig.root, "begun"))).toBe(false);
  },
);

test("[REL-04] the wait for the record ends before that for the log, so that the error names its place", () => {
  expect(RECORD_MS_MAX).toBeLessThan(INTENT_MS_MAX);
});

/** A world whose disk never takes the record of a run. */
function stuckWorld() {
  const world = testWorld();
  const stuck = Promise.withResolvers<void>();
  const createNew: World["files"]["createNew"] = async (path, content, mode) => {
    if (!path.includes("/running/")) return await world.files.createNew(path, content, mode);
    stuck.resolve();
    return await new Promise<never>(() => undefined);
  };
  return { world: { ...world, files: { ...world.files, createNew } }, isStuck: stuck.promise };
}

function recordingSandbox(passesInput: boolean) {
  const order: string[] = [];
  const recorded = Promise.withResolvers<void>();
  const working: Confine = {
    wrap: (options) => options,
    failure: () => undefined,
    ...(passesInput ? { passesInput: true } : {}),
  };
  const sandbox: SessionSandbox = {
    current: () =>
      Promise.resolve({
        kind: "working",
        confine: working,
        network: "off",
        recorded: recorded.promise,
        follow: () => undefined,
        afterwards: () => Promise.resolve({ notes: [], refused: [], unrouted: false, isRefuted: false }),
        sweep: () => Promise.resolve(),
      }),
    accept: () => Promise.resolve(),
    grant: () => Promise.resolve(),
    search: () => Promise.resolve(undefined),
  };
  return { order, recorded, sandbox };
}

function bashCall(cwd: string): ToolCall {
  const tool = fakeTool("Bash", () => textOutput(""), { mutating: true });
  const plan = { summary: "true", target: { kind: "command", command: "true", cwd } } as const;
  return { id: "call_1", name: "Bash", input: {}, tool, plan } as unknown as ToolCall;
}
