import { expect, test } from "bun:test";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { profileWithSources } from "../../../test/support/context-sources.ts";
import { says } from "../../../test/support/mock-provider/turn.ts";
import { openPlace, turn } from "../../../test/support/place.ts";
import { ROOT } from "../../../test/support/source.ts";
import { temporaryDirectory, testWorld } from "../../../test/support/world.ts";
import { openReview } from "../../app/explain/review.ts";
import { openHarness } from "../../app/harness.ts";
import { byteLength, decode } from "../../base/text/text.ts";
import { fence } from "../../safety/fence.ts";
import { isContextFile, readContextFiles } from "./agents-md.ts";

const DATA = join(ROOT, "test/data/agents-md");
const world = testWorld();
const BOTH = ["AGENTS.md", "CLAUDE.md"];
/** Every file of instructions that other tools know, as a profile may list them. */
const ALL = [
  "AGENTS.md",
  "CLAUDE.md",
  ".cursorrules",
  ".cursor/rules/*.mdc",
  "GEMINI.md",
  ".windsurfrules",
  ".github/copilot-instructions.md",
];

/** A copy of what one project tells agents, as a repository of its own. */
function repository(name: string) {
  const directory = temporaryDirectory();
  cpSync(join(DATA, name), directory.path, { recursive: true });
  mkdirSync(join(directory.path, ".git"));
  return directory;
}

test.each([
  ["vercel+ai", "packages/ai", ["AGENTS.md"], ["AGENTS.md", "packages/ai/AGENTS.md"]],
  [
    "fullsend-ai+fullsend",
    "internal/scaffold/fullsend-repo",
    BOTH,
    ["AGENTS.md", "internal/scaffold/fullsend-repo/AGENTS.md", "CLAUDE.md"],
  ],
  ["NVIDIA+OpenShell", ".", BOTH, ["AGENTS.md", "CLAUDE.md"]],
  // AGENTS.md is written in capitals: agents.md is a file like any other.
  ["DonaldMurillo+gofastr", "battery/queue", ["AGENTS.md"], []],
  ["DonaldMurillo+gofastr", "battery/queue", BOTH, ["CLAUDE.md"]],
  ["denoland+std", ".", BOTH, ["AGENTS.md"]],
  ["badlogic+pi-mono", ".", BOTH, ["AGENTS.md"]],
  ["agentskills+agentskills", ".", BOTH, ["AGENTS.md"]],
] as const)(
  "[CTX-01] of the real instructions of %s, worked on in %s, %p are read whole",
  async (name, folder, sources, paths) => {
    await using directory = repository(name);
    const workingDir = join(directory.path, folder);
    const { items, problems } = await readContextFiles({
      ...{ world, workingDir, profile: profileWithSources(sources) },
      withoutProject: false,
    });
    const files = items.filter(isContextFile);
    expect([files.map(({ label }) => label), problems]).toEqual([[...paths], []]);
    for (const { label: path, text, cutBytes, ...item } of files) {
      const bytes = readFileSync(join(DATA, name, path));
      expect({ text, cutBytes }).toEqual({ text: decode(bytes), cutBytes: 0 });
      expect(item.files[0]?.bytes).toEqual(new Uint8Array(bytes));
      // Nothing in them is taken for a tag of ours, and nothing is lost behind the fence.
      expect(byteLength(fence("context-file", text) ?? "")).toBeGreaterThanOrEqual(byteLength(text));
    }
  },
);

test("[CTX-01] every fallback is read only where the profile lists it, in its order, each a file of its own to acknowledge", async () => {
  await using directory = temporaryDirectory();
  const files = [
    "AGENTS.md",
    "sub/AGENTS.md",
    "CLAUDE.md",
    ".cursorrules",
    ".cursor/rules/one.mdc",
    "sub/.cursor/rules/two.mdc",
    "GEMINI.md",
    ".windsurfrules",
    ".github/copilot-instructions.md",
  ];
  mkdirSync(join(directory.path, ".git"));
  for (const file of files) {
    mkdirSync(dirname(join(directory.path, file)), { recursive: true });
    writeFileSync(join(directory.path, file), `words of ${file}`);
  }
  const workingDir = join(directory.path, "sub");
  const read = async (sources: readonly string[]) =>
    (
      await readContextFiles({
        ...{ world, workingDir, profile: profileWithSources(sources) },
        withoutProject: false,
      })
    ).items.filter(isContextFile);
  const all = await read(ALL);
  expect(all.map(({ label, text }) => [label, text])).toEqual(
    files.map((file) => [file, `words of ${file}`]),
  );
  expect(new Set(all.map(({ path }) => path)).size).toBe(files.length);
  expect(all.map(({ kind }) => kind)).toEqual(files.map(() => "context-file"));
  for (const source of ALL) {
    const alone = await read([source]);
    expect(alone.map((file) => file.source)).toEqual(alone.map(() => source));
    expect(alone.length).toBe(all.filter((file) => file.source === source).length);
  }
  rmSync(join(directory.path, "AGENTS.md"));
  expect((await read(["AGENTS.md"])).map(({ label }) => label)).toEqual(["sub/AGENTS.md"]);
});

test("[CTX-01 TOFU-01] each fallback that a profile lists is acknowledged separately, and reaches the model behind the fence, after AGENTS.md", async () => {
  await using place = openPlace(says("fine"));
  place.write(".git/HEAD", "ref: x\n");
  const paths = [
    "AGENTS.md",
    "CLAUDE.md",
    ".cursorrules",
    ".cursor/rules/a.mdc",
    "GEMINI.md",
    ".windsurfrules",
  ];
  const all = [...paths, ".github/copilot-instructions.md"];
  for (const path of all) place.write(path, `words of ${path}`);
  mkdirSync(join(place.root, "config/profiles"));
  const profile = join(place.root, "config/profiles/many.toml");
  writeFileSync(profile, `context_sources = ${JSON.stringify(ALL)}\n`);
  const options = place.options({ profile: "many" });
  const refusal = async () => {
    const opening = openHarness(options, new AbortController().signal);
    return await opening.then(
      async (harness) => await harness[Symbol.asyncDispose](),
      (thrown: Error) => thrown.message,
    );
  };
  for (const path of all) {
    expect(await refusal()).toContain(path);
    const { ledger, pending } = await openReview(options);
    await ledger.approve(pending.filter((each) => each.path === path).map(({ item }) => item));
  }
  await using harness = await openHarness(options, new AbortController().signal);
  await turn(harness, "hi");
  const system = JSON.stringify(place.mock.requests[0]?.body["system"]);
  const told = [...system.matchAll(/<untrusted-(?:agents-md|context-file)>\\n([^:]+):/g)].map(
    ([, path]) => path,
  );
  expect(told).toEqual(all);
});

test("[CTX-01 SKL-02 ENG-06] a request has the profile's words, its context sources in the order of its list, then the list of skills", async () => {
  await using place = openPlace(says("fine"), says("fine"));
  place.write(".git/HEAD", "ref: x\n");
  for (const path of ["AGENTS.md", "CLAUDE.md", "CONTRIBUTING.md", "GEMINI.md"])
    place.write(path, `words of ${path}`);
  place.write("sub/AGENTS.md", "words of sub/AGENTS.md");
  place.write(".agents/skills/own/SKILL.md", "---\nname: own\ndescription: does its own\n---\nbody");
  mkdirSync(join(place.root, "config/profiles"));
  const told = async (sources: readonly string[]) => {
    const profile = join(place.root, "config/profiles/many.toml");
    const list = `context_sources = ${JSON.stringify(sources)}`;
    writeFileSync(profile, `prompt_header = "words of the profile"\n${list}\n`);
    const options = place.options({ profile: "many", workingDir: join(place.repo, "sub") });
    const { ledger, pending } = await openReview(options);
    await ledger.approve(pending.map(({ item }) => item));
    await using harness = await openHarness(options, new AbortController().signal);
    await turn(harness, "hi");
    const system = JSON.stringify(place.mock.requests.at(-1)?.body["system"]);
    return [...system.matchAll(/words of the profile|words of [\w./]*\.md|- own: does its own/g)].map(
      ([text]) => text.replace("words of ", ""),
    );
  };
  expect(await told(["AGENTS.md", "CONTRIBUTING.md", "CLAUDE.md"])).toEqual([
    "the profile",
    "AGENTS.md",
    "sub/AGENTS.md",
    "CONTRIBUTING.md",
    "CLAUDE.md",
    "- own: does its own",
  ]);
  expect(await told(["CLAUDE.md", "AGENTS.md"])).toEqual([
    "the profile",
    "CLAUDE.md",
    "AGENTS.md",
    "sub/AGENTS.md",
    "- own: does its own",
  ]);
}, 300_000);
