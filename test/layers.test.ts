import { expect, test } from "bun:test";
import { posix } from "node:path";
import {
  FEATURE_IMPORTS,
  FEATURE_LIST,
  featureImports,
  featuresImportedBy,
} from "./support/feature-imports.ts";
import { layerViolations, machineGlobal, staleEntries } from "./support/layers.ts";
import { codeOf, filesUnder, importsOf, isTest, readSource } from "./support/source.ts";

const FILES = filesUnder("src", "**/*.{ts,tsx}").filter(
  (file) => !isTest(file) && !file.startsWith("src/cli/commands/demo/project/"),
);

/** Source files on one level of a folder. */
const FILES_MAX = 12;

/** Folders of one source file, tests not counted, apart from `providers/<vendor>` and `features/<name>`. */
const SINGLE: readonly string[] = ["src/guard/sandbox/container", "src/tools/todo"];

function violations(path: string, source: string): readonly string[] {
  return layerViolations(path, importsOf(source));
}

test("[ENG-01] every file is in a module and every import goes down a layer", () => {
  const found = FILES.flatMap((file) => violations(file.slice("src/".length), readSource(file)));
  expect(found).toEqual([]);
});

test("[ENG-01] every entry in the lists of modules and exceptions is still needed", () => {
  const files = FILES.map((file) => [file.slice("src/".length), importsOf(readSource(file))] as const);
  expect(staleEntries(files)).toEqual([]);
  expect(staleEntries([])).toContain("LAYERS: base");
  expect(staleEntries([["base/ids.ts", []]])).not.toContain("LAYERS: base");
});

test("[DOC-01] a folder holds 2 to 12 source files on one level", () => {
  const counts = new Map<string, number>();
  for (const file of FILES) counts.set(posix.dirname(file), (counts.get(posix.dirname(file)) ?? 0) + 1);
  const over = [...counts].filter(([, count]) => count > FILES_MAX).map(([folder]) => folder);
  expect(over.sort(), `more than ${FILES_MAX} source files: move some into a subfolder`).toEqual([]);
  expect(Math.max(...counts.values())).toBe(FILES_MAX);
  const holdsFolders = (folder: string) => [...counts.keys()].some((each) => each.startsWith(`${folder}/`));
  const single = [...counts]
    .filter(([folder, count]) => count === 1 && !holdsFolders(folder))
    .map(([folder]) => folder)
    .filter((folder) => !/^src\/(?:providers|features|client\/terminal\/features)\/[\w-]+$/.test(folder));
  expect(single.sort(), "one source file alone: put it into the folder above, or name it in SINGLE").toEqual([
    ...SINGLE,
  ]);
});

test("[DOC-01] only app/features.ts imports features, apart from listed files", () => {
  const found = [...featureImports().keys()].sort();
  expect(
    found,
    "a new file: go through the feature's manifest; a file that is gone: delete its line",
  ).toEqual(Object.keys(FEATURE_IMPORTS).sort());
});

test("[DOC-01] app/features.ts imports manifests and nothing else of a feature", () => {
  const others = (source: string) =>
    importsOf(source).filter(
      ({ specifier = "" }) => !/^\.\.\/(?:features\/[\w-]+|session)\/feature\.ts$/.test(specifier),
    );
  expect(others(readSource(FEATURE_LIST))).toEqual([]);
  expect(others(`import { open } from "../features/memory/open.ts";`)).toHaveLength(1);
});

test("an import of a feature would be caught", () => {
  const imported = (file: string, code: string) => featuresImportedBy(`src/${file}`, code);
  expect(imported("app/plan/plan.ts", `import type { A } from "../../features/mcp/config.ts";`)).toEqual([
    "mcp",
  ]);
  expect(imported("cli/run.ts", `await import("../features/memory/feature.ts");`)).toEqual(["memory"]);
  expect(imported("features/memory/open.ts", `import "../skills/open.ts";`)).toEqual(["skills"]);
  expect(imported("features/memory/open.ts", `import "./store/store.ts";`)).toEqual([]);
  expect(imported("index.ts", `export type { Plugin } from "./features/plugins/plugin.ts";`)).toEqual([
    "plugins",
  ]);
});

test("neutral modules use web standards only", () => {
  const found = FILES.flatMap((file) => {
    const global = machineGlobal(file.slice("src/".length), codeOf(readSource(file)).text);
    return global === undefined ? [] : [`${file}: ${global}`];
  });
  expect(found).toEqual([]);
});

test("[ENG-01 CTL-05] an engine that knew a provider, a client or a transport would be caught", () => {
  const path = "engine/loop/loop.ts";
  const caught = (code: string) => violations(path, code).length;
  expect(caught(`import { openrouter } from "../../providers/openrouter/openrouter.ts";`)).toBe(1);
  expect(caught(`import type { Line } from "../../client/line/line.ts";`)).toBe(1);
  expect(caught(`const rest = await import("../../server/rest/rest.ts");`)).toBe(1);
  expect(caught(`export type { Rule } from "../../guard/permissions/rules/rule.ts";`)).toBe(1);
  expect(caught(`export * from "../../server/hub/inproc.ts";`)).toBe(1);
  expect(caught(`type Rest = import("../../server/rest/rest.ts").Rest;`)).toBe(1);
  expect(caught("await import(`../../providers/${name}.ts`);")).toBe(1);
  expect(caught(`import { hostClock } from "../../platform/clock.ts";`)).toBe(1);
  expect(caught(`import type { Provider } from "../../providers/provider.ts";`)).toBe(0);
  expect(caught(`import { step } from "./step.ts"; import { sep } from "node:path";`)).toBe(0);
});

test("modules on one layer do not import each other, and an implementation imports its contract", () => {
  const caught = (path: string, code: string) => violations(path, code).length;
  expect(caught("providers/zai/zai.ts", `import "../openrouter/openrouter.ts";`)).toBe(1);
  expect(caught("providers/provider.ts", `import "./openrouter/openrouter.ts";`)).toBe(1);
  expect(caught("providers/provider.ts", `import type { Tool } from "../tools/tool.ts";`)).toBe(1);
  expect(caught("features/memory/open.ts", `import "../skills/skills.ts";`)).toBe(1);
  expect(caught("guard/sandbox/sandbox.ts", `import "../permissions/policy.ts";`)).toBe(1);
  expect(caught("guard/permissions/policy.ts", `import "../sandbox/sandbox.ts";`)).toBe(0);
  expect(caught("features/memory/open.ts", `import "../../app/harness.ts";`)).toBe(1);
  expect(caught("providers/zai/zai.ts", `import "../dialect/dialect.ts"; import "../provider.ts";`)).toBe(0);
  expect(caught("providers/provider.ts", `import "./http/stream/sse.ts";`)).toBe(0);
});

test("a client sees the wire and nothing else", () => {
  const caught = (path: string, code: string) => violations(path, code).length;
  expect(caught("client/line/line-client.ts", `import type { Tool } from "../../tools/tool.ts";`)).toBe(1);
  expect(caught("view/follow.ts", `import "../safety/fence.ts";`)).toBe(1);
  expect(caught("client/terminal/terminal.ts", `import "../line/line-client.ts";`)).toBe(1);
  expect(caught("conformance/run-scenarios.ts", `import "../engine/bus/bus.ts";`)).toBe(1);
  const allowed = `import type { Command } from "../../protocol/commands/commands.ts"; import "../../view/follow.ts";`;
  expect(caught("client/line/line-client.ts", allowed)).toBe(0);
});

test("[DOC-01] a feature of the terminal client is deleted with its folder and its line in the list", () => {
  const features = "src/client/terminal/features/";
  const featureOf = (file: string) =>
    file.startsWith(features) ? file.slice(features.length).split("/")[0] : undefined;
  const found = FILES.filter((file) => file !== "src/client/terminal/features.ts").flatMap((file) =>
    importsOf(readSource(file)).flatMap(({ specifier = "" }) => {
      const imported = featureOf(posix.join(posix.dirname(file), specifier));
      const isOther = imported !== undefined && imported !== featureOf(file);
      return isOther ? [`${file} imports ${imported}: what two need moves out of it`] : [];
    }),
  );
  expect(found).toEqual([]);
});

test("what only one machine has would be caught in a neutral module", () => {
  expect(violations("base/queue.ts", `import { sep } from "node:path";`)).toHaveLength(1);
  expect(violations("client/remote/link.ts", `import { connect } from "bun";`)).toHaveLength(1);
  expect(machineGlobal("base/text.ts", "Buffer.from(text)")).toBe("Buffer");
  expect(machineGlobal("base/text.ts", "interface A { process: string } a.process")).toBeUndefined();
  expect(machineGlobal("platform/clock.ts", "process.pid")).toBeUndefined();
});

test("a folder without a layer, and a way out of src, would be caught", () => {
  expect(violations("helpers/misc.ts", "")).toEqual(["helpers/misc.ts: is in no module"]);
  expect(violations("stray.ts", "")).toHaveLength(1);
  expect(violations("guard/new/new.ts", "")).toHaveLength(1);
  expect(violations("cli/main.ts", `import "../../test/support/world.ts";`)).toHaveLength(1);
  expect(violations("cli/main.ts", `import { version } from "../../package.json";`)).toEqual([]);
});
