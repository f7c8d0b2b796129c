import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseCassette } from "../../src/providers/replay/cassette.ts";
import type { CinchHome } from "../support/cinch.ts";
import { cinchHome, runCinch } from "../support/cinch.ts";
import { blocksOf } from "../support/documents.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import type { Turn } from "../support/mock-provider/turn.ts";
import { calls, fails, says } from "../support/mock-provider/turn.ts";
import { readSource } from "../support/source.ts";

const KEY = "Kq7-uncommon-key-0042";
const TOKEN = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
const WRITE = ["--level", "WorkspaceWrite"] as const;
const NOTE = "The heron stands in the reeds.\n";
const NOTE_SCRIPT = [
  calls("Read", { file_path: "note.txt" }, { usage: { input: 1204, output: 31 } }),
  says(NOTE.trim(), { deltaChars: 100, usage: { input: 1262, output: 19 } }),
];

/** Without the provider, its key is one more secret of the user's environment. */
const KEPT = expect.stringMatching(
  /^cinch: Kept from commands, since they hold secrets: MOCK_KEY\. [^\n]*\n$/,
);

test("[PROV-08] what was recorded in one folder and home plays in another, with real tools and without a provider", async () => {
  using there = openPlace({ "a.txt": "one\n" }, "some/where/else");
  const result = await recordIn(
    (work) => [
      calls("Read", { file_path: join(work, "a.txt") }),
      calls("Write", { file_path: join(work, "b.txt"), content: `made in ${work}\n` }),
      says(`Wrote ${work}/b.txt.`),
    ],
    { "a.txt": "one\n" },
    "copy it",
  );
  expect(result.cassette).not.toContain(result.home);
  const tape = join(there.home.path, "tape.jsonl");
  writeFileSync(tape, result.cassette);
  const played = await there.run(["-p", "copy it", "--model", `replay:${tape}`, ...WRITE]);
  expect(played).toEqual({ code: 0, stdout: `Wrote ${there.work}/b.txt.\n`, stderr: KEPT, timedOut: false });
  expect(readFileSync(join(there.work, "b.txt"), "utf8")).toBe(`made in ${there.work}\n`);
});

test("[PROV-08] a file that changed since is reported: at which request, and with both texts", async () => {
  const { cassette } = await recordIn(() => NOTE_SCRIPT, { "note.txt": NOTE }, "What does note.txt say?");
  using place = openPlace({ "note.txt": "The bittern stands in the reeds.\n", "run.jsonl": cassette });
  const { code, stdout, stderr } = await place.run([
    "-p",
    "What does note.txt say?",
    "--model",
    "replay:run.jsonl",
    ...WRITE,
  ]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain(`Request 2 does not match the cassette ${join(place.work, "run.jsonl")}.`);
  expect(stderr).toContain(
    "line 3 of the file in message 3 (the result of a call), at its line 2:\n- recorded: 1\tThe heron stands in the reeds.\n+ now:      1\tThe bittern",
  );
});

test("[PROV-08] another prompt, a conversation that continues, a damaged file and a missing one are each reported", async () => {
  const { cassette } = await recordIn(() => NOTE_SCRIPT, { "note.txt": NOTE }, "What does note.txt say?");
  using place = openPlace({ "note.txt": NOTE, "run.jsonl": cassette, "cut.jsonl": cassette.slice(0, -40) });
  const play = (prompt: string, file: string, ...more: readonly string[]) =>
    place.run(["-p", prompt, "--model", `replay:${file}`, ...WRITE, ...more]);
  const other = await play("What does it say?", "run.jsonl");
  const whole = await play("What does note.txt say?", "run.jsonl");
  const on = await play("And then?", "run.jsonl", "--continue");
  const cut = await play("What does note.txt say?", "cut.jsonl");
  const none = await play("What does note.txt say?", "none.jsonl");
  expect([other, whole, on, cut, none].map(({ code }) => code)).toEqual([1, 0, 1, 2, 2]);
  expect(other.stderr).toContain("- recorded: What does note.txt say?\n+ now:      What does it say?");
  expect(whole.stdout).toBe(NOTE);
  expect(on.stderr).toContain(
    "has no more answers: request 1 was never recorded. Record the session again. (CassetteExhausted)",
  );
  expect(cut.stderr).toContain(`${join(place.work, "cut.jsonl")} cannot be read at line 3: it is not JSON`);
  expect(none.stderr).toContain(`The cassette does not exist: ${join(place.work, "none.jsonl")}`);
});

test("[PROV-08 SES-05] neither the key nor a token in a file, a prompt or an answer reaches the recording", async () => {
  const { cassette, mode } = await recordIn(
    () => [
      calls("Read", { file_path: "env.txt" }),
      says(`The key is ${KEY}, the token ${TOKEN}.`, { deltaChars: 3 }),
    ],
    { "env.txt": `KEY=${KEY}\nTOKEN=${TOKEN}\n` },
    `What is in env.txt? It should be ${KEY}.`,
  );
  expect(cassette).not.toContain(KEY);
  expect(cassette).not.toContain(TOKEN);
  expect(cassette.match(/«redacted:[a-z-]+»/gi)?.length).toBeGreaterThanOrEqual(6);
  expect(mode).toBe(0o600);
});

test("[PROV-08] a run that gets no answer leaves an older recording as it was", async () => {
  using place = openPlace({ "run.jsonl": "old\n" });
  await using mock = startMockProvider({
    script: [fails({ kind: "status", status: 400, body: { error: { message: "no" } } })],
  });
  place.configure(mock.url);
  const { code } = await place.run(["-p", "x", "--model", "mock:one", "--record", "run.jsonl"]);
  expect(code).toBe(1);
  expect(readFileSync(join(place.work, "run.jsonl"), "utf8")).toBe("old\n");
});

test("[PROV-08] a recording that cannot be written ends the turn with its path", async () => {
  using place = openPlace({});
  await using mock = startMockProvider({ script: [calls("Bash", { command: "rm -r tapes" }), says("ok")] });
  place.configure(mock.url);
  const path = join(place.work, "tapes/run.jsonl");
  mkdirSync(join(place.work, "tapes"));
  const flags = ["--model", "mock:one", "--auto-approve"];
  const { code, stderr } = await place.run(["-p", "x", ...flags, "--record", path]);
  expect(code).toBe(1);
  expect(stderr).toContain(`The cassette ${path} cannot be written: `);
});

test("[DOC-01 PROV-08] the cassette in docs/cassettes.md is what is recorded, and plays", async () => {
  const [example] = blocksOf("docs/cassettes.md", readSource("docs/cassettes.md")).filter(
    ({ language }) => language === "jsonl",
  );
  const { cassette } = await recordIn(() => NOTE_SCRIPT, { "note.txt": NOTE }, "What does note.txt say?");
  // How long it took, and which tools there are by now, is not the document's business.
  const lasting = (text: string) =>
    text.replaceAll(/"ms":\d+/g, '"ms":0').replaceAll(/"tools":\[[^\]]*\]/g, '"tools":[]');
  expect(lasting(example?.text ?? "")).toBe(lasting(cassette));
  const tools = /"tools":\[[^\]]*\]/.exec(cassette)?.[0] ?? "";
  using place = openPlace({
    "note.txt": NOTE,
    "doc.jsonl": (example?.text ?? "").replaceAll(/"tools":\[[^\]]*\]/g, tools),
  });
  const played = await place.run(["-p", "What does note.txt say?", "--model", "replay:doc.jsonl", ...WRITE]);
  expect(played).toEqual({ code: 0, stdout: NOTE, stderr: KEPT, timedOut: false });
});

interface CassetteRig extends Disposable {
  readonly home: CinchHome;
  readonly work: string;
  configure(url: string): void;
  run(args: readonly string[], env?: Readonly<Record<string, string>>): ReturnType<typeof runCinch>;
}

/** A home with a folder to work in that holds these files. */
function openPlace(files: Readonly<Record<string, string>>, folder = "work"): CassetteRig {
  const home = cinchHome();
  const work = join(home.path, folder);
  mkdirSync(work, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(work, name), text);
  return {
    home,
    work,
    configure(url) {
      mkdirSync(join(home.path, "config/cinch"));
      writeFileSync(
        join(home.path, "config/cinch/config.toml"),
        `[providers.mock]\nkind = "openai-compatible"\nbase_url = "${url}/v1"\napi_key_env = "MOCK_KEY"\n`,
      );
    },
    run: (args, env = { MOCK_KEY: KEY }) => runCinch(args, { home, cwd: work, env }),
    [Symbol.dispose]: () => home[Symbol.dispose](),
  };
}

/** Records a run of a scripted model, in a home of its own that is gone afterwards. */
async function recordIn(
  script: (work: string) => readonly Turn[],
  files: Readonly<Record<string, string>>,
  prompt: string,
): Promise<{ readonly cassette: string; readonly home: string; readonly mode: number }> {
  using place = openPlace(files);
  await using mock = startMockProvider({ script: script(place.work), key: KEY });
  place.configure(mock.url);
  const path = join(place.home.path, "recorded.jsonl");
  const { code, stderr } = await place.run(["-p", prompt, "--model", "mock:one", "--record", path, ...WRITE]);
  expect({ code, stderr, recorded: existsSync(path) }).toEqual({ code: 0, stderr: "", recorded: true });
  const cassette = readFileSync(path, "utf8");
  expect(parseCassette(cassette, path).exchanges).toHaveLength(mock.requests.length);
  return { cassette, home: place.home.path, mode: statSync(path).mode & 0o777 };
}
