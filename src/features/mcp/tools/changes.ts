import { encode, grouped } from "../../../base/text/text.ts";
import { boundedLines, changeLines } from "../../../guard/trust/review/describe.ts";
import { visibleLine } from "../../../safety/hidden.ts";
import type { ToolDefinition } from "./definition.ts";
import { stripMarks } from "./foreign-text.ts";

/** Names of omitted tools that are listed; a server may have thousands. */
const NAMES_MAX = 40;
/** Parts of a tool that are not shown count as well: the rest of a long description, its annotations. */
const UNUSED_PARTS_DIFFER = "[it differs in parts that cinch does not use]";

/**
 * Renders the differences between a server's tools and those that a person has approved, for that person to read
 * (MCP-04, S37).
 *
 * Removed and changed tools come first, with the differences of description and input schema, so that no number of
 * new tools hides a changed one. The output is bounded, and control characters in it are inert.
 */
export async function renderToolChanges(
  approved: ReadonlyMap<string, ToolDefinition>,
  now: readonly ToolDefinition[],
): Promise<readonly string[]> {
  const names = new Set(now.map(({ name }) => name));
  const others = now.filter(({ name, sha256 }) => approved.get(name)?.sha256 !== sha256);
  const [changed, came] = [true, false].map((known) =>
    others.filter(({ name }) => approved.has(name) === known),
  );
  const lines: string[] = [];
  const heads: { readonly at: number; readonly text: string }[] = [];
  const addSection = (name: string, what: string, body: readonly string[] = []) => {
    heads.push({ at: lines.length, text: `${visibleLine(name)} (${what})` });
    lines.push(`== ${visibleLine(name)}: ${what}`, ...body);
  };
  for (const name of approved.keys()) if (!names.has(name)) addSection(name, "gone");
  for (const tool of changed ?? [])
    addSection(tool.name, "changed", await linesOf(approved.get(tool.name), tool));
  for (const tool of came ?? []) addSection(tool.name, "new", await linesOf(undefined, tool));
  return boundedLines(lines, (missing) => {
    const unseen = heads.filter(({ at }) => at >= lines.length - missing);
    return restText(
      missing,
      unseen.map(({ text }) => text),
    );
  });
}

function restText(missing: number, heads: readonly string[]): string {
  const named = heads.slice(0, NAMES_MAX);
  const more = heads.length > named.length ? ` and ${grouped(heads.length - named.length)} more` : "";
  const of = named.length === 0 ? "" : `, of ${named.join(", ")}${more}`;
  return `[${grouped(missing)} lines more are not shown${of}]`;
}

async function linesOf(before: ToolDefinition | undefined, tool: ToolDefinition): Promise<readonly string[]> {
  const after = { bytes: encode(textOf(tool)), executable: false };
  if (before === undefined) return await changeLines({ path: "", after });
  const shown = textOf(before);
  if (shown === textOf(tool)) return [UNUSED_PARTS_DIFFER];
  return await changeLines({ path: "", before: { bytes: encode(shown), executable: false }, after });
}

function textOf({ description, inputSchema }: ToolDefinition): string {
  return `${stripMarks(description)}\n${JSON.stringify(inputSchema, undefined, 1)}\n`;
}
