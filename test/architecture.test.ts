import { expect, spyOn, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { FEATURES } from "../src/app/features.ts";
import { REQUEST_ORDER, TOOL_ORDER } from "../src/app/session/chains/order.ts";
import * as requestChain from "../src/providers/middleware.ts";
import type { Feature, OpenFeature } from "../src/session/feature.ts";
import type { SessionFeatures } from "../src/session/host.ts";
import * as toolChain from "../src/tools/middleware.ts";
import { layerOf, moduleOf } from "./support/layers.ts";
import { officialServer, serverToml } from "./support/mcp-servers.ts";
import { says } from "./support/mock-provider/turn.ts";
import { openPlace, turn } from "./support/place.ts";
import { filesUnder, isTest, ROOT, readSource } from "./support/source.ts";

const PAGE = "docs/architecture.md";
const TEXT = readSource(PAGE);

/** Returns every module of `src/` that holds code. */
function modules(): readonly string[] {
  const files = filesUnder("src", "**/*.ts").filter(
    (file) => !isTest(file) && !file.includes("/demo/project/"),
  );
  return [...new Set(files.map((file) => moduleOf(file.slice("src/".length)) ?? file))].sort();
}

test("[DOC-01] the map names every module that holds code, on its layer, and no other", () => {
  const named = new Map<string, number>();
  for (const section of TEXT.split(/^### Layer /m).slice(1)) {
    const [own = ""] = section.split(/^## /m);
    for (const [, module = ""] of own.matchAll(/\*\*`([\w/-]+)\/`\*\*/g))
      named.set(module, Number.parseInt(own, 10));
  }
  const expected = modules().map((module) => [module, Math.floor(layerOf(module))]);
  expect([...named].sort()).toEqual(expected as [string, number][]);
});

/** Words of the shortest sentence that says something of a folder. */
const WORDS_MIN = 2;

/** Folders of subcommands. Each says what it is in its `command.ts`, from which `docs/command-line.md` is made. */
const SUBCOMMANDS = new Set(
  ["cli/commands/*/command.ts", "features/*/cli/command.ts"]
    .flatMap((files) => filesUnder("src", files))
    .map((file) => file.split("/").slice(1, -1).join("/")),
);

test("[DOC-01] every folder that holds code has one sentence in the map, and no other folder has", () => {
  const layers =
    TEXT.split(/^### Layer /m)
      .slice(1)
      .join("")
      .split(/^## /m)[0] ?? "";
  const entries = layers.matchAll(/^(?:\*\*`([\w/-]+)\/`\*\*|- `([\w/-]+)\/`) ([\s\S]*?\.)(?=\s|$)/gm);
  const said = [...entries].map(([, module, folder, words = ""]) => ({
    folder: module ?? folder ?? "",
    words,
  }));
  const dull = said.filter(({ words }) => words.split(/\s+/).length < WORDS_MIN);
  expect(dull).toEqual([]);
  const folders = filesUnder("src", "**/*.ts")
    .filter((file) => !isTest(file) && !file.includes("/demo/project/"))
    .map((file) => file.split("/").slice(1, -1).join("/"));
  const wanted = new Set([
    ...folders.filter((folder) => folder !== "" && !SUBCOMMANDS.has(folder)),
    ...modules(),
  ]);
  expect(said.map(({ folder }) => folder).sort()).toEqual([...wanted].sort());
});

test("[DOC-01] the map begins with the way of a prompt down and of an event up, both drawn", () => {
  const [first = "", second = ""] = TEXT.split(/^## /m).slice(1);
  for (const [title, section] of [
    ["A prompt on its way down", first],
    ["An event on its way up", second],
  ]) {
    expect(section).toStartWith(title ?? "");
    expect(section).toContain("```text");
  }
  const steps = [...first.matchAll(/^ (\d) {2}\S/gm)].map(([, step]) => Number(step));
  expect(steps).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test("[DOC-01] every file that a page names exists", () => {
  const pages = ["architecture", "agent-loop", "tools", "configuration", "design"].map(
    (name) => `docs/${name}.md`,
  );
  const decisions = filesUnder("docs/decisions", "*.md");
  const missing = ["README.md", ...pages, ...decisions].flatMap((page) =>
    [...readSource(page).matchAll(/`((?:[\w.-]+\/)*[\w.-]+\.(?:ts|toml|sh))`/g)]
      .map(([, file = ""]) => file)
      .filter((file) => !/^(?:config|bunfig|\w*NAME(?:\.rules)?)\.toml$|^\.cinch\//.test(file))
      .filter((file) => ![`src/${file}`, file].some((path) => existsSync(join(ROOT, path))))
      .map((file) => `${page}: ${file}`),
  );
  expect(missing).toEqual([]);
});

/** For hangs. */
const SLOW_MS = 60_000;

/** Settings under which every feature that has middleware adds it. */
const SETTINGS = `
[telemetry]
otlp = "http://127.0.0.1:9"

[delegate]
model = "mock:cheap"

[tasks]
wake = true

[[hooks]]
event = "PreToolUse"
cmd = "true"

[[diagnostics]]
name = "check"
kind = "checker"
files = ["*.ts"]
command = ["true", "{files}"]

${serverToml("every", officialServer("everything"))}
`;

type Run = (...args: readonly unknown[]) => unknown;

/** Names each middleware of a feature after its place and the feature. Returns what restores the feature. */
function nameMiddleware(feature: Feature): Disposable {
  const open = feature.open.bind(feature);
  return spyOn(feature as { open: Feature["open"] }, "open").mockImplementation(async (host, engine) => {
    const opened = await open(host, engine);
    if (opened === undefined) return undefined;
    const join = opened.join?.bind(opened);
    if (join !== undefined)
      Object.defineProperty(opened, "join", {
        value: (features: SessionFeatures) => withNames(join(features), feature),
      });
    return withNames(opened, feature);
  });
}

/** Names the middleware of opened or joined parts of a feature. */
function withNames<Parts extends Pick<OpenFeature, "around">>(parts: Parts, { name: owner }: Feature): Parts {
  const around = parts.around?.map((each) => {
    const name = `${each.tool ?? each.request} ${owner}`;
    const run: Run = each.run as Run;
    return { ...each, run: { [name]: (...args: readonly unknown[]) => run(...args) }[name] };
  });
  return around === undefined ? parts : Object.defineProperty(parts, "around", { value: around });
}

/** Returns the names of the middleware functions that the first call and the first request of a full session pass. */
async function chainsOfFullSession(): Promise<Readonly<Record<"Tool" | "Request", readonly string[]>>> {
  using restored = new DisposableStack();
  for (const feature of FEATURES) restored.use(nameMiddleware(feature));
  const [tool, request] = [spyOn(toolChain, "chainTool"), spyOn(requestChain, "chainRequest")];
  restored.use(tool);
  restored.use(request);
  await using place = openPlace(says("done"));
  place.config(readFileSync(join(place.root, "config/config.toml"), "utf8") + SETTINGS);
  const plugin = { name: "probe", apiVersion: 1, register: () => undefined } as const;
  await using harness = await place.open({ plugins: [plugin], wishes: { maxCostUsd: 1 } });
  await turn(harness, "go");
  const [[tools = []] = [], [requests = []] = []] = [tool.mock.calls[0], request.mock.calls[0]];
  return { Tool: tools.map(({ name }) => name), Request: requests.map(({ name }) => name) };
}

/** Returns the steps of a chain, and the features at each place; features at one place stand in their order. */
function stepsOf(names: readonly string[]): readonly (readonly [step: string, features: string])[] {
  const steps = new Map<string, readonly string[]>();
  for (const [step = "", feature] of names.map((name) => name.split(" "))) {
    const before = steps.get(step) ?? [];
    steps.set(step, feature === undefined || before.includes(feature) ? before : [...before, feature]);
  }
  return [...steps].map(([step, features]) => [step, features.join(", ")]);
}

test(
  "[DOC-01 ENG-06 ENG-07] the page has the middleware of a full session in its order, and the features at each place",
  async () => {
    const chains = await chainsOfFullSession();
    for (const [name, order] of [
      ["Tool", TOOL_ORDER],
      ["Request", REQUEST_ORDER],
    ] as const) {
      const steps = stepsOf(chains[name]);
      expect(steps.map(([step]) => step)).toEqual([...order]);
      const [, table = ""] =
        new RegExp(`^\\| ${name} middleware \\|.*\n.*\n((?:\\|.*\n)+)`, "m").exec(TEXT) ?? [];
      const rows = [...table.matchAll(/^\| \*?`(\w+)`\*? \| ([^|]*?) ?\|/gm)].map(([, step, features]) => [
        step,
        features,
      ]);
      expect(rows).toEqual(steps.map((each) => [...each]));
    }
  },
  SLOW_MS,
);
