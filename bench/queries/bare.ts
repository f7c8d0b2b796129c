import { Database } from "bun:sqlite";
import { createInterface } from "node:readline";
import type { BareRead } from "./cases.ts";

/**
 * Reads the bare database with bun:sqlite alone, as a line of input says: `{"sql": …, "values": […], "runs": N}`;
 * prints the milliseconds of each run. Nothing is unsealed, checked against rights, folded or redacted.
 *
 *     bun bench/queries/bare.ts PATH
 */
const RUNS_MS_MAX = 4_000;
const RUNS_MIN = 3;
const database = new Database(Bun.argv[2] ?? "", { readonly: true });
tell({});
for await (const line of createInterface({ input: process.stdin })) tell(times(JSON.parse(line)));

function times({ sql, values, runs }: BareRead & { readonly runs: number }): readonly number[] {
  const ms: number[] = [];
  const endMs = performance.now() + RUNS_MS_MAX;
  while (ms.length < runs && (ms.length < RUNS_MIN || performance.now() < endMs)) {
    const startMs = performance.now();
    const rows = database.query(sql).all(...values) as { readonly payload?: string }[];
    for (const { payload } of rows) if (payload !== undefined) JSON.parse(payload);
    ms.push(performance.now() - startMs);
    if (runs === 1) break;
  }
  return ms;
}

function tell(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
