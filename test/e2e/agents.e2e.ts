import { expect, test } from "bun:test";
import { appendFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cinchHome, runCinch, startCinch } from "../support/cinch.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import type { Turn } from "../support/mock-provider/turn.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";

// Sub-agents through the command itself: one prompt, lines on a pipe, and a process that is killed.

const GIT_ENV = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "t",
  GIT_AUTHOR_EMAIL: "t@example.org",
  GIT_COMMITTER_NAME: "t",
  GIT_COMMITTER_EMAIL: "t@example.org",
};

function openRig(...script: readonly Turn[]) {
  const mock = startMockProvider({ script });
  const home = cinchHome();
  const work = join(home.path, "work");
  const folder = join(home.path, "config/cinch/agents");
  for (const each of [work, folder]) mkdirSync(each, { recursive: true });
  writeFileSync(
    join(home.path, "config/cinch/config.toml"),
    `[providers.mock]\nkind = "openai-compatible"\nbase_url = "${mock.url}/v1"\n`,
  );
  return {
    mock,
    home,
    work,
    folder,
    git: (...args: string[]) =>
      Bun.spawnSync(["git", "-C", work, ...args], { env: GIT_ENV }).stdout.toString(),
    run: (words: readonly string[], stdin = "") => runCinch(words, { home, cwd: work, stdin }),
    async [Symbol.asyncDispose]() {
      await mock[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

const MODEL = ["--model", "mock:one"];

test("[ENG-10 CLI-01] with -p the answer is the session's own, and events of the sub-agent bear its call", async () => {
  const script = [calls("Agent", { prompt: "look" }), says("I am the sub-agent"), says("I am the session")];
  await using text = openRig(...script);
  const plain = await text.run(["-p", "go", ...MODEL]);
  expect([plain.code, plain.stdout]).toEqual([0, "I am the session\n"]);

  await using events = openRig(...script);
  const { code, stdout } = await events.run(["-p", "go", "--output-format", "stream-json", ...MODEL]);
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(code).toBe(0);
  const call = lines.find(({ kind }) => kind === "ToolCallStarted").payload.callId;
  const said = lines.filter(({ kind }) => kind === "TextDelta");
  expect(new Set(said.map(({ parentCall }) => parentCall))).toEqual(new Set([call, undefined]));
});

test("[ENG-10 CMD-01] /agents:kind on a line has that sub-agent answer; /agents lists the kinds", async () => {
  await using rig = openRig(says("nobody reviewed"), says("looks fine to me"));
  writeFileSync(
    join(rig.folder, "reviewer.md"),
    "---\nname: reviewer\ndescription: reads changes\ntools: Read\n---\nYou review.\n",
  );
  const unread = await rig.run(["-p", "x", ...MODEL]);
  expect([unread.code, unread.stderr]).toEqual([0, expect.stringContaining("reviewer.md")]);
  expect((await rig.run(["agents", "list"])).stdout).toContain("[not acknowledged yet: cinch ack --all]\n");
  expect((await rig.run(["ack", "--all"], "y\n")).code).toBe(0);
  const { code, stdout, stderr } = await rig.run(
    MODEL,
    "/agents\n/agents:reviewr x\n/agents:reviewer look at it\n",
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
  const all = stdout + stderr;
  expect(all).toContain(
    "/agents:general  does one task with all tools of the session\n/agents:reviewer  reads changes",
  );
  expect(all).toContain("There is no sub-agent 'reviewr'. Did you mean reviewer?");
  expect(all).toContain("* Agent reviewer: look at it");
  expect(stdout).toContain("looks fine to me");
  expect(JSON.stringify(rig.mock.requests[1]?.body)).toContain("You review.");
});

test("[ENG-10 CLI-01] -p with /agents:kind ends with 1 and the cause where that came to nothing, and with 3 where it was refused", async () => {
  await using rig = openRig({
    parts: [],
    fault: { kind: "status", status: 400, body: { error: { message: "out of order" } } },
  });
  const failed = await rig.run(["-p", "/agents:general look", ...MODEL]);
  expect([failed.code, failed.stdout]).toEqual([1, ""]);
  expect(failed.stderr).toContain("/agents:general has failed.");
  expect(failed.stderr).toContain("refused the request (400): out of order");
  appendFileSync(join(rig.home.path, "config/cinch/config.toml"), '[permissions]\ndeny = ["Agent"]\n');
  const refused = await rig.run(["-p", "/agents:general look", ...MODEL]);
  expect([refused.code, refused.stdout]).toEqual([3, expect.stringContaining("PermissionDenied: Agent")]);
});

test("[RUN-03] cinch agents check names file, line and field of what is wrong", async () => {
  await using rig = openRig();
  const bad = join(rig.work, "bad.md");
  writeFileSync(bad, "---\nname: bad\ndescription: x\ntols: Read\nmaxTurns: many\n---\nDo.\n");
  const good = join(rig.work, "good.md");
  writeFileSync(good, "---\nname: good\ndescription: x\ncolour: red\n---\nDo.\n");
  const absent = join(rig.work, "absent.md");
  expect(await rig.run(["agents", "check", bad, good, absent])).toMatchObject({
    code: 1,
    stdout: `error: ${absent}:1: it cannot be read: there is no such file\nerror: ${bad}:5: maxTurns: must be a whole number from 1 to 1000\nwarning: ${bad}:4: tols: is not known and has no effect; did you mean "tools"?\nwarning: ${good}:4: colour: is not known and has no effect\n`,
    stderr: "cinch: 3 definitions checked, 2 errors, 2 warnings\n",
  });
});

test("[RUN-03] cinch agents check reports unknown models, tools and skills, takes folders, and checks the definitions of a session here", async () => {
  await using rig = openRig();
  const named = "model: nope:x\ntools: Read, Reed, mcp__hub__list, ToolSearch\nskills: [code-review, nope]\n";
  const text = `---\nname: fixer\ndescription: d\n${named}disallowedTools: [Brash]\n---\nDo.\n`;
  const path = join(rig.folder, "fixer.md");
  writeFileSync(path, text);
  writeFileSync(
    join(rig.folder, "small.md"),
    "---\nname: small\ndescription: d\nmodel: mock:one\n---\nDo.\n",
  );
  const told = {
    code: 0,
    stdout: [
      `warning: ${path}:5: tools: there is no tool "Reed"; did you mean "Read"?`,
      `warning: ${path}:7: disallowedTools: there is no tool "Brash"; did you mean "Bash"?`,
      expect.stringContaining(`warning: ${path}:4: model: There is no provider 'nope'`),
      expect.stringContaining(`warning: ${path}:6: skills: there is no skill "nope"`),
      "",
    ],
    stderr: "cinch: 2 definitions checked, 0 errors, 4 warnings\n",
  };
  for (const paths of [[], [rig.folder]]) {
    const found = await rig.run(["agents", "check", ...paths]);
    expect({ ...found, stdout: found.stdout.split("\n") }).toMatchObject(told);
  }
  const none = await rig.run(["agents", "check", rig.work]);
  expect([none.code, none.stdout]).toEqual([
    1,
    `error: ${rig.work}: there is no definition in it, no file *.md\n`,
  ]);
});

requireProgram("git")(
  "[ENG-28 REL-02] killed while a sub-agent worked in a worktree: the next start and doctor report it, and it can be removed",
  async () => {
    const hold = new Promise(() => undefined);
    await using rig = openRig(
      calls("Agent", { prompt: "work", worktree: true }),
      says("never done", { hold }),
      says("hello again"),
    );
    writeFileSync(join(rig.work, "a.txt"), "a");
    rig.git("init", "-q", "-b", "trunk");
    rig.git("add", "-A");
    rig.git("commit", "-q", "-m", "first");
    {
      await using cinch = startCinch(["-p", "go", ...MODEL], { home: rig.home, cwd: rig.work });
      await rig.mock.until(({ requests }) => requests.length === 2);
      cinch.kill("SIGKILL");
      await cinch.exited;
    }
    const [id = ""] = readdirSync(join(rig.home.path, "data/cinch-worktrees"));
    // What a sub-agent did may have taken effect: a person says what became of the call, and it is never made again.
    expect((await rig.run(["-p", "hello", "--continue", ...MODEL])).code).toBe(2);
    const next = await rig.run(["-p", "hello", "--continue", "--orphans", "fail", ...MODEL]);
    expect(JSON.stringify(rig.mock.requests[2]?.body)).toContain("The process ended while this ran");
    expect(next.stdout).toBe("hello again\n");
    expect(next.stderr).toContain(
      "cinch was killed while sub-agents worked in 1 worktree of this repository",
    );
    expect((await rig.run(["doctor"])).stdout).toContain(`cinch agents remove ${id}`);
    expect(await rig.run(["agents", "remove", id.slice(0, 26)])).toMatchObject({ code: 0 });
    expect(existsSync(join(rig.home.path, "data/cinch-worktrees", id))).toBe(false);
    expect(rig.git("branch", "--list")).toBe("* trunk\n");
  },
);

test("[ENG-23 SES-07] a task for a cheaper model is a session below the one that gave it, as cinch sessions shows", async () => {
  await using rig = openRig(
    calls("Delegate", { prompt: "the small thing" }),
    says("small"),
    says("all of it"),
  );
  const config = join(rig.home.path, "config/cinch/config.toml");
  appendFileSync(config, '[delegate]\nmodel = "mock:cheap"\n');
  expect((await rig.run(["-p", "go", ...MODEL])).stdout).toBe("all of it\n");
  const rows = (await rig.run(["sessions", "list", "--json"])).stdout.trim().split("\n");
  const [child, parent] = rows
    .map((line) => JSON.parse(line))
    .sort((a) => (a.model === "mock:cheap" ? -1 : 1));
  expect(child).toMatchObject({
    title: "the small thing",
    model: "mock:cheap",
    branch_of: { log: parent.log },
  });
  expect((await rig.run(["sessions", "show", child.session])).stdout).toContain(`a task of`);
});
