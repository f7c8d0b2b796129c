import { PROTOCOL_VERSION } from "../protocol/version.ts";
import { neutraliseLine } from "../view/terminal/terminal-text.ts";
import type { ScenarioResult, ServerFacts } from "./run-scenarios.ts";

const WIRE_COLUMNS = 14;
const NAME_COLUMNS = 24;
const TOLD_CHARS_MAX = 2_000;

/** Report of a run, for programs. docs/conformance.md publishes its fields. */
export interface Report {
  /** Protocol version of the suite. */
  readonly suite: string;
  readonly against: string;
  readonly server: ServerFacts;
  readonly ok: boolean;
  readonly counts: Counts;
  readonly results: readonly ScenarioResult[];
}

export interface Counts {
  readonly ok: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Returns the report of a run. `ok` is false if no scenario ran. */
export function createReport(
  against: string,
  server: ServerFacts,
  results: readonly ScenarioResult[],
): Report {
  const counts = countsOf(results);
  const ok = counts.failed === 0 && counts.ok > 0;
  return { suite: PROTOCOL_VERSION, against, server, ok, counts, results };
}

export function renderReportHead(against: string, { protocolVersion }: ServerFacts): string {
  return `conformance suite ${PROTOCOL_VERSION}, protocol ${protocolVersion}, against ${neutraliseLine(against)}\n`;
}

/** Returns the lines of one scenario on one transport. A failure has the expected and the actual result. */
export function renderResult(walked: ScenarioResult): string {
  const { outcome, wire, scenario, promise, why, expected, got } = walked;
  const head = `${outcome.padEnd(7)}  ${wire.padEnd(WIRE_COLUMNS)}  ${scenario.padEnd(NAME_COLUMNS)}  `;
  if (outcome === "ok") return `${head}${promise}\n`;
  if (outcome === "skipped") return `${head}${safeText(why)}\n`;
  const lines = [`${head}${promise}`, `         checked: ${safeText(why)}`];
  if (expected !== undefined) lines.push(`         expected:  ${safeText(expected)}`);
  if (got !== undefined) lines.push(`         came:      ${safeText(got)}`);
  return `${lines.join("\n")}\n`;
}

export function renderSum(results: readonly ScenarioResult[]): string {
  const { ok, failed, skipped } = countsOf(results);
  return `${ok} ok, ${failed} failed, ${skipped} skipped\n`;
}

function countsOf(results: readonly ScenarioResult[]): Counts {
  const count = (wanted: ScenarioResult["outcome"]) =>
    results.filter(({ outcome }) => outcome === wanted).length;
  return { ok: count("ok"), failed: count("failed"), skipped: count("skipped") };
}

/** Neutralises and shortens an untrusted text of the server. */
function safeText(text = ""): string {
  const shown = neutraliseLine(text);
  return shown.length > TOLD_CHARS_MAX ? `${shown.slice(0, TOLD_CHARS_MAX)} …` : shown;
}
