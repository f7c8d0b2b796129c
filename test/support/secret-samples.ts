import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./source.ts";

/** A text from the tests of a published rule. */
export interface SecretSample {
  readonly rule: string;
  readonly text: string;
}

/** Reads files of `test/data/secrets`, named without their ending. */
export function secretSamples(...files: readonly string[]): readonly SecretSample[] {
  return files.flatMap((file) => {
    const rows = readFileSync(join(ROOT, "test/data/secrets", `${file}.tsv`), "utf8")
      .trim()
      .split("\n");
    return rows.slice(1).map((row) => {
      const [rule = "", encoded = ""] = row.split("\t");
      return { rule, text: unescaped(Buffer.from(encoded, "base64").toString("utf8")) };
    });
  });
}

/** Samples that hold a secret, of every published rule. */
export function secretPositives(): readonly SecretSample[] {
  return secretSamples("positives", "positives-rewritten", "positives-generated");
}

const MEANING: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\\": "\\" };

function unescaped(text: string): string {
  return text.replaceAll(/\\([ntr\\])/g, (_, letter: string) => MEANING[letter] ?? letter);
}
