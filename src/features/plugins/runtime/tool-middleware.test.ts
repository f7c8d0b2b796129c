import { expect, test } from "bun:test";
import { openToolRig } from "../../../../test/support/tool-rig.ts";
import type { JsonObject } from "../../../base/json.ts";
import { stringAt } from "../../../base/json.ts";
import type { Event } from "../../../protocol/events/events.ts";
import type { PluginToolMiddleware } from "../../../session/plugins/plugin.ts";
import type { ToolMiddleware } from "../../../tools/middleware.ts";
import { textOutput } from "../../../tools/output.ts";
import type { Tool } from "../../../tools/tool.ts";
import { ToolFailure } from "../../../tools/tool.ts";
import { PLUGIN_FAILURES_MAX, PluginContainment, PluginHealth } from "./containment.ts";
import { MIDDLEWARE_MS_MAX, pluginToolMiddleware } from "./tool-middleware.ts";

const NEVER = new Promise<never>(() => undefined);

/** A tool that says what it was given, and writes down that it ran. One call of it is slow. */
function echo(ran: string[], slow: { run(): Promise<void> }): Tool {
  return {
    name: "Echo",
    description: "Says it again.",
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    mutating: true,
    level: "WorkspaceWrite",
    async plan(input) {
      const text = stringAt(input, "text") ?? "";
      if (text === "unplannable") throw new ToolFailure("cannot be planned");
      return { summary: `Echo:${text}`, target: { kind: "none" } };
    },
    async run(plan) {
      if (plan.summary === "Echo:slow") await slow.run();
      for (let step = 0; step < 50; step++) await Promise.resolve(); // it takes a while
      ran.push(plan.summary);
      return textOutput(plan.summary);
    },
  };
}

function openRig(run: PluginToolMiddleware, options: { readonly guards?: boolean } = {}) {
  const rig = openToolRig();
  const told: Event[] = [];
  const ran: string[] = [];
  const judged: string[] = [];
  const [begun, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = {
    async run() {
      begun.resolve();
      await finish.promise;
    },
  };
  const { clock } = rig.world;
  const health = new PluginHealth("mine", rig.world.log);
  const contained = new PluginContainment(health, clock, (event) => void told.push(event));
  const session = {
    session: rig.context.session,
    emit: () => undefined,
    raise: () => undefined,
    error: () => new Error("own"),
  };
  const own = pluginToolMiddleware({ run, ...options }, contained, { clock, session });
  const gate: ToolMiddleware = (call, context, next) => {
    judged.push(`${call.plan?.summary} of ${stringAt(call.input, "text")}`);
    return next(call, context);
  };
  return {
    ...rig,
    ran,
    /** Stands for permission, inside the middleware. */
    judged,
    clock,
    health,
    get told() {
      return told.map((event) => (event.kind === "Error" ? event.payload : event));
    },
    /** Resolves once the slow call runs, which goes on until it is told to finish. */
    begun: begun.promise,
    finish: finish.resolve,
    call: (input: JsonObject) => rig.text(echo(ran, slow), input, [own, gate]),
  };
}

test("[PLUG-01 PERM-10] an input that a plugin changes is planned and judged again, and the model is notified", async () => {
  await using rig = openRig(async (call, next) => await next({ text: `${call.input["text"]}, louder` }));
  expect(await rig.call({ text: "hi" })).toBe(
    'Echo:hi, louder\n[The plugin mine has changed the input of this call to: {"text":"hi, louder"}]',
  );
  expect([rig.judged, rig.ran]).toEqual([["Echo:hi, louder of hi, louder"], ["Echo:hi, louder"]]);
});

test("[PLUG-01 LIB-05] an input that a plugin makes wrong runs nothing", async () => {
  for (const wrong of [{ text: 7 }, { text: "unplannable" }, {}]) {
    await using rig = openRig(async (_, next) => await next(wrong));
    expect(await rig.call({ text: "hi" })).toStartWith("error: ");
    expect([rig.judged, rig.ran]).toEqual([[], []]);
  }
});

test("[PLUG-01] a plugin refuses a call by not passing it on, and is shown the input as a copy", async () => {
  await using rig = openRig((call) => {
    Reflect.set(call.input, "text", "mine now");
    return { content: [{ type: "text", text: `no ${call.summary}` }], isError: true };
  });
  expect(await rig.call({ text: "hi" })).toBe("error: no Echo:hi");
  expect(rig.ran).toEqual([]);
});

test("[PLUG-01 PERM-10] what a plugin does to the input that it is shown changes nothing", async () => {
  await using rig = openRig(async (call, next) => {
    Reflect.set(call.input, "text", "mine now");
    return await next();
  });
  await rig.call({ text: "hi" });
  expect(rig.judged).toEqual(["Echo:hi of hi"]);
});

test("[PLUG-01] a result that a plugin returns without waiting for the call is reported once the call has ended", async () => {
  await using rig = openRig((_, next) => {
    next().catch(() => undefined);
    return "mine";
  });
  expect([await rig.call({ text: "hi" }), rig.ran]).toEqual(["mine", ["Echo:hi"]]);
});

test("[PLUG-01] a call whose middleware throws first continues without it; with guards it does not run", async () => {
  const broken: PluginToolMiddleware = () => {
    throw new Error("no luck");
  };
  {
    await using rig = openRig(broken);
    expect(await rig.call({ text: "hi" })).toBe("Echo:hi");
    expect(rig.told).toEqual([
      {
        reason: "PluginFailed",
        message: expect.stringContaining("The plugin 'mine' failed in its tool middleware: no luck"),
        details: { plugin: "mine" },
      },
    ]);
  }
  await using rig = openRig(broken, { guards: true });
  expect(await rig.call({ text: "hi" })).toContain("did not run: the plugin mine has to look at it first");
  expect([rig.judged, rig.ran]).toEqual([[], []]);
});

test("[PLUG-01 REL-02] middleware that never returns is given up, before the call and after it, and the tool's own time is not its", async () => {
  {
    const entered = Promise.withResolvers<void>();
    await using rig = openRig(() => {
      entered.resolve();
      return NEVER;
    });
    const calling = rig.call({ text: "hi" });
    await entered.promise;
    await rig.clock.advance(MIDDLEWARE_MS_MAX);
    expect(await calling).toBe("Echo:hi");
  }
  const after = Promise.withResolvers<void>();
  await using rig = openRig(async (_, next) => {
    await next();
    after.resolve();
    return await NEVER;
  });
  const calling = rig.call({ text: "slow" });
  await rig.begun;
  await rig.clock.advance(MIDDLEWARE_MS_MAX * 2);
  expect(rig.told).toEqual([]);
  rig.finish();
  await after.promise;
  await rig.clock.advance(MIDDLEWARE_MS_MAX);
  expect(await calling).toBe("Echo:slow");
  expect([rig.ran, rig.told.length]).toEqual([["Echo:slow"], 1]);
});

test("[PLUG-01] what throws after the call leaves its result, once; what calls next twice or too late runs nothing twice", async () => {
  {
    await using rig = openRig(async (_, next) => {
      await next();
      throw new Error("afterwards");
    });
    expect(await rig.call({ text: "hi" })).toBe("Echo:hi");
  }
  {
    await using rig = openRig(async (_, next) => {
      await next();
      return await next();
    });
    expect(await rig.call({ text: "hi" })).toBe("Echo:hi");
    expect(rig.ran).toEqual(["Echo:hi"]);
  }
  let late: ((input?: JsonObject) => Promise<unknown>) | undefined;
  await using rig = openRig((_, next) => {
    late = next;
    throw new Error("first");
  });
  await rig.call({ text: "hi" });
  expect(await late?.().catch((thrown: Error) => thrown.message)).toBe(
    "the call continued without this middleware",
  );
  expect(rig.ran).toEqual(["Echo:hi"]);
});

test("[PLUG-01] an invalid result counts as a failure, whatever it is", async () => {
  for (const result of [undefined, null, 7, {}, { content: [7] }, { content: [{ type: "image" }] }, []]) {
    await using rig = openRig(() => result as never);
    expect(await rig.call({ text: "hi" })).toBe("Echo:hi");
    expect(rig.told).toHaveLength(1);
  }
});

test("[PLUG-01] a plugin that fails repeatedly is reported once, then switched off with a notice; its guarded calls stay refused", async () => {
  for (const [guards, expected] of [
    [false, "Echo:hi"],
    [true, "error: This call of Echo did not run"],
  ] as const) {
    let calls = 0;
    await using rig = openRig(
      () => {
        calls += 1;
        throw new Error("no luck");
      },
      { guards },
    );
    for (let at = 0; at < PLUGIN_FAILURES_MAX + 3; at++)
      expect(await rig.call({ text: "hi" })).toStartWith(expected);
    expect(calls).toBe(PLUGIN_FAILURES_MAX);
    expect(rig.told.map((each) => "reason" in each && each.reason)).toEqual(["PluginFailed", "PluginOff"]);
  }
});

test("[PLUG-01 ENG-04] a cancel is no failure of a plugin, and none can hold it back", async () => {
  await using rig = openRig(async (_, next) => {
    await next().catch(() => undefined);
    return "all is well";
  });
  rig.cancel.abort(new Error("cancelled"));
  expect(await rig.call({ text: "hi" }).catch((thrown: Error) => thrown.message)).toBe("cancelled");
  expect(rig.told).toEqual([]);
});
