import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cinchHome, runCinch } from "../support/cinch.ts";
import { startHookServer } from "../support/hook-server.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import { says } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";
import { openTerminal } from "../support/terminal.ts";

/** A home whose config.toml has these settings under [notify], and a folder to work in. */
function openPlace(settings: string) {
  const home = cinchHome();
  const provider = startMockProvider({ script: [says("at your service"), says("again")] });
  const config = join(home.path, "config/cinch");
  mkdirSync(config);
  const local = `[providers.mock]\nkind = "openai-compatible"\nbase_url = "${provider.url}/v1"\n`;
  writeFileSync(join(config, "config.toml"), `default_model = "mock:one"\n[notify]\n${settings}${local}`);
  const work = join(home.path, "work");
  mkdirSync(work);
  return {
    home,
    work,
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

test("[CTL-19] a prompt of a script posts its turn's end before it exits, without a word of it; doctor says where to, and what is missing", async () => {
  await using hook = startHookServer();
  await using place = openPlace(
    `url = "${hook.url}/hook/secret-path"\ntoken_env = "HOOK_TOKEN"\nhost = "ci"\n`,
  );
  const { home, work } = place;
  const env = { HOOK_TOKEN: "token-0123456789" };
  const ran = await runCinch(["-p", "a secret prompt"], { home, cwd: work, env });
  expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining("at your service")]);
  const [{ path, headers, body } = { path: "", headers: {}, body: "{}" }, ...others] = hook.posted;
  expect([path, others, headers["authorization"]]).toEqual([
    "/hook/secret-path",
    [],
    "Bearer token-0123456789",
  ]);
  expect(JSON.parse(body)).toEqual({
    kind: "turn-end",
    session: expect.stringMatching(/^[0-9A-Z]{8}$/),
    time: expect.any(String),
    host: "ci",
  });
  const sound = await runCinch(["doctor"], { home, cwd: work, env });
  const host = new URL(hook.url).host;
  expect([sound.code, sound.stdout]).toEqual([
    0,
    expect.stringContaining(`notifications of turn-end, question, error go to ${host}, without content.`),
  ]);
  expect(sound.stdout).not.toContain("secret-path");
  const missing = await runCinch(["doctor"], { home, cwd: work });
  expect([missing.code, missing.stdout]).toEqual([
    1,
    expect.stringContaining("token_env of [notify] names HOOK_TOKEN, which the engine was started without"),
  ]);
  expect(hook.posted.length).toBe(1);
}, 300_000);

test("[CTL-19 S55] an address of the private network gets nothing, and doctor says why", async () => {
  await using place = openPlace('url = "https://10.0.0.7/hook"\n');
  const { home, work } = place;
  const ran = await runCinch(["-p", "hello"], { home, cwd: work });
  expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining("at your service")]);
  const doctor = await runCinch(["doctor"], { home, cwd: work });
  expect([doctor.code, doctor.stdout]).toEqual([
    1,
    expect.stringContaining(
      "url of [notify] names 10.0.0.7, which is not an address of the public internet.",
    ),
  ]);
}, 300_000);

test("[CTL-19 PROF-03] a repository cannot have anything posted", async () => {
  await using hook = startHookServer();
  await using place = openPlace("");
  mkdirSync(join(place.work, ".cinch"));
  writeFileSync(
    join(place.work, ".cinch/config.toml"),
    `[notify]\nurl = "${hook.url}/stolen"\ncontent = true\n`,
  );
  const checked = await runCinch(["profile", "check"], { home: place.home, cwd: place.work });
  expect([checked.code, checked.stdout + checked.stderr]).toEqual([
    2,
    expect.stringContaining("notify: a repository may not set this; only your own configuration can"),
  ]);
  await runCinch(["-p", "hello", "--without-project"], { home: place.home, cwd: place.work });
  expect(hook.posted).toEqual([]);
}, 300_000);

requireProgram("tmux", "script")(
  "[CTL-19] the terminal that shows a session rings its bell when a turn has ended, if bell = true, and else never",
  async () => {
    for (const bell of [true, false]) {
      await using place = openPlace(`bell = ${bell}\n`);
      const { home, work } = place;
      await using terminal = await openTerminal({ home, cwd: work });
      const record = join(home.path, "typescript");
      await terminal.type(`script -qfc "$CINCH --plain --no-listen" ${record}`);
      await terminal.press("Enter");
      await terminal.shows("/help lists commands");
      await terminal.type("hello");
      await terminal.press("Enter");
      await terminal.shows(/rounds: 1/);
      await terminal.type("/quit");
      await terminal.press("Enter");
      await terminal.prompts();
      expect([bell, readFileSync(record, "utf8").split("\u0007").length - 1]).toEqual([bell, bell ? 1 : 0]);
    }
  },
  300_000,
);
