import { hunksOf, unifiedHunks } from "../../../base/text/diff/hunks.ts";
import type { Cost } from "../../../view/costs/cost.ts";
import { printTokens } from "../../../view/costs/cost.ts";
import { neutralise, neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import type { Palette } from "./palette.ts";
import type { Change, CheckOutcome } from "./project.ts";
import { CHECK } from "./project.ts";
import type { Stage } from "./stage.ts";
import { PROMPT } from "./stage.ts";
import { wrapped } from "./wrap.ts";

const LABEL = 9;
const LAST_LINES = 3;

/** Width and colours of the texts around the turn. */
export interface Layout {
  readonly columns: number;
  readonly palette: Palette;
}

/** Returns the text before the turn: the folder and the permissions. */
export function openingText({ project }: Stage, { columns, palette }: Layout): string {
  const command = CHECK.join(" ");
  return [
    wrapped("A recorded model finds and fixes a bug, with real tools. No key, no network.", columns),
    "\n",
    row("Folder", `${neutraliseLine(project)} (a copy)`, palette),
    row("Allowed", `reading, edits in this folder, and one command: ${command}`, palette),
    row("Refused", "whatever else would ask for permission", palette),
    `\n${palette.bold("You ask:")}\n`,
    wrapped(PROMPT, columns),
  ].join("");
}

/** Returns the text after the turn: the change, the tests and the facts. */
export interface Ending {
  readonly changes: readonly Change[];
  readonly check: CheckOutcome;
  readonly cost: Cost;
  readonly session: string;
  readonly stage: Stage;
  /** Folder of the session, unless it is the user's own store. */
  readonly ownStore?: string;
}

export function closingText(ending: Ending, layout: Layout): string {
  const { check, cost, session, stage, ownStore } = ending;
  const { palette, columns } = layout;
  const verdict = check.passed ? palette.good("they pass") : palette.bad("they fail");
  const store =
    ownStore === undefined
      ? "in your session store, like any other"
      : `in ${neutraliseLine(ownStore)}, for want of a store that can be used`;
  return [
    `\n${palette.bold("What changed")}\n`,
    diffText(ending.changes, palette),
    `\n${palette.bold(`${CHECK.join(" ")}, run once more by this demo itself`)}\n`,
    ...lastLines(check.output).map((line) => `  ${line}\n`),
    "\n",
    row("Tests", verdict, palette),
    row("Cost", `$0.00 now; recorded: about ${printTokens(cost)}`, palette),
    row("Session", session, palette),
    row("", store, palette),
    leftText(stage, layout),
    `\n${truth(columns)}`,
  ].join("");
}

/** Returns the text after the error of a recording that does not fit. */
export function mismatchText({ stage }: Pick<Ending, "stage">, { columns, palette }: Layout): string {
  const why =
    "A recorded model answers only to what it was recorded for. What the tools really found here was something else, so the recording stops instead of pretending.";
  return `\n${wrapped(why, columns)}\n${leftText(stage, { palette })}`;
}

/** Returns the text about the folder, which stays until the user removes it. */
export function leftText({ project, folder }: Stage, { palette }: Pick<Layout, "palette">): string {
  const plain = /^[\w@%+=:,./-]+$/.test(folder);
  const word = plain ? folder : `'${folder.replaceAll("'", "'\\''")}'`;
  return [
    row("Folder", `${neutraliseLine(project)} (left for you to look at)`, palette),
    row("Remove", `rm -r ${neutraliseLine(word)}`, palette),
  ].join("");
}

function truth(columns: number): string {
  return wrapped(
    "The model's words were recorded beforehand; the tools, the permissions, the session log and all the rest were real.",
    columns,
  );
}

function row(label: string, text: string, { dim }: Palette): string {
  return `  ${dim(label.padEnd(LABEL))}${text}\n`;
}

/** Returns a unified diff with one line of context. */
function diffText(changes: readonly Change[], { good, bad, dim }: Palette): string {
  if (changes.length === 0) return "  nothing\n";
  const paint = (line: string) => {
    if (/^(?:---|\+\+\+|@@)/.test(line)) return dim(line);
    return line.startsWith("+") ? good(line) : line.startsWith("-") ? bad(line) : line;
  };
  return changes
    .map(({ path, before, after }) => {
      const patch = `--- a/${path}\n+++ b/${path}\n${unifiedHunks(hunksOf(before, after, 1))}`;
      return neutralise(patch)
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => `  ${paint(line.trimEnd())}\n`)
        .join("");
    })
    .join("");
}

function lastLines(output: string): readonly string[] {
  return neutralise(output.trimEnd()).split("\n").slice(-LAST_LINES);
}
