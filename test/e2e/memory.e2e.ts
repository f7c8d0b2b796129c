import { expect } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../../src/base/json.ts";
import { cinchHome, runCinch } from "../support/cinch.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import type { Turn } from "../support/mock-provider/turn.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";

// What is remembered between two sessions, through the command itself.

function openRig(script: readonly Turn[]) {
  const mock = startMockProvider({ script });
  const home = cinchHome();
  const [work, other] = [join(home.path, "work"), join(home.path, "other")] as const;
  for (const folder of [work, other]) Bun.spawnSync(["git", "init", "-q", "-b", "trunk", folder]);
  mkdirSync(join(home.path, "config/cinch"), { recursive: true });
  const config = (text: string) =>
    writeFileSync(
      join(home.path, "config/cinch/config.toml"),
      `${text}\n[providers.mock]\nkind = "openai-compatible"\nbase_url = "${mock.url}/v1"\n`,
    );
  config("");
  const memory = join(home.path, "data/cinch/memory");
  return {
    mock,
    home,
    work,
    other,
    config,
    memory,
    project: () => join(memory, "projects", readdirSync(join(memory, "projects"))[0] ?? ""),
    run: (words: readonly string[], cwd = work) =>
      runCinch(words[0] === "-p" ? [...words, "--model", "mock:one"] : words, { home, cwd }),
    async [Symbol.asyncDispose]() {
      await mock[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

/** The texts of the messages with a role in one request. */
function sent(body: JsonObject | undefined, role: string): string {
  const messages = (body?.["messages"] ?? []) as readonly { role: string; content: unknown }[];
  return messages
    .filter((message) => message.role === role)
    .map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content)))
    .join("\n");
}

const DEPLOY = {
  name: "deploy-command",
  type: "project",
  description: "how this service is deployed to staging",
  content: "Run `make ship ENV=staging`, never by hand.",
  tags: ["release"],
};
const WISH = {
  name: "short-answers",
  type: "feedback",
  description: "wants answers of one sentence",
  content: "Said so twice.",
};

requireProgram("git")(
  "[CTX-02 TOOL-05] what one session remembers, a later one in the same repository gets where it bears on the prompt",
  async () => {
    await using rig = openRig([
      calls("CallTool", { name: "MemoryWrite", input: DEPLOY }),
      calls("CallTool", { name: "MemoryWrite", input: WISH }),
      says("kept"),
      says("relevant"),
      says("irrelevant"),
      says("elsewhere"),
    ]);
    const first = await rig.run(["-p", "remember both"]);
    expect([first.stdout, first.code]).toEqual(["kept\n", 0]);
    expect(first.stderr).toContain(
      "memory deploy-command written (project): how this service is deployed to staging",
    );
    expect(first.stderr).toContain("memory short-answers written (feedback): wants answers of one sentence");
    const path = join(rig.project(), "deploy-command.md");
    expect(readFileSync(path, "utf8")).toContain("make ship ENV=staging");
    expect(readFileSync(join(rig.project(), "MEMORY.md"), "utf8")).toBe(
      "- [deploy-command](deploy-command.md): how this service is deployed to staging\n",
    );
    const modes = [path, rig.project()].map((each) => (statSync(each).mode & 0o777).toString(8));
    expect(modes).toEqual(["600", "700"]);

    await rig.run(["-p", "deploy the service to staging"]);
    await rig.run(["-p", "rename the variable in main.c"]);
    await rig.run(["-p", "deploy the service to staging"], rig.other);
    const [, , , relevant, irrelevant, elsewhere] = rig.mock.requests.map(({ body }) => body);
    expect(sent(relevant, "user")).toContain("make ship ENV=staging");
    expect(sent(relevant, "system")).toContain("[deploy-command](deploy-command.md)");
    expect(sent(irrelevant, "user")).not.toContain("make ship");
    expect(sent(irrelevant, "user")).not.toContain("untrusted-memory");
    expect(sent(irrelevant, "system")).toContain("[short-answers](short-answers.md)");
    // What was learnt of one repository stays there; what a person wants goes with them.
    expect(JSON.stringify(elsewhere)).not.toContain("deploy-command");
    expect(sent(elsewhere, "system")).toContain("[short-answers](short-answers.md)");
  },
);

requireProgram("git")("[CTX-02] memories are listed, shown and forgotten from the command line", async () => {
  await using rig = openRig([
    calls("CallTool", { name: "MemoryWrite", input: DEPLOY }),
    calls("CallTool", { name: "MemoryWrite", input: WISH }),
    says("kept"),
  ]);
  await rig.run(["-p", "remember both"]);
  const list = await rig.run(["memory", "list"]);
  expect(list.stdout.split("\n").map((line) => line.replace(/\d{4}-\d\d-\d\d/, "DAY"))).toEqual([
    "deploy-command  project   DAY  how this service is deployed to staging",
    "short-answers   feedback  DAY  wants answers of one sentence",
    "",
  ]);
  const shown = await rig.run(["memory", "show", "deploy-command"]);
  expect(shown.stdout).toContain("Run `make ship ENV=staging`, never by hand.");
  expect(shown.stdout).toContain(join(rig.project(), "deploy-command.md"));
  const json = await rig.run(["memory", "list", "--json"]);
  const names = json.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).name);
  expect(names).toEqual(["deploy-command", "short-answers"]);
  const forgotten = await rig.run(["memory", "forget", "deploy-command"]);
  expect([forgotten.code, forgotten.stdout]).toEqual([0, "forgotten: deploy-command\n"]);
  expect(existsSync(join(rig.project(), "deploy-command.md"))).toBe(false);
  expect(readFileSync(join(rig.project(), "MEMORY.md"), "utf8")).toBe("");
  const again = await rig.run(["memory", "forget", "deploy-command"]);
  expect([again.code, again.stderr]).toEqual([
    2,
    "cinch: There is no memory 'deploy-command'. List them with: cinch memory list (MemoryMissing)\n",
  ]);
  const wrong = await rig.run(["memory", "frogete"]);
  expect(wrong.code).toBe(2);
});

requireProgram("git")(
  "[CTX-02 PERF-06] with memory switched off nothing of it is sent, and its tools are not there",
  async () => {
    await using rig = openRig([
      calls("CallTool", { name: "MemoryWrite", input: DEPLOY }),
      says("kept"),
      calls("MemoryWrite", DEPLOY),
      says("no"),
    ]);
    await rig.run(["-p", "remember it"]);
    rig.config("[memory]\nenabled = false");
    const off = await rig.run(["-p", "deploy the service to staging"]);
    expect(off.stdout).toBe("no\n");
    const [, , request, after] = rig.mock.requests.map(({ body }) => JSON.stringify(body));
    expect(request).not.toMatch(/[Mm]emor(?:y|ies)/);
    expect(request).not.toContain("make ship");
    expect(after).toContain("There is no tool");
  },
);
