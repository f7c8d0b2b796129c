import { expect } from "bun:test";
import { startEngineIn } from "../support/both-ways.ts";
import type { CinchResult, RunningCinch } from "../support/cinch.ts";
import { cinchPath } from "../support/cinch.ts";
import { openMockHome } from "../support/mock-home.ts";
import { fails } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";

// A prompt in a running engine that is stopped, killed, or hangs in the middle of a turn.

const TIMEOUT_MS = 300_000;
const test = requireProgram("bash");
const FORMATS = ["text", "json", "stream-json"] as const;
type Format = (typeof FORMATS)[number];

/** Text before a call, after which the model says nothing more. */
const SAID = "I shall look.";
const STOPPED = "the running engine that carried out the prompt was stopped";

interface Broken {
  readonly format: Format;
  readonly words?: readonly string[];
  /** Acts in the middle of the turn. */
  readonly act: (engine: { kill(signal: NodeJS.Signals): void }, client: RunningCinch) => void;
}

/** Runs a prompt, acts in the middle of its turn, and returns how it ended. */
async function outcomeOf({ format, words = [], act }: Broken): Promise<Omit<CinchResult, "timedOut">> {
  const looks = { tool: "Ls", input: { path: "." } };
  const saysAndLooks = { parts: [{ text: SAID }, looks] };
  // A round is shown once the next request has left: the text of the first has come before the third request.
  const script = [saysAndLooks, { parts: [looks] }, fails({ kind: "stall", at: "first-byte" })];
  await using place = openMockHome(script);
  await using engine = await startEngineIn(place);
  try {
    await using client = place.start(["-p", "go", "--output-format", format, ...words]);
    client.closeStdin();
    await place.provider.until(({ stalled }) => stalled === 1);
    const output = client.stdout[Symbol.asyncIterator]();
    let stdout = "";
    const read = async (isEnough: () => boolean) => {
      while (!isEnough()) {
        const { done, value } = await output.next();
        if (done === true) return;
        stdout += value;
      }
    };
    // The other formats print nothing before the end. A text may come in several pieces.
    if (format === "stream-json") await read(() => textIn(format, wholeLines(stdout)) === SAID);
    act(engine, client);
    const [code, stderr] = await Promise.all([client.exited, client.stderr, read(() => false)]);
    return { code, stdout, stderr };
  } finally {
    engine.kill("SIGCONT");
  }
}

const wholeLines = (text: string) => text.slice(0, text.lastIndexOf("\n") + 1);

const linesOf = (stdout: string) =>
  stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

/** Returns the text of the answer that an output has. */
function textIn(format: Format, stdout: string): string {
  if (format === "text") return stdout.trimEnd();
  const [first] = linesOf(stdout);
  if (format === "json") return first?.result;
  const deltas = linesOf(stdout).filter(({ kind }) => kind === "TextDelta");
  return deltas.map(({ payload }) => payload.text).join("");
}

for (const format of FORMATS) {
  test(
    `[REL-01 LIFE-02] a prompt whose running engine is stopped is cancelled: it gets the last events, and says so (${format})`,
    async () => {
      for (const signal of ["SIGTERM", "SIGINT"] as const) {
        const { code, stdout, stderr } = await outcomeOf({ format, act: (engine) => engine.kill(signal) });
        expect([code, textIn(format, stdout)]).toEqual([130, SAID]);
        expect(stderr).toContain(STOPPED);
        expect(stderr).not.toContain("EngineLost");
        if (format === "json")
          expect(linesOf(stdout)).toMatchObject([{ turns: 3, stop_reason: "cancelled" }]);
        if (format === "stream-json")
          expect(linesOf(stdout).at(-1)).toMatchObject({
            kind: "TurnEnded",
            payload: { reason: "cancelled" },
          });
      }
    },
    TIMEOUT_MS,
  );

  test(
    `[REL-01] a prompt whose running engine is killed fails, with what it had received (${format})`,
    async () => {
      const { code, stdout, stderr } = await outcomeOf({ format, act: (engine) => engine.kill("SIGKILL") });
      expect(stderr).toContain("(EngineLost)");
      expect([code, textIn(format, stdout)]).toEqual([1, SAID]);
      expect(stderr).not.toContain(STOPPED);
    },
    TIMEOUT_MS,
  );

  test(
    `[REL-01 LIFE-02] the first signal leads out of a running engine that hangs in a turn (${format})`,
    async () => {
      const signal = format === "json" ? "SIGINT" : "SIGTERM";
      const { code, stdout } = await outcomeOf({
        format,
        act(engine, client) {
          engine.kill("SIGSTOP");
          client.kill(signal);
        },
      });
      const text = textIn(format, stdout);
      // The signal may come before the client has read what the engine has sent.
      const hasRead = format === "stream-json" || text !== "";
      expect([code, text]).toEqual([130, hasRead ? SAID : ""]);
    },
    TIMEOUT_MS,
  );
}

test(
  "[ENG-29 REL-01] --max-time leads out of a running engine that hangs in a turn",
  async () => {
    const words = ["--max-time", "20s"];
    const { code, stdout, stderr } = await outcomeOf({
      format: "json",
      words,
      act: (engine) => engine.kill("SIGSTOP"),
    });
    expect([code, textIn("json", stdout)]).toEqual([4, SAID]);
    expect(stderr).toContain("(TimeLimitReached)");
  },
  TIMEOUT_MS,
);

test(
  "[ENG-29 REL-01] --max-time holds for an engine that hangs before it has taken the prompt",
  async () => {
    await using place = openMockHome([]);
    await using engine = await startEngineIn(place);
    engine.kill("SIGSTOP");
    try {
      const words = ["-p", "go", "--max-time", "1s", "--output-format", "json"];
      const { code, stdout, stderr } = await place.run(words);
      expect(code).toBe(4);
      expect(linesOf(stdout)).toMatchObject([{ error: { reason: "TimeLimitReached" } }]);
      expect(stderr).toContain("(TimeLimitReached)");
    } finally {
      engine.kill("SIGCONT");
    }
  },
  TIMEOUT_MS,
);

// Seen red: the wait for the engine, of ten seconds, did not count.
test(
  "[ENG-29 REL-01] --max-time counts the wait for an engine that is silent, after which the prompt has its own engine",
  async () => {
    await using place = openMockHome([fails({ kind: "stall", at: "first-byte" })]);
    await using engine = await startEngineIn(place);
    engine.kill("SIGSTOP");
    try {
      const beganMs = performance.now();
      const { code, stderr } = await place.run(["-p", "--max-time", "12s"], { stdin: "go" });
      expect([code, stderr]).toEqual([4, expect.stringContaining("time limit (12s)")]);
      expect(performance.now() - beganMs).toBeLessThan(10_000 + 12_000);
    } finally {
      engine.kill("SIGCONT");
    }
  },
  TIMEOUT_MS,
);

test(
  "[REL-01 CLI-01] a disk that is full does not hide why a prompt failed in its turn",
  async () => {
    await using place = openMockHome([fails({ kind: "stall", at: "first-byte" })]);
    await using engine = await startEngineIn(place);
    const words = ["-p", "go", "--output-format", "json"];
    // The same environment as the engine's: else it is not shared.
    const shell = Bun.spawn(["sh", "-c", '"$0" "$@" > /dev/full', cinchPath(), ...words], {
      cwd: place.work,
      env: { PATH: process.env["PATH"], TMPDIR: process.env["TMPDIR"], LANG: "C.UTF-8", ...place.home.env },
      stdin: "ignore",
      stderr: "pipe",
    });
    await place.provider.until(({ stalled }) => stalled === 1);
    engine.kill("SIGKILL");
    const stderr = await new Response(shell.stderr).text();
    expect(stderr).toMatch(
      /^cinch: Standard output cannot be written: ENOSPC[^\n]+\n(?:cinch: .*\n)*.*\(EngineLost\)\n$/,
    );
    expect(await shell.exited).toBe(1);
  },
  TIMEOUT_MS,
);
