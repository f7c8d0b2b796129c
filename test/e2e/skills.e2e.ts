import { expect, test } from "bun:test";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { cinchHome, runCinch } from "../support/cinch.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import type { Turn } from "../support/mock-provider/turn.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";
import { openServed } from "../support/served.ts";
import { ROOT } from "../support/source.ts";

// Skills through the command itself: real ones, of the program, the user and a repository.

const REAL = join(ROOT, "test/data/skills");

function openRig(script: readonly Turn[]) {
  const mock = startMockProvider({ script });
  const home = cinchHome();
  const work = join(home.path, "work");
  Bun.spawnSync(["git", "init", "-q", "-b", "trunk", work]);
  mkdirSync(join(home.path, "config/cinch"), { recursive: true });
  writeFileSync(
    join(home.path, "config/cinch/config.toml"),
    `default_model = "mock:one"\n[providers.mock]\nkind = "openai-compatible"\nbase_url = "${mock.url}/v1"\n`,
  );
  return {
    mock,
    home,
    work,
    run: (words: readonly string[], stdin = "", cwd = work) => runCinch(words, { home, cwd, stdin }),
    sent: (at: number) =>
      JSON.stringify(mock.requests.filter(({ path }) => path.includes("completions"))[at]?.body),
    async [Symbol.asyncDispose]() {
      await mock[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

requireProgram("git")(
  "[SKL-02 SKL-03 CTX-03 TOFU-02] five real skills of the user, once acknowledged, are listed, loaded and used",
  async () => {
    await using rig = openRig([
      says("without"),
      calls("Skill", { name: "internal-comms" }),
      says("loaded"),
      says("planned"),
    ]);
    const shared = join(rig.home.path, ".agents/skills");
    for (const real of [
      "anthropics+skills/internal-comms",
      "openai+skills/create-plan",
      "openai+skills/linear",
    ])
      cpSync(join(REAL, real), join(shared, real.split("/")[1] ?? ""), { recursive: true });
    const own = join(rig.home.path, "config/cinch/skills");
    for (const real of ["NVIDIA+OpenShell/create-rfc", "fullsend-ai+agents/finding-agent-runs"])
      cpSync(join(REAL, real), join(own, real.split("/")[1] ?? ""), { recursive: true });

    const before = await rig.run(["-p", "hello"]);
    expect([before.code, before.stderr]).toEqual([0, expect.stringContaining("cinch ack --all")]);
    expect(rig.sent(0)).not.toContain("create-rfc");
    await rig.run(["ack", "--all"]);
    const list = await rig.run(["skills", "list"]);
    expect(list.stdout.split("\n").map((line) => line.split(/ {2,}/).slice(0, 2).join(" "))).toEqual([
      "code-review builtin",
      "skill-writing builtin",
      "create-rfc user",
      "finding-agent-runs-gitlab user",
      "create-plan user",
      "internal-comms user",
      "linear user",
      "",
    ]);
    const first = await rig.run(["-p", "write to everybody"]);
    expect([first.code, first.stdout]).toEqual([0, "loaded\n"]);
    expect(rig.sent(1)).toContain("- linear: Manage issues, projects & team workflows in Linear.");
    expect(rig.sent(2)).toContain("examples/faq-answers.md");

    const line = await rig.run(
      ["--plain", "--no-listen"],
      "/skills\n/skills:create-plan for the move\n/skills:create-plam x\n",
    );
    expect(line.stdout).toContain("create-plan (user): Create a concise plan.");
    expect(line.stdout).toContain("skill create-plan: the user asked for it");
    expect(line.stdout).toContain(
      "There is no active skill 'create-plam' in this session. Did you mean create-plan?",
    );
    expect(rig.sent(3)).toContain("[The skill create-plan applies: the user asked for it]");
    expect(rig.sent(3)).toContain("for the move");
  },
  300_000,
);

requireProgram("git")(
  "[SKL-04] /skills:reload lists the current skills once, on a line",
  async () => {
    await using rig = openRig([]);
    const { code, stdout, stderr } = await rig.run(["--plain", "--no-listen"], "/skills:reload\n/quit\n");
    expect(code).toBe(0);
    const all = stdout + stderr;
    expect(all).toContain("Reloaded: 2 skills.");
    expect(all.split("code-review")).toHaveLength(2);
  },
  300_000,
);

requireProgram("git")(
  "[SKL-01] skills check reports breaks of the specification, with file, line and field",
  async () => {
    await using rig = openRig([]);
    const good = await rig.run(["skills", "check", join(REAL, "openai+skills")]);
    expect([good.code, good.stdout]).toEqual([0, ""]);
    expect(good.stderr).toBe("cinch: 7 skills checked, 0 errors, 0 warnings\n");
    const bad = await rig.run(["skills", "check", join(REAL, "fullsend-ai+agents"), "nowhere"]);
    expect([bad.code, bad.stdout.replaceAll(REAL, "").replaceAll(rig.work, "")]).toEqual([
      1,
      [
        'error: /fullsend-ai+agents/finding-agent-runs/gitlab/SKILL.md:2: name: must match the name of its folder, which is "gitlab"',
        "error: /nowhere: there is no such folder",
        "",
      ].join("\n"),
    ]);
    const shown = await rig.run(["skills", "show", "skill-writing"]);
    expect(shown.stdout).toContain("skill-writing (builtin)\nWrite or change a skill");
    cpSync(join(REAL, "openai+skills/linear"), join(rig.home.path, ".agents/skills/linear"), {
      recursive: true,
    });
    const real = await rig.run(["skills", "show", "linear"]);
    expect(real.stdout).toContain('.agents/skills/linear\nmetadata: {"short-description":');
  },
  300_000,
);

requireProgram("git")(
  "[SKL-01 TOFU-04] a skill that would be skipped anyway stops no start of -p, and is reported; one that can be used ends it",
  async () => {
    await using rig = openRig([says("fine")]);
    const skill = join(rig.work, ".agents/skills/notes/SKILL.md");
    mkdirSync(dirname(skill), { recursive: true });
    writeFileSync(skill, "---\nname: notes\n---\nDo as I say.\n");
    const without = await rig.run(["-p", "hello"]);
    expect([without.code, without.stdout]).toEqual([0, "fine\n"]);
    expect(without.stderr).toContain("description: is missing; the skill is left out");
    expect(rig.sent(0)).not.toContain("Do as I say");
    writeFileSync(skill, "---\nname: notes\ndescription: takes notes\n---\nDo as I say.\n");
    const mended = await rig.run(["-p", "hello"]);
    expect([mended.code, mended.stderr.includes("unseen skill (.agents/skills/notes)")]).toEqual([5, true]);
  },
  300_000,
);

requireProgram("git")(
  "[SKL-01] skills check reports the line of a skill that is not UTF-8",
  async () => {
    await using rig = openRig([]);
    const skill = join(rig.work, ".agents/skills/latin/SKILL.md");
    mkdirSync(dirname(skill), { recursive: true });
    writeFileSync(skill, Buffer.from("---\nname: latin\ndescription: d\n---\nPrüfe.\n", "latin1"));
    const { code, stdout } = await rig.run(["skills", "check"]);
    expect([code, stdout]).toEqual([1, `error: ${skill}:5: it is not UTF-8 text; save it as UTF-8\n`]);
  },
  300_000,
);

requireProgram("git")(
  "[SKL-01 SKL-03] skills check looks where a session would, also from a folder of the repository",
  async () => {
    await using rig = openRig([]);
    const skill = join(rig.work, ".agents/skills/Bad/SKILL.md");
    const below = join(rig.work, "src/deep");
    for (const folder of [dirname(skill), below]) mkdirSync(folder, { recursive: true });
    writeFileSync(skill, "---\nname: bad\ndescription: d\n---\nbody\n");
    const told = `error: ${skill}:2: name: must match the name of its folder, which is "Bad"\n`;
    for (const cwd of [rig.work, below]) {
      const { code, stdout } = await rig.run(["skills", "check"], "", cwd);
      expect([code, stdout]).toEqual([1, told]);
    }
  },
  300_000,
);

requireProgram("git")(
  "[SKL-01 SKL-03] skills check skips a folder without skills, and reports the skills and triggers that a session leaves out",
  async () => {
    await using rig = openRig([]);
    const place = join(rig.work, ".agents/skills");
    mkdirSync(place, { recursive: true });
    mkdirSync(join(rig.home.path, "config/cinch/skills"), { recursive: true });
    const none = await rig.run(["skills", "check"]);
    expect(none).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "cinch: 0 skills checked, 0 errors, 0 warnings\n",
    });
    const write = (name: string, head: string) => {
      mkdirSync(join(place, name));
      writeFileSync(join(place, name, "SKILL.md"), `---\nname: ${name}\ndescription: d\n${head}---\nDo.\n`);
    };
    write("linked", "");
    symlinkSync("/etc/hostname", join(place, "linked/x.txt"));
    write("none", "triggers: 3\n");
    write("some", 'triggers: ["", "*.md", 7]\n');
    write("table", 'triggers: { glob: ["*.md"], keywords: ["!!"] }\n');
    const { code, stdout } = await rig.run(["skills", "check"]);
    const lines = stdout
      .replaceAll(`${place}/`, "")
      .split("\n")
      .filter((line) => !line.includes("is read by cinch"));
    const why = "is a link that leads outside, and was not read";
    expect([code, lines]).toEqual([
      0,
      [
        `warning: linked: cinch leaves it out: it holds x.txt, which ${why}`,
        "warning: none/SKILL.md:4: triggers: must be texts, in a list or with commas between them; it has no effect",
        'warning: some/SKILL.md:4: triggers: "" has no letter or digit; it has no effect',
        "warning: some/SKILL.md:4: triggers: 7 is not a text; it has no effect",
        "warning: table/SKILL.md:4: triggers: has no glob: write globs and keywords; it has no effect",
        'warning: table/SKILL.md:4: triggers: "!!" has no letter or digit; it has no effect',
        "",
      ],
    ]);
  },
  300_000,
);

test("[SKL-03 SKL-04 CTL-15] over REST skills are listed with their text, used and reloaded", async () => {
  await using served = await openServed({ script: [says("done")] });
  const token = await served.token("--identity-class", "human");
  const session = await served.session(token);
  const ask = async (path: string, body?: unknown) => {
    const answer = await served.ask(path, token, body);
    return [answer.status, JSON.stringify(await answer.json())] as const;
  };
  expect((await ask("/v1/skills"))[1]).toContain('"name":"code-review"');
  expect(await ask("/v1/skills/code-review")).toEqual([
    200,
    expect.stringMatching(/"text":"# Reviewing a change.*"fields":\{/s),
  ]);
  const tools = expect.stringMatching(/"name":"Read".*"name":"Skill"/s);
  expect(await ask(`/v1/sessions/${session}/tools`)).toEqual([200, tools]);
  expect(await ask("/v1/tools")).toEqual([200, tools]);
  const content = [{ type: "text", text: "look at the last commit" }];
  const input = `/v1/sessions/${session}/input?wait=turn`;
  expect(await ask(input, { content, skill: "code-review" })).toMatchObject([
    200,
    expect.stringContaining("done"),
  ]);
  expect(JSON.stringify(served.provider.requests.at(-1)?.body)).toContain("# Reviewing a change");
  expect(await ask(input, { content, skill: "code-revue" })).toMatchObject([
    404,
    expect.stringContaining("Did you mean code-review?"),
  ]);

  const skill = join(served.work, ".agents/skills/mine/SKILL.md");
  mkdirSync(dirname(skill), { recursive: true });
  writeFileSync(skill, "---\nname: mine\ndescription: of this project\n---\nMINE\n");
  const reload = await ask(`/v1/sessions/${session}/command`, { kind: "ReloadSkills" });
  expect(reload).toMatchObject([200, expect.stringContaining('"waiting":[".agents/skills/mine"]')]);
  expect((await ask("/v1/skills"))[1]).not.toContain("of this project");
}, 300_000);
