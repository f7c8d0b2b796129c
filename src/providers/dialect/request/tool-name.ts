import { wellFormedJson } from "../../../base/json.ts";
import type { ToolSchema } from "../../provider.ts";

const NAME_UNITS_MAX = 64;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * Returns a tool name in the form that every provider accepts: `[A-Za-z0-9_-]`, at most 64 characters.
 *
 * Names that fit stay unchanged. Others keep the allowed characters and end in a checksum of the whole name, so that
 * two names stay distinct and stable across requests.
 */
export function wireToolName(name: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(name)) return name;
  const mark = `_${checksum(name)}`;
  return name.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, NAME_UNITS_MAX - mark.length) + mark;
}

/** Returns the offered tool that a model meant; a name that was not offered stays unchanged. */
export function canonicalToolName(wireName: string, offered: readonly string[] = []): string {
  return offered.find((name) => wireToolName(name) === wireName) ?? wireName;
}

function checksum(text: string): string {
  let hash = FNV_OFFSET;
  for (const unit of new TextEncoder().encode(text)) hash = Math.imul(hash ^ unit, FNV_PRIME) >>> 0;
  return hash.toString(16).padStart(8, "0");
}

/**
 * Returns a function that renders the tools of a request, well-formed. Requests of a session repeat one list, which is
 * rendered once.
 */
export function renderTools<Rendered>(render: (tool: ToolSchema) => Rendered) {
  const known = new WeakMap<readonly ToolSchema[], readonly Rendered[]>();
  return (tools: readonly ToolSchema[]): readonly Rendered[] => {
    const rendered = known.get(tools) ?? wellFormedJson(tools.map(render));
    known.set(tools, rendered);
    return rendered;
  };
}
