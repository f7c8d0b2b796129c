import { encode } from "../base/text.ts";
import { mapped, toolPrefix } from "../tool/server-tool.ts";
import { sha256 } from "../trust/ledger/item.ts";

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

function fits(name: string): boolean {
  return name.length <= NAME_CHARACTERS_MAX;
}

function distinct(prefix: string, tool: string): string {
  const hash = sha256(encode(tool.toWellFormed())).slice(0, DISTINCTION_CHARACTERS);
  const room = NAME_CHARACTERS_MAX - prefix.length - hash.length - 1;
  return `${prefix}${mapped(tool).slice(0, room)}_${hash}`;
}
