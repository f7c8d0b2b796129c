import type { CallId } from "../../base/ids.ts";
import { EARLIER_ROW, OWN_ROW, PROMPT_ROW, SUMMARY_ROW, TOOLS_JOINED_BY } from "./cost-book.ts";

/** Facts that the name of a row of `tool` says: what its calls were sent to read. */
export interface ReadRow {
  /** The tools whose results were read, all of them together. */
  readonly tools: readonly string[];
  readonly prompt?: true;
  readonly summary?: true;
}

/** Reads the name of a row of `tool`. */
export function readRowOf(name: string): ReadRow {
  if (name === EARLIER_ROW) return { tools: [] };
  if (name === SUMMARY_ROW) return { tools: [], summary: true };
  const parts = name.split(TOOLS_JOINED_BY);
  const tools = parts.filter((part) => part !== PROMPT_ROW);
  return tools.length === parts.length ? { tools } : { tools, prompt: true };
}

/** Reads the name of a row of `child`: the call that runs a sub-agent, and its tool; neither for the session's own. */
export function agentRowOf(name: string): { readonly call?: CallId; readonly tool?: string } {
  if (name === OWN_ROW || name === EARLIER_ROW) return {};
  const at = name.lastIndexOf(" ");
  return { tool: name.slice(0, at), call: name.slice(at + 1) as CallId };
}
