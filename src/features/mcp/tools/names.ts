import { encode } from "../../../base/text/text.ts";
import { sha256 } from "../../../guard/trust/ledger/item.ts";
import type { ToolNames } from "../../../tools/server-tool.ts";
import { mapped, toolPrefix } from "../../../tools/server-tool.ts";
import type { Definition } from "./definition.ts";

const NAME_CHARACTERS_MAX = 64;
const DISTINCTION_CHARACTERS = 8;

/**
 * The names under which the tools of one server are known here, in the order of the tools: `mcp__SERVER__TOOL`, at most 64
 * characters.
 *
 * A name that had to be cut, and one that another tool of the server maps to as well, ends in a part of its own hash, so
 * that it is the same whatever else the server offers; a name that needs no mapping stays as it is.
 */
export function toolNames(server: string, tools: readonly string[]): readonly string[] {
  const prefix = toolPrefix(server);
  const own = new Set(tools.filter((tool) => mapped(tool) === tool && fits(prefix + tool)));
  const times = new Map<string, number>();
  for (const tool of tools) times.set(mapped(tool), (times.get(mapped(tool)) ?? 0) + 1);
  return tools.map((tool) => {
    const plain = mapped(tool);
    const isAlone = own.has(tool) || (times.get(plain) === 1 && !own.has(plain));
    return isAlone && fits(prefix + plain) ? prefix + plain : distinct(prefix, tool);
  });
}

/** A tool with its names. */
export interface NamedTool extends Required<ToolNames> {
  readonly definition: Definition;
}

/** The tools of one server with the names that they have here, and in the server's own spelling. */
export function namedTools(server: string, tools: readonly Definition[]): readonly NamedTool[] {
  const own = tools.map(({ name }) => name);
  const names = toolNames(server, own);
  return tools.map((definition, at) => ({
    definition,
    name: names[at] ?? "",
    spelled: `${toolPrefix(server)}${definition.name}`,
  }));
}

/**
 * The names that a person types for the prompts of one server, in their order: as the server has them, with `_` for what no
 * command has in its name. Two that would be the same are told apart as tools are.
 */
export function promptNames(prompts: readonly string[]): readonly string[] {
  const typed = (name: string) => name.replaceAll(/[^A-Za-z0-9_.-]/g, "_");
  const own = new Set(prompts.filter((name) => typed(name) === name));
  return prompts.map((name) => {
    const plain = typed(name);
    const isTaken = own.has(plain) || prompts.some((other) => other !== name && typed(other) === plain);
    return own.has(name) || !isTaken ? plain : `${plain}_${markOf(name)}`;
  });
}

function fits(name: string): boolean {
  return name.length <= NAME_CHARACTERS_MAX;
}

function distinct(prefix: string, tool: string): string {
  const hash = markOf(tool);
  const room = NAME_CHARACTERS_MAX - prefix.length - hash.length - 1;
  return `${prefix}${mapped(tool).slice(0, room)}_${hash}`;
}

function markOf(name: string): string {
  return sha256(encode(name.toWellFormed())).slice(0, DISTINCTION_CHARACTERS);
}
