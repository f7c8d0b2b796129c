import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readPlugins } from "../../src/features/plugins/plugin-files.ts";
import { TrustLedger } from "../../src/guard/trust/ledger/ledger.ts";
import { cinchHome, runCinch } from "../support/cinch.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import { says } from "../support/mock-provider/turn.ts";
import { ROOT } from "../support/source.ts";
import { testWorld } from "../support/world.ts";

// Slash commands as the prompt of -p, with what a person has written of their own.

const TIMEOUT_MS = 300_000;
/** Notice at each start about the calls that the plugin allows. */
const ALLOWED = "cinch: The plugin dice allows without asking: RollDice.\n";
const DICE = join(ROOT, "examples/plugins/dice");

async function openRig(others: Readonly<Record<string, string>> = {}) {
  const mock = startMockProvider({ script: () => says("done") });
  const home = cinchHome();
  const config = join(home.path, "config/cinch");
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(config, path)), { recursive: true });
    writeFileSync(join(config, path), text, { mode: 0o600 });
  };
  write(
    "config.toml",
    `default_model = "mock:one"\nplugins = ${JSON.stringify([DICE])}\n[providers.mock]\nkind = "openai-compatible"\nbase_url = "${mock.url}/v1"\n`,
  );
  write(
    "skills/2fa/SKILL.md",
    "---\nname: 2fa\ndescription: second factors\n---\nAsk for the second factor.\n",
  );
  write("agents/reviewer.md", "---\nname: reviewer\ndescription: reviews\n---\nYou review.\n");
  write("prompts/look.md", "---\ndescription: looks\n---\nLook at $1 with care.\n");
  write("prompts/said.md", "---\ndescription: says\n---\nSomebody said: $ARGUMENTS\n");
  write("aliases.toml", '[aliases]\nlk = "/prompts:look main.ts"\n');
  for (const [path, text] of Object.entries(others)) write(path, text);
  const world = testWorld();
  const ledger = await TrustLedger.open(world, join(config, "approved.lock"));
  await ledger.approve(await readPlugins(world, [DICE]));
  const acknowledged = await runCinch(["ack", "--all"], { home });
  return {
    home,
    /** Output of the acknowledgement. */
    acknowledged: acknowledged.stderr,
    run: (words: readonly string[], stdin = "") => runCinch(words, { home, stdin }),
    /** Returns the user's text in the model's last request. */
    sent(): string {
      const body = mock.requests.findLast(({ path }) => path.includes("completions"))?.body["messages"];
      return JSON.stringify(body);
    },
    get requests() {
      return mock.requests.length;
    },
    async [Symbol.asyncDispose]() {
      await mock[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

test(
  "[CMD-01 CMD-02 CLI-01] -p carries out the commands of skills, agents, prompts, aliases and plugins, and the model sees no slash",
  async () => {
    await using rig = await openRig();
    const asked = async (prompt: string, stdin = "") => {
      const { code, stdout, stderr } = await rig.run(prompt === "" ? ["-p"] : ["-p", prompt], stdin);
      expect([prompt, code, stdout, stderr]).toEqual([prompt, 0, "done\n", ALLOWED]);
      return rig.sent();
    };
    const skill = await asked("/skills:2fa for the login");
    expect(skill).toContain('"for the login');
    expect(skill).toContain("Ask for the second factor.");
    const agent = await asked("/agents:reviewer the last change", "diff of it");
    expect(agent).toContain("You review.");
    expect(agent).toContain("the last change");
    expect(agent).toContain("diff of it");
    expect(await asked("/prompts:look src/a.ts")).toContain("Look at src/a.ts with care.");
    const said = "it's broken: \"quoted";
    const sent = JSON.stringify(said).slice(1, -1);
    for (const name of ["/skills:2fa", "/skills 2fa", "/agents:reviewer", "/prompts:said"])
      expect(await asked(`${name} ${said}`)).toContain(sent);
    expect(await asked("/lk")).toContain("Look at main.ts with care.");
    expect(await asked("", "/lk\n")).toContain("Look at main.ts with care.");
    expect(await asked("/etc/hosts is wrong")).toContain('"/etc/hosts is wrong');
    expect(await asked("//compact is a word")).toContain('"/compact is a word');

    const before = rig.requests;
    const rolled = await rig.run(["-p", "/dice:roll 3d1", "--output-format", "json"]);
    expect([rolled.code, rolled.stderr]).toEqual([0, ALLOWED]);
    expect(JSON.parse(rolled.stdout)).toMatchObject({
      result: "3d1: 1 + 1 + 1 = 3",
      stop_reason: "complete",
    });
    expect(rig.requests).toBe(before);
  },
  TIMEOUT_MS,
);

test(
  "[CMD-01 CLI-01] what is no command of -p ends it with exit code 2, the reason and the nearest name, and reaches no model",
  async () => {
    await using rig = await openRig();
    const refused = async (prompt: string, ...words: string[]) => {
      const { code, stdout, stderr } = await rig.run(["-p", prompt]);
      expect([prompt, code, stdout]).toEqual([prompt, 2, ""]);
      for (const word of words) expect(stderr).toContain(word);
    };
    await refused("/compact", "/compact is for a session that somebody sits before", "/skills:NAME");
    await refused("/Skils:2fa", "Did you mean /skills:2fa?");
    await refused("/skills:2fb", "There is no active skill '2fb'", "Did you mean 2fa?");
    await refused("/prompts:lok", "There is no prompt 'lok'. Did you mean /prompts:look?");
    await refused("/mcp-prompts:s.p", "there is no command /mcp-prompts:s.p.");
    await refused("/dice", "there is no command /dice. Did you mean /dice:roll?");
    await refused("/dice:", "there is no command /dice:. Did you mean /dice:roll?");
    await refused("/skills:", "/skills is for a session that somebody sits before: begin one with cinch");
    await refused("/skills:zzzz", "There is no active skill 'zzzz' in this session. There are: 2fa, ");
    await refused("/dice:rol", "there is no command /dice:rol. Did you mean /dice:roll?");
    await refused(
      "/prompts:look it's",
      "/prompts:look puts single words into its text: the quote ' is not closed",
    );
    await refused("/lk it's", "/prompts:look puts single words into its text: the quote ' is not closed");
    await refused("/sessions:list it's", "/sessions:list is for a session that somebody sits before");
    expect(rig.requests).toBe(0);
  },
  TIMEOUT_MS,
);

test(
  "[CTX-03 CMD-02 CLI-01] a prompt and aliases that cannot be used are reported with file and line: by -p that names one, as they are acknowledged, and by doctor",
  async () => {
    await using rig = await openRig({
      "prompts/torn.md": "---\ndescription: [a\n---\nLook.\n",
      "aliases.toml": '[aliases]\nlk = "/prompts:look main.ts"\nhelp = "/prompts:look"\nno = "look"\n',
    });
    const torn = /prompts\/torn\.md:2: /;
    const wrong = [
      /aliases\.toml:3: aliases\.help: \/help is a built-in command/,
      /aliases\.toml:4: aliases\.no: must be a command/,
    ];
    const prompt = await rig.run(["-p", "/prompts:torn it"]);
    expect([prompt.code, prompt.stdout]).toEqual([2, ""]);
    expect(prompt.stderr).toMatch(torn);
    const alias = await rig.run(["-p", "/lk"]);
    expect([alias.code, alias.stdout]).toEqual([2, ""]);
    for (const told of wrong) expect(alias.stderr).toMatch(told);
    expect(rig.requests).toBe(0);
    const doctor = await rig.run(["doctor"]);
    for (const told of [torn, ...wrong]) {
      expect(rig.acknowledged).toMatch(told);
      expect(doctor.stdout).toMatch(told);
    }
  },
  TIMEOUT_MS,
);
