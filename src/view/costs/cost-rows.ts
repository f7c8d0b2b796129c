import type { CallId } from "../../base/ids.ts";
import { EARLIER_ROW, OWN_ROW, PROMPT_ROW, SUMMARY_ROW, TOOLS_JOINED_BY } from "./cost-book.ts";

/** Facts that the name of a row of `tool` says: the tools whose results were read, or that a summary was made. */
export interface ReadRow {
  readonly tools: readonly string[];
  readonly summary?: true;
}

/** Reads the name of a row of `tool`. */
export function readRowOf(name: string): ReadRow {
  if (name === PROMPT_ROW || name === EARLIER_ROW) return { tools: [] };
  return name === SUMMARY_ROW ? { tools: [], summary: true } : { tools: name.split(TOOLS_JOINED_BY) };
}

/** Reads the name of a row of `child`: the call that runs a sub-agent, and its tool; neither for the session's own. */
export function agentRowOf(name: string): { readonly call?: CallId; readonly tool?: string } {
  if (name === OWN_ROW || name === EARLIER_ROW) return {};
  const at = name.lastIndexOf(" ");
  return { tool: name.slice(0, at), call: name.slice(at + 1) as CallId };
}
