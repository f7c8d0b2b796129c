import { decode, grouped, shortened } from "../../../base/text/text.ts";
import { visibleLine } from "../../../safety/hidden.ts";
import { scanForInjection } from "../../../safety/injection/injection-scan.ts";
import type { FileChange, TrustItem, TrustVerdict } from "../../../session/guard/trust.ts";
import { kindName } from "../ledger/item.ts";

const LINES_MAX = 400;
const TEXT_UNITS_MAX = 65_536;
const LINE_UNITS_MAX = 2_000;
const CONTEXT_LINES = 3;

/**
 * Describes an item for the person who is to acknowledge it: its kind and effect, suspicious parts, and its text, or
 * the difference to what they acknowledged before. Control and hidden characters are shown by name, runs of blanks by
 * their count, and what is cut for its length is mentioned (S61, S62).
 */
export async function describeItem(
  item: TrustItem,
  verdict: Exclude<TrustVerdict, { kind: "trusted" }>,
  shownPath: string,
): Promise<string> {
  const changes = verdict.kind === "changed" ? verdict.changes : item.files.map(added);
  const findings = changes.flatMap(({ after }) =>
    after?.bytes === undefined ? [] : scanForInjection(decode(after.bytes)),
  );
  const [first] = findings;
  return [
    `${visibleLine(shownPath)}: ${kindName(item.kind)} ${verdict.kind === "new" ? "that you have not acknowledged yet" : `that has changed since you acknowledged it (${verdict.class})`}.`,
    EFFECTS[item.kind],
    ...(first === undefined
      ? []
      : [`Looks like an attack (${findings.length}×): ${first.what}: “${visibleLine(first.excerpt)}”`]),
    "",
    ...(await bodyOf(changes)),
  ].join("\n");
}

const EFFECTS: Readonly<Record<TrustItem["kind"], string>> = {
  "context-file": "Its text goes to the model with every request, marked as foreign.",
  skill: "The model may take instructions from it and run its scripts.",
  "alias-file": "It gives short names to commands that you type.",
  hook: "It is run on your machine, as you.",
  config: "It restricts what may be done in this project; it can allow nothing.",
  profile: "It sets what a session is made of.",
  "permission-preset": "It restricts what may be done in this project; it can allow nothing.",
  mcp: "It names programs that are started on your machine, as you.",
  agent: "It instructs a sub-agent.",
  plugin: "It is run inside cinch, as you: it can do whatever you can, and is asked for nothing.",
  "prompt-template": "It is text that you can send to the model by its name.",
};

function added({ path, bytes, executable }: TrustItem["files"][number]): FileChange {
  return { path, after: { bytes, executable } };
}

async function bodyOf(changes: readonly FileChange[]): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const change of changes) {
    if (change.path !== "") lines.push(`== ${visibleLine(change.path)}`);
    lines.push(...(await changeLines(change)));
  }
  return boundedLines(lines, (missing) => `[${grouped(missing)} lines more are not shown: open the file]`);
}

/** Returns as many lines as a person is shown at once, followed by the count of missing ones if there are any. */
export function boundedLines(lines: readonly string[], rest: (missing: number) => string): readonly string[] {
  const shown: string[] = [];
  let units = 0;
  for (const line of lines.slice(0, LINES_MAX)) {
    units += line.length;
    if (units > TEXT_UNITS_MAX) break;
    shown.push(line);
  }
  const missing = lines.length - shown.length;
  return missing === 0 ? shown : [...shown, rest(missing)];
}

/** Renders one change line by line: removed and added lines with their context, made readable. */
export async function changeLines({ before, after }: FileChange): Promise<readonly string[]> {
  const mode = modeLine(before?.executable, after?.executable);
  if (after === undefined) return [...mode, "[this file has gone]"];
  if (after.bytes.includes(0)) return [...mode, `[binary, ${grouped(after.bytes.length)} bytes]`];
  const text = decode(after.bytes);
  const whole = () => tidy(text.replace(/\n$/, "").split("\n"), "+");
  if (before === undefined) return [...mode, ...whole()];
  if (before.bytes === undefined)
    return [...mode, "[what it was before is not kept; this is all of it]", ...whole()];
  const { hunksOf } = await import("../../../base/text/diff/hunks.ts");
  const changed = hunksOf(decode(before.bytes), text, CONTEXT_LINES).flatMap(
    ({ old_start, new_start, lines }) => [`@@ -${old_start} +${new_start} @@`, ...tidy(lines)],
  );
  return [...mode, ...(changed.length === 0 && mode.length === 0 ? ["[only line ends differ]"] : changed)];
}

function modeLine(before: boolean | undefined, after: boolean | undefined): readonly string[] {
  if (after === true && before !== true) return ["[it is executable now]"];
  return before === true && after === false ? ["[it is no longer executable]"] : [];
}

/** Makes lines readable: nothing controls a terminal, and blank space cannot push anything out of sight. */
function tidy(lines: readonly string[], sign = ""): readonly string[] {
  const shown: string[] = [];
  let empty = 0;
  const tellEmpty = () => {
    if (empty > 3) shown.push(`[${grouped(empty)} empty lines]`);
    else shown.push(...Array.from({ length: empty }, () => sign));
    empty = 0;
  };
  for (const line of lines) {
    const isEmpty = /^[ +-]?\s*$/.test(line);
    if (isEmpty && (sign !== "" || !/^[+-]/.test(line))) {
      empty += 1;
      continue;
    }
    tellEmpty();
    shown.push(sign + readable(line));
  }
  tellEmpty();
  return shown;
}

function readable(line: string): string {
  const plain = line.replace(/\r$/, "").replaceAll("\t", "    ");
  const dense = plain.replaceAll(/(?<=\S) {20,}(?=\S)/g, (run) => ` [${run.length} blanks] `);
  const shown = shortened(visibleLine(dense), LINE_UNITS_MAX);
  return shown.length < dense.length && dense.length > LINE_UNITS_MAX
    ? `${shown} [${grouped(dense.length - LINE_UNITS_MAX)} characters more]`
    : shown;
}
