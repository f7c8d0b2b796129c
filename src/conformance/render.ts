import { PROTOCOL_VERSION } from "../protocol/version.ts";
import { neutraliseLine } from "../view/terminal/terminal-text.ts";
import type { ServerFacts, Walked } from "./walk.ts";

const WIRE_COLUMNS = 14;
const NAME_COLUMNS = 24;
const TOLD_CHARS_MAX = 2_000;

/** What was walked, and how it went, for programs. The fields are part of what docs/conformance.md publishes. */
export interface Report {
  /** The version of the protocol that the suite was made for. */
  readonly suite: string;
  readonly against: string;
  readonly server: ServerFacts;
  readonly ok: boolean;
  readonly counts: Counts;
  readonly results: readonly Walked[];
}

export interface Counts {
  readonly ok: number;
  readonly failed: number;
  readonly skipped: number;
}

/** What was walked as one object. Nothing that was walked is no success. */
export function report(against: string, server: ServerFacts, results: readonly Walked[]): Report {
  const counts = countsOf(results);
  const ok = counts.failed === 0 && counts.ok > 0;
  return { suite: PROTOCOL_VERSION, against, server, ok, counts, results };
}

export function headLine(against: string, { protocolVersion }: ServerFacts): string {
  return `conformance suite ${PROTOCOL_VERSION}, protocol ${protocolVersion}, against ${neutraliseLine(against)}\n`;
}

/** One scenario on one wire: how it went, and where it failed what was expected and what came. */
export function resultLines(walked: Walked): string {
  const { outcome, wire, scenario, promise, why, expected, got } = walked;
  const head = `${outcome.padEnd(7)}  ${wire.padEnd(WIRE_COLUMNS)}  ${scenario.padEnd(NAME_COLUMNS)}  `;
  if (outcome === "ok") return `${head}${promise}\n`;
  if (outcome === "skipped") return `${head}${told(why)}\n`;
  const lines = [`${head}${promise}`, `         looked at: ${told(why)}`];
  if (expected !== undefined) lines.push(`         expected:  ${told(expected)}`);
  if (got !== undefined) lines.push(`         came:      ${told(got)}`);
  return `${lines.join("\n")}\n`;
}

export function sumLine(results: readonly Walked[]): string {
  const { ok, failed, skipped } = countsOf(results);
  return `${ok} ok, ${failed} failed, ${skipped} skipped\n`;
}

function countsOf(results: readonly Walked[]): Counts {
  const count = (wanted: Walked["outcome"]) => results.filter(({ outcome }) => outcome === wanted).length;
  return { ok: count("ok"), failed: count("failed"), skipped: count("skipped") };
}

/** What a foreign server said is foreign text. */
function told(text = ""): string {
  const shown = neutraliseLine(text);
  return shown.length > TOLD_CHARS_MAX ? `${shown.slice(0, TOLD_CHARS_MAX)} …` : shown;
}
