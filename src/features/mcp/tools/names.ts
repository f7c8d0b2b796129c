import { encode } from "../../../base/text/text.ts";
import { sha256 } from "../../../guard/trust/ledger/item.ts";
import type { ToolNames } from "../../../tools/server-tool-names.ts";
import { mapToolName, serverToolPrefix } from "../../../tools/server-tool-names.ts";
import type { ToolDefinition } from "./definition.ts";

const NAME_CHARACTERS_MAX = 64;
const DISTINCTION_CHARACTERS = 8;

/**
 * Returns the names of one server's tools in cinch, in the order of the tools: `mcp__SERVER__TOOL`, at most
 * 64 characters.
 *
 * A name that had to be cut, or that several of the server's tools map to, ends in a part of its hash. So it does not
 * depend on the server's other tools. A name that needs no mapping stays as it is.
 */
export function toolNames(server: string, tools: readonly string[]): readonly string[] {
  const prefix = serverToolPrefix(server);
  const plainNames = new Set(tools.filter((tool) => mapToolName(tool) === tool && fits(prefix + tool)));
  const times = new Map<string, number>();
  for (const tool of tools) times.set(mapToolName(tool), (times.get(mapToolName(tool)) ?? 0) + 1);
  return tools.map((tool) => {
    const plain = mapToolName(tool);
    const isAlone = plainNames.has(tool) || (times.get(plain) === 1 && !plainNames.has(plain));
    return isAlone && fits(prefix + plain) ? prefix + plain : hashedName(prefix, tool);
  });
}

/** A tool with its two names. */
export interface NamedTool extends Required<ToolNames> {
  readonly definition: ToolDefinition;
}

/** Returns the tools of one server with their names in cinch and in the server's spelling. */
export function namedTools(server: string, tools: readonly ToolDefinition[]): readonly NamedTool[] {
  const rawNames = tools.map(({ name }) => name);
  const names = toolNames(server, rawNames);
  return tools.map((definition, at) => ({
    definition,
    name: names[at] ?? "",
    spelled: `${serverToolPrefix(server)}${definition.name}`,
  }));
}

/**
 * Returns the names that a person types for the prompts of one server, in their order: the server's names, with `_`
 * for characters that a command cannot contain. Names that would collide get distinct names as tools do.
 */
export function promptNames(prompts: readonly string[]): readonly string[] {
  const typed = (name: string) => name.replaceAll(/[^A-Za-z0-9_.-]/g, "_");
  const plainNames = new Set(prompts.filter((name) => typed(name) === name));
  return prompts.map((name) => {
    const plain = typed(name);
    const isTaken =
      plainNames.has(plain) || prompts.some((other) => other !== name && typed(other) === plain);
    return plainNames.has(name) || !isTaken ? plain : `${plain}_${shortHash(name)}`;
  });
}

function fits(name: string): boolean {
  return name.length <= NAME_CHARACTERS_MAX;
}

function hashedName(prefix: string, tool: string): string {
  const hash = shortHash(tool);
  const room = NAME_CHARACTERS_MAX - prefix.length - hash.length - 1;
  return `${prefix}${mapToolName(tool).slice(0, room)}_${hash}`;
}

function shortHash(name: string): string {
  return sha256(encode(name.toWellFormed())).slice(0, DISTINCTION_CHARACTERS);
}
