import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { says } from "../../../test/support/mock-provider/turn.ts";
import type { TestProject } from "../../../test/support/place.ts";
import { connect, openPlace, turn } from "../../../test/support/place.ts";
import { NOTHING } from "../../config/config.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import { memorySection } from "../../features/memory/config.ts";
import type { ConfigSection } from "../../session/config-section.ts";
import type { Feature } from "../../session/feature.ts";
import type { SessionPlan } from "../../session/plan.ts";
import { textOutput } from "../../tools/output.ts";
import type { Tool } from "../../tools/tool.ts";
import type { ToolFacts } from "../../tools/tool-facts.ts";
import { embeddedFeatures, FEATURES } from "../features.ts";
import { featureSet, PROGRAM_FEATURES } from "./feature-set.ts";
import { profileToSwitch } from "./profiles/profile-to-switch.ts";

const noteSection = {
  shape: "table",
  name: "note",
  about: "Notes of an embedder.",
  keys: {
    lines: { kind: "integer", key: "lines", min: 1, meaning: "Lines of a note.", default: 3, example: 5 },
  },
} as const satisfies ConfigSection;

const NOTE_FACTS: ToolFacts = {
  name: "Note",
  kind: "other",
  inSubAgents: "never",
  packs: [],
  effect: "session",
  mutating: false,
  level: "ReadOnly",
  autoAllowed: "always",
  output: "own",
};

const noteTool: Tool = {
  ...NOTE_FACTS,
  description: "Writes a note.",
  inputSchema: { type: "object", properties: {} },
  plan: (input) => Promise.resolve({ input, target: { kind: "none" }, summary: "note" }),
  run: () => Promise.resolve(textOutput("noted")),
};

/** Returns a feature with a section and a tool of its own, and the plans of the sessions that it was opened in. */
function noteFeature(): { readonly feature: Feature; readonly plans: SessionPlan[] } {
  const plans: SessionPlan[] = [];
  const feature: Feature = {
    name: "note",
    config: [noteSection],
    tools: [NOTE_FACTS],
    commands: [{ name: "note", help: "writes a note", does: { by: "client" } }],
    isUsed: () => true,
    open(host) {
      plans.push(host.plan());
      return Promise.resolve({ tools: [{ name: "note", tools: () => [noteTool] }] });
    },
  };
  return { feature, plans };
}

function openWith(toml: string, ...script: Parameters<typeof openPlace>): TestProject {
  const place = openPlace(...script);
  place.config(`${readFileSync(join(place.root, "config/config.toml"), "utf8")}\n${toml}`);
  return place;
}

/** Names of the tools that a session of these features offers to its model. */
async function toolsOf(place: TestProject, features: readonly Feature[]): Promise<readonly string[]> {
  await using harness = await place.open({ features: featureSet(features) });
  await turn(harness, "go");
  const connection = await connect(harness);
  const { tools } = await connection.query({ kind: "ListTools", sessionId: harness.session });
  return tools.map(({ name }) => name);
}

const WITHOUT_MEMORY = FEATURES.filter(({ name }) => name !== "memory");

test("[LIB-10 PROF-03] an engine without a feature has neither its section, nor its tools, nor its settings", async () => {
  const set = featureSet(WITHOUT_MEMORY);
  expect(set.sections).not.toContain(memorySection);
  expect(set.tools.of("MemoryWrite")).toBeUndefined();
  await using place = openWith("", says("done"));
  expect((await toolsOf(place, WITHOUT_MEMORY)).filter((name) => name.startsWith("Memory"))).toEqual([]);
  await using wrong = openWith("[memory]\nenabled = true\n");
  await expect(wrong.open({ features: set })).rejects.toThrow("memory");
  await using denying = openWith('[permissions]\ndeny = ["MemoryWrite"]\n', says("done"));
  await expect(denying.open({ features: set })).rejects.toThrow("MemoryWrite");
  await using known = openWith(
    '[memory]\nenabled = true\n\n[permissions]\ndeny = ["MemoryWrite"]\n',
    says("done"),
  );
  await using _whole = await known.open();
});

test("[LIB-10 PROF-03] a feature of the embedder has its section read, its tools listed and its rules known", async () => {
  const { feature, plans } = noteFeature();
  const toml = '[note]\nlines = 7\n\n[permissions]\nallow = ["Note"]\n';
  await using place = openWith(toml, says("done"));
  expect(await toolsOf(place, [...WITHOUT_MEMORY, feature])).toContain("Note");
  const [plan] = plans;
  expect(plan?.tools.of("Note")).toEqual(NOTE_FACTS);
  expect(plan?.tools.of("MemoryWrite")).toBeUndefined();
  if (plan === undefined) throw new Error("the feature was not opened");
  expect(settingsOf(noteSection, plan)).toEqual({ lines: 7 });
  await using wrong = openWith("[note]\nlines = 0\n");
  await expect(wrong.open({ features: featureSet([feature]) })).rejects.toThrow("lines");
});

test("[LIB-10 SES-08] an engine reads back the state of its own features alone", async () => {
  await using place = openPlace(says("one"), says("two"));
  let readers = 0;
  const { feature } = noteFeature();
  const counting: Feature = {
    ...feature,
    stored: {
      readBack() {
        readers += 1;
        return Promise.resolve({ done: true, add: () => undefined, state: {} });
      },
    },
  };
  const features = featureSet([counting]);
  {
    await using harness = await place.open({ features });
    await turn(harness, "go");
  }
  expect(readers).toBe(0);
  await using _again = await place.open({ features, resume: { kind: "last" } });
  expect(readers).toBe(1);
});

test("[LIB-10 PERM-11] a profile to switch to is checked against the tools of the engine's own features", async () => {
  const { feature } = noteFeature();
  await using place = openPlace();
  await Bun.write(join(place.root, "config/profiles/noting.toml"), '[permissions]\nallow = ["Note"]\n');
  const { world, paths, wishes } = place.options();
  const from = { world, paths, wishes, root: place.repo, config: NOTHING };
  const features = featureSet([feature]);
  expect(await profileToSwitch({ ...from, features }, "noting")).toMatchObject({ reference: "noting" });
  await expect(profileToSwitch({ ...from, features: PROGRAM_FEATURES }, "noting")).rejects.toThrow("Note");
});

test("[LIB-10] the engine of a program has limits, plugins and compaction, and what the program brings", () => {
  const { feature } = noteFeature();
  expect(embeddedFeatures(feature).map(({ name }) => name)).toEqual([
    "limits",
    "plugins",
    "compaction",
    "note",
  ]);
});

test("[LIB-10 CTL-15] an engine lists the slash commands of its own features, and of no others", async () => {
  const { feature } = noteFeature();
  await using place = openPlace();
  await using harness = await place.open({ features: featureSet([...WITHOUT_MEMORY, feature]) });
  const connection = await connect(harness);
  const { slash_commands: listed } = await connection.query({ kind: "ListSlashCommands" });
  expect(listed.find(({ name }) => name === "note")).toMatchObject({
    name: "note",
    usage: "/note",
    help: "writes a note",
    command: "client",
  });
  await using whole = await place.open();
  const all = await (await connect(whole)).query({ kind: "ListSlashCommands" });
  const missing = all.slash_commands.filter(({ name }) => !listed.some((each) => each.name === name));
  expect(missing.map(({ name }) => name)).toEqual(["memory"]);
});
