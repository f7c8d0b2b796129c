import { expect, test } from "bun:test";
import { fakeTool } from "../../../../test/support/rig.ts";
import { openToolRig } from "../../../../test/support/tool-rig.ts";
import type { Confine } from "../../../session/guard/sandbox.ts";
import type { SessionSandbox } from "../../../session/guard/session-sandbox.ts";
import type { ToolCall } from "../../../tools/middleware.ts";
import { textOutput } from "../../../tools/output.ts";
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
