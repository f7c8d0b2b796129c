import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../../test/support/property.ts";
import { testWorld } from "../../../../test/support/world.ts";
import { TOOLS } from "../../../app/plan/tool-list.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { Plugin, PluginHarness } from "../../../session/plugins/plugin.ts";
import { exportedPlugin, REGISTER_MS_MAX, registerPlugin } from "./register-plugin.ts";
import { claimedNames, PLUGIN_API_VERSION } from "./registered-plugin.ts";

const { signal } = new AbortController();
const FROM = "/home/user/plugins/mine";

function register(run: (harness: PluginHarness) => unknown, world = testWorld()) {
  const plugin = { name: "mine", apiVersion: 1, register: run } as Plugin;
  return registerPlugin(plugin, { world, from: FROM, signal, tools: TOOLS });
}

test("[PLUG-01] what a plugin registers is taken in whole, and claims its names", async () => {
  const plugin = await register((harness) => {
    harness.tool({ name: "Hello", description: "Greets.", inputSchema: { type: "object" }, run: () => "hi" });
    harness.commands("greet", [{ name: "say", help: "greets", run: () => "hi" }]);
    harness.provider("mine", () => Promise.reject(new Error("later")));
    harness.transport({ name: "pipe", open: () => Promise.reject(new Error("later")) });
    harness.permission("deny", "Bash:rm *");
    harness.hook("Stop", () => undefined);
    harness.on(() => undefined, ["TurnEnded"]);
  });
  expect(claimedNames(plugin)).toEqual([
    "the namespace mine",
    "the namespace greet",
    "the tool Hello",
    "the provider mine",
    "the transport pipe",
  ]);
  expect(plugin.rules).toEqual([{ effect: "deny", text: "Bash:rm *" }]);
});

test("[PLUG-01] a module without a plugin, with an invalid name, or for a newer cinch is refused with that reason", () => {
  const refused = (module: unknown) => {
    try {
      exportedPlugin(module, FROM);
      return "taken";
    } catch (thrown) {
      return thrown instanceof HarnessError ? `${thrown.reason} ${thrown.message}` : String(thrown);
    }
  };
  const whole = { name: "mine", apiVersion: PLUGIN_API_VERSION, register: () => undefined };
  expect(refused({ plugin: whole })).toBe("taken");
  expect(refused({ default: whole })).toBe("taken");
  expect(refused({})).toContain(`PluginInvalid The plugin ${FROM} cannot be used: it exports no plugin`);
  expect(refused({ plugin: { ...whole, name: "Mine!" } })).toContain("its name is not 1 to 32 small letters");
  expect(refused({ plugin: { ...whole, register: 7 } })).toContain("it has no function register");
  expect(refused({ plugin: { ...whole, apiVersion: "1" } })).toContain("its apiVersion is not a number");
  expect(refused({ plugin: { ...whole, apiVersion: PLUGIN_API_VERSION + 1 } })).toContain(
    `it was written for plugin API ${PLUGIN_API_VERSION + 1}, and this cinch has ${PLUGIN_API_VERSION}: upgrade cinch`,
  );
});

const WRONG: readonly (readonly [string, (harness: PluginHarness) => void, string])[] = [
  [
    "a tool with a name that no model can call",
    (harness) =>
      harness.tool({ name: "a b", description: "d", inputSchema: { type: "object" }, run: () => "" }),
    'the tool "a b" is invalid: a name is 1 to 64 letters, digits, underscores and dashes',
  ],
  [
    "a tool without a description",
    (harness) =>
      harness.tool({ name: "A", description: " ", inputSchema: { type: "object" }, run: () => "" }),
    'the tool "A" is invalid: it has no description',
  ],
  [
    "a rule that is none",
    (harness) => harness.permission("allow", "Bash:"),
    '"Bash:" names nothing after the colon',
  ],
  [
    "a rule of another effect",
    (harness) => harness.permission("permit" as "allow", "Bash"),
    "a rule allows, asks or denies, and not permit",
  ],
  [
    "a tool that does nothing",
    (harness) => harness.tool({ name: "Hello", description: "d", inputSchema: { type: "object" } } as never),
    'the tool "Hello": run is not a function',
  ],
  [
    "a tool whose plan is a text",
    (harness) => harness.tool({ name: "Hello", run: () => "", plan: "x" } as never),
    'the tool "Hello": plan is not a function',
  ],
  [
    "a command that does nothing",
    (harness) => harness.commands("a", [{ name: "x", help: "h" } as never]),
    'the command "x": run is not a function',
  ],
  [
    "a transport without a name",
    (harness) => harness.transport({} as never),
    "the transport without a name: open is not a function",
  ],
  ["a listener that is a text", (harness) => harness.on("x" as never), "a listener is not a function"],
  [
    "an event that there is none of",
    (harness) => harness.on(() => undefined, ["Nope" as never]),
    'there is no event "Nope"',
  ],
  [
    "a moment that there is none of",
    (harness) => harness.hook("Nope" as "Stop", () => undefined),
    'there is no moment "Nope"',
  ],
  [
    "a hook that shall stop what cannot be stopped",
    (harness) => harness.hook("Stop", () => undefined, { blocking: true }),
    "a hook at Stop can stop nothing",
  ],
  ["a namespace without commands", (harness) => harness.commands("a", []), "the namespace a has no commands"],
  [
    "a command twice",
    (harness) => {
      const one = { name: "x", help: "h", run: () => undefined };
      harness.commands("a", [one, one]);
    },
    "in the namespace a, the command x is registered twice",
  ],
  [
    "a help of two lines",
    (harness) => harness.commands("a", [{ name: "x", help: "h\nh", run: () => undefined }]),
    "in the namespace a, the help of x is not one line of at most 200 characters",
  ],
  [
    "a provider with a colon",
    (harness) => harness.provider("a:b", () => Promise.reject()),
    '"a:b" is not a provider name',
  ],
];

test.each(WRONG)("[PLUG-01] %s is refused where it is registered, and named", async (_, run, problem) => {
  await expect(register(run)).rejects.toMatchObject({
    reason: "PluginInvalid",
    message: expect.stringContaining(`The plugin ${FROM} cannot be used: ${problem}`),
  });
});

test("[PLUG-01] a plugin that throws in register, at once or later, is named with what it said", async () => {
  const message = "The plugin 'mine' failed in register: no luck. The session continues";
  const expected = { reason: "PluginFailed", message: expect.stringContaining(message) };
  const thrown = () => {
    throw new Error("no luck");
  };
  await expect(register(thrown)).rejects.toMatchObject(expected);
  await expect(register(() => Promise.reject(new Error("no luck")))).rejects.toMatchObject(expected);
});

test("[PLUG-01 REL-02] a plugin that never returns from register is given up after its time", async () => {
  const world = testWorld();
  const registering = register(() => new Promise(() => undefined), world).catch((thrown: unknown) => thrown);
  await world.clock.advance(REGISTER_MS_MAX);
  expect(await registering).toMatchObject({
    reason: "PluginFailed",
    message: expect.stringContaining("failed in register: no end within 10 s"),
  });
});

test("[PLUG-01] nothing can be registered once register has returned", async () => {
  let late: PluginHarness | undefined;
  const plugin = await register((harness) => {
    late = harness;
  });
  expect(() => late?.permission("allow", "Bash")).toThrow("it registers a rule after register has returned");
  expect(plugin.rules).toEqual([]);
});

test("[PLUG-01] whatever a plugin registers, it is taken, or refused in its name, and nothing else is thrown", async () => {
  const anything = fc.anything({ withNullPrototype: true });
  const method = fc.constantFrom(
    ...(["tool", "toolSource", "toolMiddleware", "requestMiddleware", "on", "hook", "commands"] as const),
    ...(["permission", "provider", "transport", "log"] as const),
  );
  await holds(
    fc.asyncProperty(fc.array(fc.tuple(method, anything, anything)), async (entries) => {
      const all = await Promise.allSettled(
        entries.map(([name, first, second]) =>
          register((harness) => Reflect.apply(harness[name] as () => void, harness, [first, second])),
        ),
      );
      for (const each of all) {
        if (each.status === "rejected")
          expect(["PluginInvalid", "PluginFailed"]).toContain(each.reason.reason);
      }
    }),
  );
});
