import { expect } from "bun:test";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cinchHome, runCinch } from "../support/cinch.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";
import { requireSandbox, sandboxParent } from "../support/sandbox-place.ts";
import { openTerminal } from "../support/terminal.ts";

const inTerminal = requireProgram("tmux", "bwrap");
const test = requireSandbox();
const TIMEOUT_MS = 300_000;
const RULE = `\n[permissions]\nallow = ["Bash:npm install"]\n`;
/** The prompt of a question, with nothing typed. */
const QUESTION = /1-3 >$/;
const AGAIN = /choice >$/;
const HOST = "registry.cinch-canary.example";
const ARGV = "-p install --model mock:one --without-project --output-format stream-json".split(" ");
const SETTING = 'network = ["the host it needs"]';

/**
 * Stands for npm: prints where it runs, by the network interfaces that it sees. Where a proxy is set it asks that for a
 * tunnel to its registry, and fails if the list is why it gets none. A file named installed says that it needs nothing.
 */
const NPM = `#!/bin/bash
if [ -e installed ]; then
  echo "up to date with $(grep -c : /proc/net/dev) interfaces" | tee -a "$PWD/ran"
  exit
fi
if [ -z "$https_proxy" ]; then
  echo "npm $* with $(grep -c : /proc/net/dev) interfaces" | tee -a "$PWD/ran"
  exit
fi
exec 7<>/dev/tcp/127.0.0.1/3128
printf 'CONNECT %s:443 HTTP/1.1\\r\\n\\r\\n' ${HOST} >&7
read -r line <&7
case $line in
  *"not on the list"*) echo refused >>"$PWD/ran"; echo "npm error code E403"; exit 1;;
  *) echo "let through" | tee -a "$PWD/ran";;
esac
`;

inTerminal(
  "[SBX-04 PERM-03] npm install, which no rule names, is asked for once at a terminal, and each answer does what it says",
  async () => {
    await using rig = openRig("");
    await using terminal = await openTerminal({ home: rig.home, cwd: rig.work, columns: 160 });
    await terminal.type(`clear; "$CINCH" --plain --model mock:one --without-project; echo code $?`);
    await terminal.press("Enter");
    await terminal.shows("/help lists commands\n>");
    const answer = async (line: string, shows: string | RegExp) => {
      await terminal.type(line);
      await terminal.press("Enter");
      await terminal.shows(shows);
    };
    await answer("install it", QUESTION);
    const asked = await terminal.screen();
    expect(asked).toContain("Outside the sandbox, on this machine itself:");
    expect(asked).toContain("npm needs the network");
    expect(asked.replace(/\s+/g, " ")).toContain(SETTING);
    expect(rig.ran()).toEqual([]);
    await answer("1", /First\.\n(?:.*\n)*>$/);
    expect(rig.ran()).toEqual([outside()]);
    await answer("again", QUESTION);
    await answer("3", /Second\.\n(?:.*\n)*>$/);
    expect(rig.ran()).toEqual([outside()]);
    expect((await terminal.screen()).match(/npm needs the network/g)).toHaveLength(2);
  },
  TIMEOUT_MS,
);

inTerminal(
  "[SBX-04 PERM-03] npm install, which a rule allows, runs unasked, and only the host that the proxy refused is asked for",
  async () => {
    await using rig = openRig(RULE);
    await using terminal = await openTerminal({ home: rig.home, cwd: rig.work, columns: 160, rows: 60 });
    await terminal.type(`clear; "$CINCH" --plain --model mock:one --without-project; echo code $?`);
    await terminal.press("Enter");
    await terminal.shows("/help lists commands\n>");
    const answer = async (line: string, shows: string | RegExp) => {
      await terminal.type(line);
      await terminal.press("Enter");
      await terminal.shows(shows);
    };
    await answer("install it", AGAIN);
    const asked = await terminal.screen();
    expect(asked).not.toContain("npm needs the network");
    expect(asked).toContain(`  1  run it in the sandbox, which reaches ${HOST} for this session\n`);
    expect(rig.ran()).toEqual(["refused"]);
    await answer("1", /First\.\n(?:.*\n)*>$/);
    expect(rig.ran()).toEqual(["refused", "let through"]);
    await answer("again", /Second\.\n(?:.*\n)*>$/);
    expect(rig.ran()).toEqual(["refused", "let through", "let through"]);
  },
  TIMEOUT_MS,
);

inTerminal(
  "[SBX-04 PERM-03] a host that the proxy refused npm is offered first, then the run outside, and the host is reached for the session",
  async () => {
    await using rig = openRig("");
    await using terminal = await openTerminal({ home: rig.home, cwd: rig.work, columns: 160, rows: 60 });
    await terminal.type(`clear; "$CINCH" --plain --model mock:one --without-project; echo code $?`);
    await terminal.press("Enter");
    await terminal.shows("/help lists commands\n>");
    const answer = async (line: string, shows: string | RegExp) => {
      await terminal.type(line);
      await terminal.press("Enter");
      await terminal.shows(shows);
    };
    await answer("install it", QUESTION);
    expect(await terminal.screen()).toContain(
      "  2  allow in the sandbox, and ask for each host that it needs",
    );
    await answer("2", AGAIN);
    const asked = await terminal.screen();
    expect(asked).toContain("Network needed: Bash");
    expect(asked).toContain(
      `the proxy refused a request: ${HOST}:443 is not on the list of [sandbox] network`,
    );
    expect(asked).toContain(
      `  1  run it in the sandbox, which reaches ${HOST} for this session\n  2  run it outside\n  3  leave it`,
    );
    expect(rig.ran()).toEqual(["refused"]);
    await answer("1", /First\.\n(?:.*\n)*>$/);
    expect(rig.ran()).toEqual(["refused", "let through"]);
    await answer("again", /Second\.\n(?:.*\n)*>$/);
    expect(rig.ran()).toEqual(["refused", "let through", "let through"]);
  },
  TIMEOUT_MS,
);

test(
  "[SBX-04] with -p the message about a refused host names the setting that lets it through",
  async () => {
    await using rig = openRig('\n[sandbox]\nnetwork = ["allowed.example"]\n');
    const run = await runCinch(ARGV, { home: rig.home, cwd: rig.work });
    expect(rig.ran()).toEqual(["refused"]);
    expect(run.stdout).toContain(
      JSON.stringify(`[sandbox] network = ["allowed.example", "${HOST}"] in config.toml`).slice(1, -1),
    );
    expect(run.stdout).not.toContain('"kind":"Asked"');
  },
  TIMEOUT_MS,
);

test(
  "[SBX-04 PERM-03] with -p npm install that nothing allows does not run, and the setting is named",
  async () => {
    await using rig = openRig("");
    const run = await runCinch(ARGV, { home: rig.home, cwd: rig.work });
    expect(run.stdout).toContain("npm needs the network");
    expect(run.stdout).toContain(JSON.stringify(SETTING).slice(1, -1));
    expect([run.code, rig.ran()]).toEqual([3, []]);
  },
  TIMEOUT_MS,
);

for (const [what, rule, flags] of [
  ["a rule", RULE, []],
  ["--auto-approve", "", ["--auto-approve"]],
] as const) {
  test(
    `[SBX-04 PERM-03] with -p npm install that ${what} allows runs in the sandbox, and a refused host is named with its setting`,
    async () => {
      await using rig = openRig(rule);
      const run = await runCinch([...ARGV, ...flags], { home: rig.home, cwd: rig.work });
      expect(run.stdout).toContain(
        JSON.stringify(`[sandbox] network = ["${HOST}"] in config.toml`).slice(1, -1),
      );
      expect(run.stdout).not.toContain('"kind":"Asked"');
      expect([run.code, rig.ran()]).toEqual([0, ["refused"]]);

      await using done = openRig(rule);
      writeFileSync(join(done.work, "installed"), "");
      const satisfied = await runCinch([...ARGV, ...flags], { home: done.home, cwd: done.work });
      expect([satisfied.code, done.ran()]).toEqual([0, ["up to date with 1 interfaces"]]);
      expect(satisfied.stdout).not.toContain("[sandbox] network");
    },
    TIMEOUT_MS,
  );
}

/** Returns the text that npm prints if it sees the interfaces of this machine. */
function outside(): string {
  const { stdout } = Bun.spawnSync(["grep", "-c", ":", "/proc/net/dev"]);
  return `npm install with ${stdout.toString().trim()} interfaces`;
}

function openRig(rule: string) {
  const install = () => calls("Bash", { command: "npm install" });
  const mock = startMockProvider({ script: [install(), says("First."), install(), says("Second.")] });
  const home = cinchHome();
  const folder = join(sandboxParent(), `network-question-${process.pid}-${Bun.randomUUIDv7()}`);
  const [work, bin] = [join(folder, "work"), join(folder, "bin")];
  for (const each of [work, bin, join(home.path, "config/cinch")]) mkdirSync(each, { recursive: true });
  writeFileSync(join(bin, "npm"), NPM);
  chmodSync(join(bin, "npm"), 0o755);
  writeFileSync(
    join(home.path, "config/cinch/config.toml"),
    `[providers.mock]\nkind = "openai-compatible"\nbase_url = "${mock.url}/v1"\n${rule}`,
  );
  const env = { ...home.env, PATH: `${bin}:${process.env["PATH"] ?? "/usr/bin:/bin"}` };
  return {
    home: { ...home, env },
    work,
    ran(): readonly string[] {
      const path = join(work, "ran");
      const { stdout } = Bun.spawnSync(["cat", path]);
      return stdout.toString().split("\n").filter(Boolean);
    },
    async [Symbol.asyncDispose]() {
      await mock[Symbol.asyncDispose]();
      home[Symbol.dispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
