import { expect, test } from "bun:test";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { textTold } from "../support/acp-editor.ts";
import { openAcpHome } from "../support/acp-home.ts";
import { cinchHome, runCinch } from "../support/cinch.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import type { Turn } from "../support/mock-provider/turn.ts";
import { says } from "../support/mock-provider/turn.ts";
import { noneWith, processesWith } from "../support/processes.ts";
import { requireProgram } from "../support/requires.ts";
import type { Terminal } from "../support/terminal.ts";
import { openTerminal } from "../support/terminal.ts";

const TIMEOUT_MS = 300_000;

test(
  "[PROF-02] from the command line a session continues under another profile, its turns go along, and the old one is resumed",
  async () => {
    await using rig = openRig(
      says("the heron is grey", { usage: { input: 20_000, output: 10_000 } }),
      says("reviewed", { usage: { input: 10_000, output: 0 } }),
      says("still grey"),
    );
    rig.price("mock:one");
    const lines = ["what colour is the heron?", "/profiles:review", "/profile", "review it"];
    const { code, stdout, stderr } = await rig.cinch(lines);
    const [, next, old = ""] =
      /\nStarted new session (sess_\w+) on profile 'review'\. Old session (sess_\w+) is paused; \/sessions:resume \2 to return\.\n/.exec(
        stdout,
      ) ?? [];
    expect([code, stderr]).toEqual([0, ` ${old} · default · mock:one\n`.trimStart()]);
    expect(stdout).toContain(
      `\nprofile review (${rig.home.path}/config/cinch/profiles/review.toml) · mock:one\nskills: `,
    );
    expect(stdout).toContain("\ntools of builtin: Grep, Glob\n");
    expect(stdout).toEndWith(
      "reviewed\n-- rounds: 1, $0.0100 this turn, $0.0100 this session, $0.0400 with those before it\n",
    );
    const shown = await rig.run(["sessions", "show", next ?? ""]);
    expect(shown.stdout).toMatch(new RegExp(`^continues: +${old}$`, "m"));
    expect(shown.stdout).toMatch(/^cost together: +\$0\.0400 with the sessions before$/m);
    expect(rig.asked()).toContain("You review.");
    expect(rig.asked()).toContain("the heron is grey");

    const back = await rig.cinch(["and now?"], ["--resume", old]);
    expect([back.code, back.stdout]).toEqual([0, expect.stringContaining("still grey")]);
    expect(back.stdout).toContain(`Paused here; session ${next} went on, on profile 'review'.`);
    expect(rig.asked()).not.toContain("You review.");
    expect(rig.asked()).toContain("what colour is the heron?");
  },
  TIMEOUT_MS,
);

test(
  "[PROF-02 CTL-16] an editor goes along to the session that continues, and its next prompt is for that one",
  async () => {
    await using place = openAcpHome([says("the heron is grey"), says("from there")]);
    await using open = place.edit("--model", "mock:one");
    const { editor } = open;
    const session = await editor.begin(place.work);
    await editor.prompt(session, "what colour is the heron?");
    await editor.prompt(session, "/profiles:self");
    await editor.prompt(session, "go on");
    expect(textTold(editor)).toMatch(
      /^the heron is greyStarted new session sess_\w+ on profile 'self'\. Old session sess_\w+ is paused; \/sessions:resume sess_\w+ to return\.\n\nfrom there$/,
    );
  },
  TIMEOUT_MS,
);

test(
  "[PROF-01 PROF-03] cinch profile lists what there is, shows every setting with its place, and checks the files",
  async () => {
    await using rig = openRig();
    const { code, stdout, stderr } = await rig.run(["profile", "list"]);
    expect([code, stderr]).toEqual([0, ""]);
    const own = join(rig.home.path, "config/cinch/profiles");
    expect(stdout).toStartWith(`  review       ${own}/review.toml\n* default      embedded:default\n`);

    const shown = await rig.run(["profile", "show", "review", "--max-turns", "7"], {
      OPENAI_API_KEY: "sk-not-told",
    });
    expect([shown.code, shown.stderr]).toEqual([0, ""]);
    expect(shown.stdout).toMatch(/^limits\.rounds +7 {2}\(--max-turns\)$/m);
    expect(shown.stdout).toMatch(/^tool_packs +\["search"\] {2}\(\S+\/review\.toml:2\)$/m);
    expect(shown.stdout).toMatch(/^key of openai +"\(set\)" {2}\(environment OPENAI_API_KEY\)$/m);
    expect(shown.stdout).not.toContain("sk-not-told");
    const tables = [...shown.stdout.matchAll(/^([a-z_]+)\./gm)].map(([, table]) => table);
    const begins = tables.filter((table, at) => table !== tables[at - 1]);
    expect(begins).toEqual([...new Set(begins)]); // each table stands in one place
    const json = await rig.run(["profile", "show", "--output-format", "json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      profile: "default",
      path: "embedded:default",
      notices: [],
    });

    expect(await rig.run(["profile", "check"])).toMatchObject({
      code: 0,
      stdout: "4 profiles and config.toml: nothing wrong\n",
    });
    writeFileSync(join(own, "newer.toml"), "schema_version = 9\n");
    writeFileSync(join(own, "typo.toml"), 'tol_packs = ["fs"]\nname = 1\nagents = 2\n');
    const checked = await rig.run(["profile", "check"]);
    expect([checked.code, checked.stdout]).toEqual([
      2,
      `error  ${own}/newer.toml:1: schema_version: is 9, and this cinch knows 1: upgrade cinch\n` +
        `warning  ${own}/typo.toml:1: tol_packs: unknown key; did you mean "tool_packs"?\n` +
        `error  ${own}/typo.toml:2: name: must be a text, such as "review"\n` +
        `error  ${own}/typo.toml:3: agents: must be a table\n` +
        "6 profiles and config.toml: 4 findings\n",
    ]);
    expect(await rig.run(["profile", "show", "absent.toml"])).toMatchObject({ code: 2, stdout: "" });
  },
  TIMEOUT_MS,
);

test(
  "[PROF-01 SES-16] a file that a profile names as its rules is no profile of its own",
  async () => {
    using home = cinchHome();
    const profiles = join(home.path, "config/cinch/profiles");
    mkdirSync(profiles, { recursive: true });
    writeFileSync(join(profiles, "own.toml"), 'name = "own"\npermissions = "rules.toml"\n');
    writeFileSync(join(profiles, "rules.toml"), 'level = "ReadOnly"\nallow = ["Bash:pwd"]\n');
    const [list, check, doctor] = [
      await runCinch(["profile", "list", "--json"], { home }),
      await runCinch(["profile", "check"], { home }),
      await runCinch(["doctor"], { home }),
    ];
    expect(JSON.parse(list.stdout).map(({ name }: { name: string }) => name)).not.toContain("rules");
    expect([check.code, check.stdout]).toEqual([0, expect.stringContaining("nothing wrong")]);
    expect([doctor.code, doctor.stdout]).toEqual([0, expect.not.stringContaining("rules.toml")]);
    writeFileSync(join(profiles, "rules.toml"), 'level = "ReadOnly"\nalow = []\n');
    expect((await runCinch(["profile", "check"], { home })).stdout).toContain("rules.toml");
  },
  TIMEOUT_MS,
);

test(
  "[PROF-01 PROF-03] profile check refuses what a start in this repository refuses, in its profiles and in its own settings",
  async () => {
    await using rig = openRig();
    const own = join(rig.work, ".cinch");
    mkdirSync(join(own, "profiles"), { recursive: true });
    mkdirSync(join(rig.work, ".git"));
    const [profile, config] = [join(own, "profiles", "w.toml"), join(own, "config.toml")];
    writeFileSync(profile, 'plugins = ["/x"]\n[permissions]\nallow = ["Bash"]\n');
    const named = await rig.run(["profile", "check", ".cinch/profiles/w.toml"]);
    const wrong =
      `error  ${profile}:1: plugins: a repository may not set this; only your own configuration can\n` +
      `error  ${profile}:3: permissions.allow: a repository's rules can only ask or deny\n`;
    expect([named.code, named.stdout]).toEqual([2, `${wrong}1 profile and config.toml: 2 findings\n`]);
    writeFileSync(config, "max_turns = 3\n");
    const all = await rig.run(["profile", "check"]);
    expect([all.code, all.stdout]).toEqual([
      2,
      `error  ${config}:1: max_turns: a repository may not set this; only your own configuration can\n${wrong}5 profiles, config.toml and 1 other file: 3 findings\n`,
    ]);
  },
  TIMEOUT_MS,
);

requireProgram("tmux")(
  "[PROF-02 CTL-11 CTL-18] at two terminals of one engine one person is asked, and both go along; in place, and back to the old one",
  async () => {
    await using rig = openRig(
      says("the heron is grey"),
      says("reviewed"),
      says("in place"),
      says("as before"),
    );
    await using first = await openTerminal({ home: rig.home, cwd: rig.work });
    await using second = await openTerminal({ home: rig.home, cwd: rig.work });
    const enter = async (terminal: Terminal, line: string, shows: string | RegExp) => {
      await terminal.type(line);
      await terminal.press("Enter");
      await terminal.shows(shows);
    };
    await enter(first, 'clear; "$CINCH" --plain --model mock:one; echo co""de $?', "/help lists commands\n>");
    await enter(first, "what colour is the heron?", "-- rounds: 1");
    await enter(second, 'clear; "$CINCH" --plain --continue; echo co""de $?', "the heron is grey");
    await enter(first, "/profiles:review", "Import the last turn into the new session? (y/n)\ny/n >");
    await enter(first, "y", "on profile 'review'. Old session");
    await second.shows("on profile 'review'. Old session");
    await enter(second, "review it", /reviewed\n-- rounds: 1[^>]*\n>/);
    await first.shows(/reviewed\n-- rounds: 1/);
    expect(rig.asked()).toContain("the heron is grey");

    await enter(second, "/profiles:default --in-place", "the model may be incoherent");
    await first.shows("the model may be incoherent");
    await enter(first, "go on", /\nin place\n-- rounds: 1, price unknown\n>/);
    await second.shows("in place");
    expect(rig.asked()).toContain("review it");
    const [, old = ""] = /resume (sess_\w{26})\s+to\s+return/.exec(await first.screen()) ?? [];
    await enter(first, `/sessions:resume ${old}`, "Paused here");
    await enter(first, "and there?", /as before\n-- rounds: 1/);
    expect(rig.asked()).not.toContain("review it");
    for (const terminal of [first, second]) await enter(terminal, "/quit", "code 0");
  },
  TIMEOUT_MS,
);

test(
  "[PROF-01 PROF-02] a relative path is one of the process on a command line, and of the working directory elsewhere, for all that name a profile",
  async () => {
    await using rig = openRig(says("one"), says("two"), says("three"));
    const other = join(rig.home.path, "other");
    mkdirSync(other);
    for (const [folder, header, typo] of [
      [rig.work, "OF THE PROCESS", "typo_of_process"],
      [other, "OF THE WORKING DIRECTORY", "typo_of_working"],
    ] as const)
      writeFileSync(join(folder, "mine.toml"), `prompt_header = "${header}"\n${typo} = 1\n`);
    const elsewhere = ["--cwd", other, "--model", "mock:one"];

    expect((await rig.run(["-p", "hello", "--profile", "mine.toml", ...elsewhere])).code).toBe(0);
    expect(rig.asked()).toContain("OF THE PROCESS");
    const check = await rig.run(["profile", "check", "mine.toml", "--cwd", other]);
    expect([check.code, check.stdout]).toEqual([0, expect.stringContaining("typo_of_process")]);
    const show = await rig.run(["profile", "show", "mine.toml", "--cwd", other]);
    expect(show.stdout).toContain("OF THE PROCESS");

    const switched = await rig.cinch(["/profiles:mine.toml", "hello"], elsewhere);
    expect(switched.code).toBe(0);
    expect(rig.asked()).toContain("OF THE WORKING DIRECTORY");
    const config = join(rig.home.path, "config", "cinch", "config.toml");
    writeFileSync(config, `default_profile = "./mine.toml"\n${readFileSync(config, "utf8")}`);
    expect((await rig.run(["-p", "hello", ...elsewhere])).code).toBe(0);
    expect(rig.asked()).toContain("OF THE WORKING DIRECTORY");
    const used = await rig.run(["profile", "show", "--cwd", other]);
    expect(used.stdout).toContain("OF THE WORKING DIRECTORY");
  },
  TIMEOUT_MS,
);

function openRig(...script: Turn[]) {
  const home = cinchHome();
  const mock = startMockProvider({ script });
  const work = join(home.path, "work");
  const profiles = join(home.path, "config", "cinch", "profiles");
  mkdirSync(work);
  mkdirSync(profiles, { recursive: true });
  writeFileSync(
    join(home.path, "config", "cinch", "config.toml"),
    `[providers.mock]\nkind = "anthropic"\nbase_url = "${mock.url}/v1"\n`,
  );
  writeFileSync(
    join(profiles, "review.toml"),
    'prompt_header = "You review."\ntool_packs = ["search"]\ndefault_model = "mock:two"\n',
  );
  return {
    home,
    mock,
    work,
    run: (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
      runCinch(args, { home, cwd: work, env }),
    /** A dollar for a million tokens of a model. */
    price: (model: string) =>
      appendFileSync(
        join(home.path, "config", "cinch", "config.toml"),
        `[prices."${model}"]\ninput = 1\noutput = 1\n`,
      ),
    /** Returns the model's last request. */
    asked: () => JSON.stringify(mock.requests.at(-1)?.body),
    cinch: (lines: readonly string[], args: readonly string[] = ["--model", "mock:one"]) =>
      runCinch(args, { home, cwd: work, stdin: `${lines.join("\n")}\n` }),
    async [Symbol.asyncDispose]() {
      // Its engine would wait a while for somebody to come back.
      Bun.spawnSync(["kill", ...processesWith(home.path).map(String)]);
      await noneWith(home.path);
      await mock[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}
