import { HarnessError } from "../../../base/errors.ts";
import type { SessionId } from "../../../base/ids.ts";
import type { Completion } from "../../../view/slash/complete.ts";
import { COMPLETED_MAX, completeSlash, sharedStart } from "../../../view/slash/complete.ts";
import type { KnownCommands } from "../../slash/known-commands.ts";
import type { Sender } from "../../slash/sender.ts";

export interface LineCompleter {
  readonly session: SessionId;
  readonly sender: Pick<Sender, "query">;
  readonly commands: Pick<KnownCommands, "list">;
}

/**
 * Completes what stands before the cursor: the name of a slash command from the list that this client keeps, all else
 * (files behind an at sign, ids, models) by the engine. Undefined if nothing fits.
 */
export async function completeLine(
  typed: string,
  { session: sessionId, sender, commands }: LineCompleter,
): Promise<Completion | undefined> {
  const slash = completeSlash(typed, await commands.list());
  if (slash !== undefined) return slash;
  if (!typed.startsWith("/") && !typed.includes("@")) return undefined;
  const cursor = typed.length;
  const found = await sender.query({
    kind: "Complete",
    sessionId,
    text: typed,
    cursor,
    limit: COMPLETED_MAX,
  });
  if (found instanceof HarnessError || found.items.length === 0) return undefined;
  const before = typed.slice(0, found.from);
  const candidates = found.items.map(({ insert }) => before + insert);
  const start = sharedStart(candidates);
  // Fuzzy matches need not begin with what was typed: their common beginning replaces it only if it has all of it.
  const word = typed.slice(found.from).replace(/^@/, "");
  return { text: candidates.length === 1 || start.includes(word, found.from) ? start : typed, candidates };
}
