import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { CallId } from "../src/base/ids.ts";
import { Redaction } from "../src/engine/bus/redaction.ts";
import { redactor } from "../src/safety/redact.ts";
import type { Row } from "./report.ts";
import { sampled } from "./statistics.ts";

const DATA = resolve(import.meta.dir, "../test/data");
const TEXT_CHARACTERS = 4_000_000;
const CALLS = 400;
const OUTPUT_CHARACTERS = 32_768;
const HOSTILE_CHARACTERS = 1_000_000;
/** Texts that make each place look like the beginning of a secret. */
const HOSTILE = [
  ...["eyJx-", "sk-", "Bearer ", "-----BEGIN ", "xoxb-1-", "SG.", "password=", 'password="', "token: "],
  ...[
    "://a:b",
    "://a:b@",
    " -u a:",
    "key key: ",
    'name: "a_token" value=',
    "data:\n a:",
    "://",
    "::::",
    "A: B = ",
  ],
];

/** Measures what redaction finds and costs (SES-05, R06), from source, in this process. */
export async function measureRedaction(): Promise<readonly Row[]> {
  const plain = redactor([]);
  const texts = [...filesBelow("agents-md"), ...filesBelow("skills")];
  const whole = repeated(texts.join("\n"), TEXT_CHARACTERS);
  plain.text(whole.slice(0, 500_000)); // compiled
  const speeds = Array.from(
    { length: 5 },
    () => whole.length / 1e6 / (timed(() => plain.text(whole)) / 1_000),
  );

  // A result passes twice: where it leaves its tool, and where it is told.
  const perCall: number[] = [];
  for (let call = 0; call < CALLS; call++) {
    const text = whole.slice(call * 9_000, call * 9_000 + OUTPUT_CHARACTERS);
    const args = { file_path: "src/index.ts", content: text.slice(0, 4_096) };
    const started = { callId: "call_x" as CallId, tool: "Write", args, mutating: true };
    // The least of three: the machine has other work, and a text takes what it takes.
    perCall.push(
      least(() => {
        const redaction = new Redaction(plain);
        redaction.event({ kind: "ToolCallStarted", payload: started });
        return redaction.output(redaction.output({ content: [{ type: "text", text }] }));
      }),
    );
  }
  const hostile = HOSTILE.map((seed) => {
    const text = repeated(seed, HOSTILE_CHARACTERS);
    return Math.min(
      timed(() => plain.text(text)),
      timed(() => plain.text(text)),
    );
  });
  const stream = plain.stream();
  const deltas = whole.slice(0, 1_000_000).match(/[\s\S]{1,12}/g) ?? [];
  const perDelta = (timed(() => deltas.map((delta) => stream.push(delta))) / deltas.length) * 1_000;
  const positives = ["positives", "positives-rewritten", "positives-generated"].flatMap(samples);
  const negatives = samples("negatives");
  const found = positives.filter((text) => plain.text(text) !== text).length;
  const alarms = negatives.filter((text) => plain.text(text) !== text).length;
  const touched = texts.filter((text) => plain.text(text) !== text).length;
  return [
    row("redaction: ordinary text, MB a second", "", speeds),
    row("redaction: one tool call, 4 KB in and 32 KB out", "ms", perCall),
    row("redaction: the same, slowest of a hundred", "ms", [percentile(perCall, 0.99)]),
    row("redaction: 1 MB of the worst hostile text", "ms", [Math.max(...hostile)]),
    row("redaction: one delta of a stream", "µs", [perDelta]),
    row(`redaction: found of ${positives.length} samples of secrets`, "", [found]),
    row(`redaction: seen in ${negatives.length} samples that one rule leaves alone`, "", [alarms]),
    row(`redaction: changed of ${texts.length} real instruction files and skills`, "", [touched]),
  ];
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(join(DATA, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"));
}

function samples(file: string): readonly string[] {
  const rows = readFileSync(join(DATA, "secrets", `${file}.tsv`), "utf8")
    .trim()
    .split("\n")
    .slice(1);
  return rows.map((line) => {
    const [, encoded = ""] = line.split("\t");
    const text = Buffer.from(encoded, "base64").toString("utf8");
    const meaning: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\\": "\\" };
    return text.replaceAll(/\\([ntr\\])/g, (_all, letter: string) => meaning[letter] ?? letter);
  });
}

function repeated(text: string, characters: number): string {
  return text.repeat(Math.ceil(characters / text.length)).slice(0, characters);
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function least(work: () => unknown): number {
  return Math.min(timed(work), timed(work), timed(work));
}

function timed(work: () => unknown): number {
  const startMs = performance.now();
  work();
  return performance.now() - startMs;
}

function row(what: string, unit: string, values: readonly number[]): Row {
  return { what, unit, cinch: sampled(values), comparison: "alone" };
}
