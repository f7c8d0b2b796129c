import type { ResultOfCommand } from "../../protocol/commands/results.ts";
import { neutraliseLine } from "../terminal/terminal-text.ts";

/** Returns the sentences about a key that the engine has stored: if it is used, and what is used in its place. */
export function storedKeyText(
  provider: string,
  { replaced, used, source }: Partial<ResultOfCommand<"StoreProviderKey">> = {},
): string {
  const did = replaced === true ? "replaced" : "stored";
  const next =
    used === false
      ? `It is not used while ${neutraliseLine(source ?? "")} is set for the engine.`
      : "The next request uses it.";
  return `The key of ${neutraliseLine(provider)} was ${did}, encrypted. ${next}`;
}
