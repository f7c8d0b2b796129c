import { encode, grouped } from "../base/text.ts";
import { visible } from "../trust/hidden.ts";
import { changeLines } from "../trust/ledger/describe.ts";
import type { Definition } from "./definition.ts";
import { unmarked } from "./foreign-text.ts";

const LINES_MAX = 300;
const CHARACTERS_MAX = 30_000;
/** What is not shown of a tool counts too: the rest of a long description, what it says of its safety. */
const UNSEEN = "[it differs in what cinch does not take over of it]";

/**
 * What a server's tools say now, held against what a person has approved, for that person to read (MCP-04, S37): what came,
 * what went, and of what changed the difference of description and input schema. Bounded, and nothing in it acts.
 */
export async function toolChanges(
  approved: ReadonlyMap<string, Definition>,
  now: readonly Definition[],
): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const tool of now) {
    const before = approved.get(tool.name);
    if (before?.sha256 === tool.sha256) continue;
    lines.push(`== ${visible(tool.name)}: ${before === undefined ? "new" : "changed"}`);
    lines.push(...(await linesOf(before, tool)));
  }
  const names = new Set(now.map(({ name }) => name));
  for (const name of approved.keys()) if (!names.has(name)) lines.push(`== ${visible(name)}: gone`);
  return bounded(lines);
}

async function linesOf(before: Definition | undefined, tool: Definition): Promise<readonly string[]> {
  const after = { bytes: encode(textOf(tool)), executable: false };
  if (before === undefined) return await changeLines({ path: "", after });
  const shown = textOf(before);
  if (shown === textOf(tool)) return [UNSEEN];
  return await changeLines({ path: "", before: { bytes: encode(shown), executable: false }, after });
}

function textOf({ description, inputSchema }: Definition): string {
  return `${unmarked(description)}\n${JSON.stringify(inputSchema, undefined, 1)}\n`;
}

function bounded(lines: readonly string[]): readonly string[] {
  const shown: string[] = [];
  let characters = 0;
  for (const line of lines.slice(0, LINES_MAX)) {
    characters += line.length;
    if (characters > CHARACTERS_MAX) break;
    shown.push(line);
  }
  const missing = lines.length - shown.length;
  return missing === 0 ? shown : [...shown, `[${grouped(missing)} lines more are not shown]`];
}
