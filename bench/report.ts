import type { Sampled } from "./statistics.ts";

/** The figure of two measured values that an aim limits. */
export type Comparison = "ratio" | "difference" | "alone";

/** One line of the table. */
export interface Row {
  readonly what: string;
  readonly unit: string;
  readonly cinch: Sampled;
  readonly bare?: Sampled;
  readonly comparison: Comparison;
  /** The figure may be at most this. Absent: told for orientation. */
  readonly aim?: number;
  /** Further values in the unit of the row, each by the title of its column; a ratio begins with ×. */
  readonly further?: Readonly<Record<string, number | undefined>>;
}

export interface Verdict extends Row {
  readonly figure: number;
  readonly met?: boolean;
}

export function judge(row: Row): Verdict {
  const figure = figureOf(row);
  return row.aim === undefined ? { ...row, figure } : { ...row, figure, met: figure <= row.aim };
}

function figureOf({ cinch, bare, comparison }: Row): number {
  if (comparison === "alone") return cinch.median;
  if (bare === undefined) throw new Error("there is nothing to compare with");
  return comparison === "ratio" ? cinch.median / bare.median : cinch.median - bare.median;
}

/** The rows as a table in Markdown, which is also one in a terminal. */
export function table(verdicts: readonly Verdict[]): string {
  const columns = [...new Set(verdicts.flatMap(({ further = {} }) => Object.keys(further)))];
  const lines = [
    ["", "cinch", "bare script", "figure", ...columns, "aim", "met"],
    ...verdicts.map((verdict) => [
      verdict.what,
      cell(verdict.cinch, verdict.unit),
      verdict.bare === undefined ? "" : cell(verdict.bare, verdict.unit),
      figureText(verdict),
      ...columns.map((column) => furtherText(verdict, column)),
      verdict.aim === undefined ? "" : `≤ ${aimText(verdict)}`,
      verdict.met === undefined ? "" : verdict.met ? "yes" : "NO",
    ]),
  ];
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  const text = lines.map((line) => `| ${line.map((part, i) => part.padEnd(widths[i] ?? 0)).join(" | ")} |`);
  const rule = `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`;
  return `${[text[0], rule, ...text.slice(1)].join("\n")}\n`;
}

/** The rows as a short table in Markdown: medians only. */
export function shortTable(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map((verdict) => {
    const { cinch, bare, unit, comparison } = verdict;
    const beside = bare === undefined ? "" : comparison === "ratio" ? `${figureText(verdict)} of ` : "";
    const of = bare === undefined ? "" : `${number(bare.median)} ${unit}`;
    const difference = bare !== undefined && comparison === "difference" ? ` (${figureText(verdict)})` : "";
    return `| ${verdict.what} | ${number(cinch.median)}${unit === "" ? "" : ` ${unit}`} | ${beside}${of}${difference} |\n`;
  });
  return `| what | cinch | beside the bare script |\n|---|---|---|\n${rows.join("")}`;
}

/** The median, and in brackets where the middle half of the samples lies. */
function cell({ median, low, high, samples }: Sampled, unit: string): string {
  const spread = samples > 1 ? ` (${number(low)}–${number(high)})` : "";
  return `${number(median)}${unit === "" ? "" : ` ${unit}`}${spread}`;
}

function furtherText({ further = {}, unit }: Verdict, column: string): string {
  const value = further[column];
  if (value === undefined) return "";
  return column.startsWith("×") ? `${number(value)}×` : `${number(value)} ${unit}`;
}

function figureText({ figure, comparison, unit }: Verdict): string {
  if (comparison === "ratio") return `${figure.toFixed(2)}×`;
  if (comparison === "alone") return "";
  return `${figure < 0 ? "−" : "+"}${number(Math.abs(figure))} ${unit}`;
}

function aimText({ aim = 0, comparison, unit }: Verdict): string {
  if (comparison === "ratio") return `${aim}×`;
  return `${comparison === "difference" ? "+" : ""}${aim.toLocaleString("en")}${unit === "" ? "" : ` ${unit}`}`;
}

function number(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 1_000) return Math.round(value).toLocaleString("en");
  return value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);
}
