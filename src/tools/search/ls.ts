import { unreachable } from "../../base/assert.ts";
import { sizeText } from "../../base/text/size-text.ts";
import type { SizedEntry } from "../../base/world.ts";
import type { InputOf } from "../arguments.ts";
import { textOutput } from "../output.ts";
import type { ResolvedPath } from "../paths.ts";
import { escapeControls, fileFailure, pathPlan, resolvePath } from "../paths.ts";
import type { CallPlan, Tool } from "../tool.ts";
import { ToolFailure } from "../tool.ts";
import type { ToolFacts } from "../tool-facts.ts";

const ENTRIES_MAX = 500;

interface LsPlan extends CallPlan {
  readonly directory: ResolvedPath;
}

export const LS_FACTS: ToolFacts = {
  name: "Ls",
  otherNames: ["LS"],
  packs: ["fs"],
  effect: "searches-files",
  subject: "path",
  mutating: false,
  level: "ReadOnly",
  autoAllowed: "known-reads",
  output: "own",
  kind: "search",
  inSubAgents: "granted",
};

const INPUT = { type: "object", properties: { path: { type: "string" } } } as const;

/** Lists one directory, hidden and ignored entries included (TOOL-03). */
export const lsTool: Tool<LsPlan> = {
  ...LS_FACTS,
  description: "Lists one directory with kinds and sizes.",
  aliases: { directory: "path", dir: "path", dir_path: "path" },
  inputSchema: INPUT,
  async plan(input, context) {
    const { path = "." } = input as InputOf<typeof INPUT>;
    const directory = await resolvePath(path, context);
    return { ...pathPlan("Ls", directory, ["read"]), directory };
  },
  async run({ directory }, context) {
    const { files } = context.world;
    try {
      const info = await files.lstat(directory.path);
      if (info === undefined)
        throw new ToolFailure(`There is no directory ${escapeControls(directory.shown)}`);
      if (info.kind !== "directory") throw new ToolFailure(`${directory.shown} is not a directory: use Read`);
      context.signal.throwIfAborted();
      return textOutput(listing(await files.listResolved(directory.path, ENTRIES_MAX)));
    } catch (thrown) {
      throw fileFailure(thrown, directory.shown);
    }
  },
};

function listing(entries: readonly SizedEntry[]): string {
  if (entries.length === 0) return "(empty)";
  const lines = entries.slice(0, ENTRIES_MAX).map(line);
  const more = entries.length - lines.length;
  return more > 0 ? `${lines.join("\n")}\n[${more} more entries]` : lines.join("\n");
}

function line(entry: SizedEntry): string {
  const name = escapeControls(entry.name);
  switch (entry.kind) {
    case "directory":
      return `${name}/`;
    case "symlink":
      return `${name} (link)`;
    case "other":
      return `${name} (device, pipe or socket)`;
    case "file":
      return entry.size === undefined ? name : `${name} (${sizeText(entry.size)})`;
    default:
      return unreachable(entry.kind);
  }
}
