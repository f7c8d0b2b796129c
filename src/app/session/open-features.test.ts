import { expect, test } from "bun:test";
import type { EnginePort } from "../../session/engine-port.ts";
import type { Feature, OpenFeature } from "../../session/feature.ts";
import type { EngineHost, SessionHost } from "../../session/host.ts";
import type { TurnContext } from "../../session/moments.ts";
import type { ToolSource } from "../../tools/tool.ts";
import { featureSet } from "../plan/feature-set.ts";
import { EngineFeatures, OpenFeatures } from "./open-features.ts";
import { rulesOfFeatures } from "./rules-of-features.ts";

/** A host that no feature of these tests uses, apart from its plan. */
const HOST = { plan: () => ({}) } as unknown as SessionHost;

/** Opens features with these slots, in this order. */
async function opened(...slots: readonly OpenFeature[]): Promise<OpenFeatures> {
  const all = slots.map(
    (open, at): Feature => ({
      name: `feature-${at}`,
      isUsed: () => true,
      open: () => Promise.resolve(open),
    }),
  );
  return await OpenFeatures.open(HOST, { all, of: () => Promise.resolve(undefined) });
}

const answer = () => Promise.reject(new Error("not called"));

test("[ENG-01] lists of several features are concatenated, in the order of the features", async () => {
  const features = await opened(
    { takes: ["skill"], notices: () => ["a"], skills: () => [] },
    { takes: ["agent"], notices: () => ["b"], running: () => 2 },
    { running: () => 1 },
  );
  expect([features.takes, features.notices(), features.running()]).toEqual([
    ["skill", "agent"],
    ["a", "b"],
    3,
  ]);
});

test("[ENG-01] different keys of several features are joined", async () => {
  const features = await opened(
    { commands: { StopTask: answer }, queries: { ListTasks: answer }, carries: () => ({ planMode: true }) },
    { commands: { ManageMcp: answer }, queries: { ListAgents: answer } },
  );
  expect(Object.keys(features.commands)).toEqual(["StopTask", "ManageMcp"]);
  expect(Object.keys(features.queries)).toEqual(["ListTasks", "ListAgents"]);
  expect(features.shared.carries()).toEqual({ planMode: true });
});

const FILLED_TWICE: readonly (readonly [slot: string, open: OpenFeature])[] = [
  ["commands.StopTask", { commands: { StopTask: answer } }],
  ["queries.ListTasks", { queries: { ListTasks: answer } }],
  ["rewind", { rewind: answer }],
];

test.each(FILLED_TWICE)(
  "[ENG-01] two features with %s end the start, and each is closed",
  async (slot, open) => {
    await opened(open, {});
    let closed = 0;
    const [first, second] = [1, 2].map(() => ({
      ...open,
      [Symbol.asyncDispose]: () => {
        closed += 1;
        return Promise.resolve();
      },
    }));
    await expect(opened(first ?? {}, {}, second ?? {})).rejects.toThrow(`one feature has ${slot}`);
    expect(closed).toBe(2);
  },
);

test("[ENG-01] the part of an engine is closed if it cannot serve", async () => {
  let closed = 0;
  const feature: Feature = {
    name: "broken",
    isUsed: () => true,
    openEngine: () =>
      Promise.resolve({
        serve: () => Promise.reject(new Error("no socket")),
        [Symbol.asyncDispose]: () => {
          closed += 1;
          return Promise.resolve();
        },
      }),
    open: () => Promise.resolve(undefined),
  };
  await using features = new EngineFeatures({} as unknown as EngineHost, featureSet([feature]));
  await features.serve({} as unknown as EnginePort);
  await expect(features.of(feature)).rejects.toThrow("no socket");
  expect(closed).toBe(1);
});

test("[ENG-01] two features with one way to switch, one carried state or one namespace end the call", async () => {
  const features = await opened(
    ...[1, 2].map(() => ({
      prepareSwitch: answer,
      carries: () => ({ planMode: true }),
      ownerOf: (namespace: string) => (namespace === "mine" ? answer : undefined),
    })),
  );
  expect(() => features.prepareSwitch).toThrow("one feature has prepareSwitch");
  expect(() => features.shared.carries()).toThrow("one feature has carries.planMode");
  expect(() => features.ownerOf("mine")).toThrow("one feature owns the namespace mine");
  expect(features.ownerOf("others")).toBeUndefined();
});

test("[ENG-01 PERM-01] rules of several features are joined", async () => {
  const bringing = (tool: string, isPending: boolean): Feature => ({
    name: tool,
    isUsed: () => true,
    rules: () => Promise.resolve({ rules: [], tools: [tool], isPending }),
    open: () => Promise.resolve(undefined),
  });
  const of = { of: () => Promise.resolve(undefined) };
  const sources = { host: {} as unknown as EngineHost };
  const reading = Promise.resolve({ files: {} as never });
  const features = { ...of, all: [bringing("One", false), bringing("Two", true)] };
  expect(await rulesOfFeatures(reading, { ...sources, features })).toEqual({
    rules: [],
    tools: ["One", "Two"],
    isPending: true,
  });
  expect(await rulesOfFeatures(reading, { ...sources, features: { ...of, all: [] } })).toBeUndefined();
});

test("[ENG-01] a feature joins the others when all are open, and its parts keep its place", async () => {
  const order: string[] = [];
  const says = (name: string) => async () => {
    order.push(name);
    return [];
  };
  const features = await opened(
    {
      onInput: says("first"),
      join(others) {
        order.push(`joined with ${JSON.stringify(others.carries())}`);
        return { onInput: says("first, joined"), queries: { ListTasks: answer } };
      },
    },
    { onInput: says("second"), carries: () => ({ planMode: true }), queries: { ListAgents: answer } },
  );
  await features.onInput([], {} as unknown as TurnContext, {});
  expect(order).toEqual(['joined with {"planMode":true}', "first", "first, joined", "second"]);
  expect(Object.keys(features.queries)).toEqual(["ListTasks", "ListAgents"]);
});

test("[ENG-01 ENG-10] tools that run other agents stand where their feature does", async () => {
  const source = (name: string): ToolSource => ({ name, tools: () => [] });
  const features = await opened(
    { tools: [source("a")] },
    { agentTools: () => [source("b")] },
    { tools: [source("c")] },
  );
  const nobody = () => Promise.reject(new Error("nothing runs"));
  expect(
    features.tools({ spawn: nobody, delegate: nobody, examine: nobody }).map(({ name }) => name),
  ).toEqual(["a", "b", "c"]);
});

test("[ENG-01] what a session lacks while it opens its features cannot be called: that does not compile", () => {
  const calls = [
    // @ts-expect-error the other features are not open
    (host: SessionHost) => host.carries(),
    // @ts-expect-error the other features are not open
    (host: SessionHost) => host.lists,
    // @ts-expect-error there is no session that a sub-agent could run in
    (host: SessionHost) => host.spawn,
    // @ts-expect-error a joined part is no part that the others have seen
    (): OpenFeature => ({ join: () => ({ carries: () => ({}) }) }),
    // @ts-expect-error the others have seen the hooks
    (): OpenFeature => ({ join: () => ({ around: [{ tool: "hooks", run: answer }] }) }),
  ];
  expect(calls).toHaveLength(5);
});
