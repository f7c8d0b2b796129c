import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../../src/base/json.ts";
import { arrayAt, isObject, objectAt, parseJson, stringAt } from "../../src/base/json.ts";
import type { CinchHome, CinchResult } from "./cinch.ts";
import { cinchHome, runCinch, startCinch } from "./cinch.ts";
import type { MockProvider, MockRequest } from "./mock-provider/mock-provider.ts";
import { startMockProvider } from "./mock-provider/mock-provider.ts";
import type { Turn } from "./mock-provider/turn.ts";
import { calls, fails, says } from "./mock-provider/turn.ts";

const MODEL = ["--model", "mock:one", "--auto-approve"] as const;
const TIMEOUT_MS = 1_800_000;

/** A home, a directory to work in and a model that works with real tools, for sessions that live long. */
export interface LifeRig extends AsyncDisposable {
  readonly home: CinchHome;
  readonly work: string;
  readonly mock: MockProvider;
  /** Runs cinch with the model where that is wanted, its standard input being these lines. */
  cinch(args: readonly string[], lines?: readonly string[]): Promise<CinchResult>;
  /** Runs `cinch` and parses its output, one JSON object a line. */
  json(args: readonly string[]): Promise<readonly JsonObject[]>;
  /**
   * Sends lines to the line client until the model does not answer any more, does something while the process holds the
   * session, and kills it there.
   */
  killedAfter(lines: readonly string[], whileHeld: () => Promise<void>): Promise<number>;
  /** The words of a person in the last request: what the model still sees of the conversation. */
  sentWords(): readonly string[];
  /** From now on there is no model, and no word of one in the configuration. */
  withoutModel(): Promise<void>;
}

/**
 * The model writes a file of its own for `turn N` (a command for each tenth), says so, and stops in the middle of its
 * answer to `stall`.
 */
export function openLife(): LifeRig {
  const mock = startMockProvider({ script: answer });
  const home = cinchHome();
  const work = join(home.path, "work");
  const config = join(home.path, "config/cinch/config.toml");
  mkdirSync(join(home.path, "config/cinch"), { recursive: true });
  mkdirSync(work);
  // Nothing ends or is made shorter by itself here.
  const idle = '[session]\nidle_timeout = "0s"\n[compaction]\ncontext_tokens = 100_000_000\n';
  writeFileSync(
    config,
    `${idle}[providers.mock]\nkind = "anthropic"\nbase_url = "${mock.url}/v1"\n[prices."mock:one"]\ninput = 1\noutput = 1\n`,
  );
  const place = { home, cwd: work, timeoutMs: TIMEOUT_MS };
  let hasModel = true;
  const wholeArgs = (args: readonly string[]) =>
    args[0] === "sessions" && args[1] !== "resume" ? args : [...args, ...(hasModel ? MODEL : [])];
  const rig: LifeRig = {
    home,
    work,
    mock,
    cinch: (args, lines = []) =>
      runCinch(wholeArgs(args), { ...place, stdin: lines.map((line) => `${line}\n`).join("") }),
    async json(args) {
      const { code, stdout, stderr } = await rig.cinch([...args, "--json"]);
      if (code !== 0) throw new Error(`cinch ${args.join(" ")} ended with ${code}: ${stderr}`);
      return stdout.trimEnd().split("\n").map(objectOf);
    },
    async killedAfter(lines, whileHeld) {
      await using cinch = startCinch([...MODEL], place);
      const shown = drain(cinch.stdout);
      cinch.write([...lines, "stall"].map((line) => `${line}\n`).join(""));
      await mock.until(({ stalled }) => stalled > 0);
      await whileHeld();
      cinch.kill("SIGKILL");
      const code = await cinch.exited;
      await shown;
      return code;
    },
    sentWords: () => wordsIn(mock.requests.at(-1)),
    async withoutModel() {
      hasModel = false;
      writeFileSync(config, idle);
      await mock[Symbol.asyncDispose]();
    },
    async [Symbol.asyncDispose]() {
      await mock[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
  return rig;
}

export function fileOf(rig: Pick<LifeRig, "work">, turn: number): string | undefined {
  const path = join(rig.work, `turn-${turn}.txt`);
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

/** "turn FROM" to "turn TO". */
export function turnsFrom(from: number, to: number): readonly string[] {
  return Array.from({ length: to - from + 1 }, (_, at) => `turn ${from + at}`);
}

function answer(request: MockRequest): Turn {
  const last = arrayAt(request.body, "messages").at(-1);
  const blocks = arrayAt(last, "content");
  const asked = blocks.map((block) => stringAt(block, "text") ?? "").findLast((text) => text !== "") ?? "";
  if (blocks.some((block) => stringAt(block, "type") === "tool_result")) return says("It is done.");
  if (asked === "stall") return fails({ kind: "stall", at: "mid-event" });
  const turn = Number(/^turn (\d+)$/.exec(asked)?.[1] ?? 0);
  if (turn === 0) return says(`You said: ${asked}`);
  if (turn % 10 === 0) return calls("Bash", { command: `echo ${turn} > turn-${turn}.txt` });
  return calls("Write", { file_path: `turn-${turn}.txt`, content: `${turn}\n` });
}

function wordsIn(request: MockRequest | undefined): readonly string[] {
  return arrayAt(request?.body, "messages").flatMap((message) =>
    stringAt(message, "role") === "user"
      ? arrayAt(message, "content").flatMap((block) => stringAt(block, "text") ?? [])
      : [],
  );
}

function objectOf(line: string): JsonObject {
  const value = parseJson(line)?.value;
  if (!isObject(value)) throw new Error(`this is not a JSON object: ${line.slice(0, 200)}`);
  return value;
}

/** The text of an event of `replay --json`, whatever ids stand in it: what two logs are compared by. */
export function essence(envelope: JsonObject): readonly unknown[] {
  const payload = objectAt(envelope, "payload");
  const args = payload?.["args"];
  return [envelope["id"], envelope["kind"], envelope["ts"], payload?.["text"], payload?.["turn"], args];
}

async function drain(stream: AsyncIterable<string>): Promise<void> {
  for await (const _text of stream);
}
