import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { objectAt, parseJson, stringAt } from "../../src/base/json.ts";
import type { CinchHome } from "../support/cinch.ts";
import { cinchHome, runCinch, startCinch } from "../support/cinch.ts";
import { openHomeStore } from "../support/home-store.ts";
import type { MockProvider } from "../support/mock-provider/mock-provider.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import type { Turn } from "../support/mock-provider/turn.ts";
import { calls, fails, says } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";
import { until } from "../support/until.ts";

// Words and secrets that go through a whole session are looked for in every file that it leaves. In copies these went
// red: the first two with `sealBytes` giving its content as it is, the third with a redactor that gives every text so.

const WORD = "canary-5d1f0a77";
const SECRET = `ghp_${"5iydacpid9zwx3c536l4"}${"bkcu9cu95xqoq0ks"}`;
/** Long enough to be spilled: 90 KB. */
const LONG = `i=0; while [ $i -lt 3000 ]; do echo "line $i of ${WORD}"; i=$((i+1)); done`;

requireProgram("bwrap")(
  "[SES-04 S54] no file that a session leaves holds a word of it: prompt, answer, calls, output, title, question",
  async () => {
    await using rig = openRig([
      calls("Bash", { command: LONG }),
      calls("TodoWrite", { todos: [{ content: WORD, status: "pending", activeForm: WORD }] }),
      calls("Bash", { command: `echo ${WORD}; sleep 0`, background: true }),
      calls("Write", { file_path: "../outside.txt", content: WORD }),
      says(`The answer is ${WORD}.`),
    ]);
    const { stdout } = await rig.run(["-p", `prompt ${WORD}`]);
    expect(stdout).toContain(WORD);
    const spilled = /The whole is in (\S+\.txt)/.exec(stdout)?.[1] ?? "";
    expect(readFileSync(spilled).length).toBeGreaterThan(80_000);
    expect(filesWith(rig, WORD)).toEqual([]);
    await using store = await openHomeStore(rig.home.path);
    expect((await store.list({ limit: 9 })).map(({ title }) => title)).toEqual([`prompt ${WORD}`]);
  },
);

requireProgram("bwrap")(
  "[SES-04 S54] output that was spilled is read and searched by the tools, and by no other program",
  async () => {
    await using rig = openRig([calls("Bash", { command: LONG }), says("Made.")]);
    await rig.run(["-p", "make it"]);
    const [spilled = ""] = filesBelow(join(rig.home.path, "data/cinch/scratch"));
    rig.goOn([
      calls("Read", { file_path: spilled, offset: 2_000, limit: 1 }),
      calls("Grep", { pattern: "line 27.9 of", path: spilled, mode: "count" }),
      says("Read."),
    ]);
    const { stdout } = await rig.run(["-p", "read it", "--continue"]);
    expect(stdout).toContain(`2000\\tline 1999 of ${WORD}`);
    expect(stdout).toContain(":10");
    expect(readFileSync(spilled).includes("line 1999")).toBe(false);
  },
);

test("[SES-04 S54 R13] a session that was killed with its log open leaves no word of it either, and continues", async () => {
  await using rig = openRig([calls("Bash", { command: LONG }), fails({ kind: "stall", at: "mid-event" })]);
  {
    await using cinch = startCinch(["-p", `prompt ${WORD}`, ...FLAGS], rig.place);
    await until("the second request came", () => rig.mock.requests.length > 1);
    cinch.kill("SIGKILL");
    await cinch.exited;
  }
  expect(filesBelow(join(rig.home.path, "data")).some((path) => path.endsWith("-wal"))).toBe(true);
  expect(filesWith(rig, WORD)).toEqual([]);
  rig.goOn([says("Here I am.")]);
  expect(await rig.run(["-p", "and now?", "--continue"])).toMatchObject({ code: 0 });
  expect(JSON.stringify(rig.mock.requests.at(-1)?.body)).toContain(`prompt ${WORD}`);
  expect(filesWith(rig, WORD)).toEqual([]);
});

requireProgram("bwrap")(
  "[SES-05 S54] a secret reaches no file, no output and no later request; what runs has it",
  async () => {
    await using rig = openRig([
      calls("Bash", { command: `printf %s ${SECRET} > kept; printf '%s %s' "$(cat kept)" done` }),
      calls("Write", { file_path: "again", content: "«redacted:github-token»" }),
      calls("Read", { file_path: "kept" }),
      says(`It is ${SECRET}.`, { deltaChars: 5 }),
    ]);
    const cassette = join(rig.home.path, "tape.jsonl");
    const { stdout, stderr } = await rig.run(["-p", `use ${SECRET}`, "--record", cassette]);
    expect(readFileSync(join(rig.work, "kept"), "utf8")).toBe(SECRET);
    expect(stdout + stderr).not.toContain(SECRET.slice(0, 20));
    expect(saidIn(stdout)).toBe("It is «redacted:github-token».");
    expect(readFileSync(cassette, "utf8")).not.toContain(SECRET.slice(0, 20));
    const requests = JSON.stringify(rig.mock.requests.map(({ body }) => body));
    expect(requests).not.toContain(SECRET.slice(0, 20));
    expect(requests).toContain("«redacted:github-token»");
    expect(filesBelow(rig.work)).toEqual([join(rig.work, "kept")]); // a marker is not written over a secret
    expect(filesWith(rig, SECRET.slice(0, 20))).toEqual([]);
  },
);

test("[SES-05 SBX-05] secrets of the user's environment reach no request, output or file, and a client gets a notice", async () => {
  const [key, password] = ["q8Zr2kd09sLw", "b7Tk51mWx3Ep"];
  await using rig = openRig([
    calls("Bash", { command: "printenv MY_API_KEY DB_PASSWORD" }),
    calls("Bash", { command: `cat kept` }),
    says(`It is ${password}.`, { deltaChars: 3 }),
  ]);
  writeFileSync(join(rig.work, "kept"), `${key}\n`);
  const env = { ...rig.place.env, MY_API_KEY: key, DB_PASSWORD: password };
  const { stdout, stderr } = await runCinch(
    ["-p", `use ${key}`, "--auto-approve", "--log-level", "trace", ...FLAGS],
    { ...rig.place, env },
  );
  expect(stderr).toContain("Kept from commands, since they hold secrets: DB_PASSWORD, MY_API_KEY.");
  expect(stdout).toContain("MY_API_KEY, DB_PASSWORD hold secrets and are kept from commands");
  expect(stdout).toContain("A person can name them in pass_env");
  expect(saidIn(stdout)).toBe("It is «redacted:DB_PASSWORD».");
  const requests = JSON.stringify(rig.mock.requests.map(({ body }) => body));
  expect(requests).toContain("use «redacted:MY_API_KEY»");
  rmSync(join(rig.work, "kept"));
  for (const secret of [key, password]) {
    expect(stdout + stderr + requests).not.toContain(secret);
    expect(filesWith(rig, secret)).toEqual([]);
  }
});

test("[SES-04 LOG-01] a raw dump is sealed, and shown to who has the machine key", async () => {
  await using rig = openRig([says(`The answer is ${WORD}.`)]);
  await rig.run(["debug", "--raw", "-p", `prompt ${WORD}`]);
  const [dump = ""] = filesBelow(join(rig.home.path, "state/cinch/debug"));
  expect(filesWith(rig, WORD)).toEqual([]);
  const shown = await runCinch(["debug", "--show", dump], rig.place);
  expect(shown).toMatchObject({ code: 0, stderr: "" });
  expect(shown.stdout).toContain(`prompt ${WORD}`);
  expect(
    shown.stdout
      .trimEnd()
      .split("\n")
      .every((line) => JSON.parse(line).ts !== undefined),
  ).toBe(true);
});

test("[SES-04] sessions made under another machine key are reported, and nothing is changed or created", async () => {
  await using rig = openRig([says("one")]);
  await rig.run(["-p", "first"]);
  const database = join(rig.home.path, "data/cinch/sessions.db");
  const before = readFileSync(database);
  writeFileSync(join(rig.home.path, "config/cinch/machine.key"), new Uint8Array(32).fill(1), { mode: 0o600 });
  const { code, stderr } = await rig.run(["-p", "second"]);
  expect(code).toBe(2);
  expect(stderr).toContain("(SessionsLocked)");
  expect(stderr).toContain("machine.key");
  expect(readFileSync(database)).toEqual(before);
});

test("[SES-04] a passphrase that is set over sessions of machine.key is named, with both ways to continue", async () => {
  await using rig = openRig([says("one"), says("two")]);
  await rig.run(["-p", "first"]);
  const env = { ...rig.place.env, CINCH_PASSPHRASE: "another one" };
  const { code, stderr } = await runCinch(["-p", "second", ...FLAGS], { ...rig.place, env });
  expect(code).toBe(2);
  expect(stderr).toContain("the one in use now, which is from CINCH_PASSPHRASE. Set the CINCH_MACHINE_KEY");
  expect(stderr).toContain("If it was made with neither, unset both: then machine.key is used");
  expect((await rig.run(["-p", "second"])).code).toBe(0);
});

test("[SES-04 CRED-01] creds rotate puts sessions and keys under another machine key, and the old one opens neither", async () => {
  await using rig = openRig([says("one"), says("two")]);
  await rig.run(["-p", `prompt ${WORD}`]);
  const path = join(rig.home.path, "config/cinch/machine.key");
  const OLD = readFileSync(path).toString("hex");
  const cinch = (args: readonly string[], env: Record<string, string>, stdin = "") =>
    runCinch(args, { ...rig.place, env: { ...rig.place.env, ...env }, stdin });
  expect((await cinch(["creds", "add", "zai"], {}, "key-of-somebody")).code).toBe(0);
  const now = { CINCH_MACHINE_KEY: "ab".repeat(32) };
  expect((await cinch(["-p", "and?", "--continue", ...FLAGS], now)).stderr).toContain("Locked)");
  expect((await cinch(["creds", "rotate"], now)).code).toBe(2);
  expect((await cinch(["creds", "rotate", "--from-env", "OLD"], { ...now, OLD: "cd".repeat(32) })).code).toBe(
    2,
  );
  const rotated = await cinch(["creds", "rotate", "--from-env", "OLD"], { ...now, OLD });
  expect(rotated).toMatchObject({ code: 0, stderr: "" });
  expect(rotated.stdout).toMatch(
    /^The key store \S+ is under .* from CINCH_MACHINE_KEY now\.\nThe session store \S+ is under/,
  );
  expect((await cinch(["creds", "rotate", "--from-env", "OLD"], { ...now, OLD })).stdout).toContain(
    "already",
  );
  expect((await cinch(["creds", "list"], now)).stdout).toContain("zai");
  expect(await cinch(["-p", "and now?", "--continue", ...FLAGS], now)).toMatchObject({ code: 0 });
  expect(JSON.stringify(rig.mock.requests.at(-1)?.body)).toContain(`prompt ${WORD}`);
  expect((await cinch(["creds", "list"], {})).code).toBe(2);
});

test("[SES-04 SES-15 SES-16] checkpoints under an earlier machine key are no damage, and those kept afterwards are read", async () => {
  const write = (text: string) => calls("Write", { file_path: "file", content: text });
  await using rig = openRig([write("one"), says("wrote"), write("two"), says("wrote")]);
  const run = (args: readonly string[], env: Record<string, string>) =>
    runCinch(args, { ...rig.place, env: { ...rig.place.env, ...env } });
  expect((await run(["-p", "write", "--auto-approve", ...FLAGS], {})).code).toBe(0);
  const OLD = readFileSync(join(rig.home.path, "config/cinch/machine.key")).toString("hex");
  const now = { CINCH_MACHINE_KEY: "ab".repeat(32) };
  expect((await run(["creds", "rotate", "--from-env", "OLD"], { ...now, OLD })).code).toBe(0);

  const examined = await run(["doctor"], now);
  expect([examined.code, examined.stdout]).toEqual([
    0,
    expect.stringContaining("under an earlier machine key"),
  ]);
  expect(examined.stdout).toContain("No damage found, 1 note.");
  const further = await run(["-p", "again", "--continue", "--auto-approve", ...FLAGS], now);
  expect([further.code, further.stdout]).toEqual([0, expect.not.stringContaining("CheckpointsDamaged")]);
  const listed = (await run(["sessions", "list", "--json"], now)).stdout;
  const [id = ""] = /\bsess_\w+/.exec(listed) ?? [];
  const rewind = (to: string) => run(["sessions", "rewind", id, "--to", to, "--files"], now);
  const back = await rewind("1");
  expect([back.code, back.stderr]).toEqual([1, expect.stringContaining("under an earlier machine key")]);
  expect(await rewind("2")).toMatchObject({ code: 0 });
  expect(readFileSync(join(rig.work, "file"), "utf8")).toBe("one");
  expect((await run(["doctor"], now)).code).toBe(0);
});

const FLAGS = ["--model", "mock:one", "--output-format", "stream-json"];

interface Rig extends AsyncDisposable {
  readonly mock: MockProvider;
  readonly home: CinchHome;
  readonly work: string;
  readonly place: { readonly home: CinchHome; readonly cwd: string; readonly env: Record<string, string> };
  /** Answers of a further run. */
  goOn(script: readonly Turn[]): void;
  run(args: readonly string[]): ReturnType<typeof runCinch>;
}

function openRig(script: readonly Turn[]): Rig {
  const turns = [...script];
  const mock = startMockProvider({ script: turns });
  const home = cinchHome();
  const [work, temporary] = [join(home.path, "work"), join(home.path, "tmp")];
  for (const folder of [work, temporary, join(home.path, "config/cinch")]) mkdirSync(folder);
  writeFileSync(
    join(home.path, "config/cinch/config.toml"),
    `[providers.mock]\nkind = "openai-compatible"\nbase_url = "${mock.url}/v1"\n`,
  );
  const place = { home, cwd: work, env: { TMPDIR: temporary } };
  return {
    ...{ mock, home, work, place },
    goOn: (more) => void turns.push(...more),
    run: async (args) => await runCinch([...args, ...FLAGS], place),
    async [Symbol.asyncDispose]() {
      await mock[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

/** Joins the model's text from deltas. */
function saidIn(stdout: string): string {
  const texts = stdout
    .trimEnd()
    .split("\n")
    .map((line) => stringAt(objectAt(parseJson(line)?.value, "payload"), "text"));
  return texts.join("");
}

/** The files of cinch's own, and temporary ones, that hold a text: not those of the project. */
function filesWith({ home, work }: Rig, text: string): readonly string[] {
  const files = filesBelow(home.path).filter((path) => !path.startsWith(`${work}/`));
  expect(files.length).toBeGreaterThan(2);
  return files.filter((path) => readFileSync(path).includes(text));
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}
