import type { SlashCommandInfo } from "../../protocol/resources.ts";
import { argumentBegun } from "./complete-argument.ts";
import { mentionAt } from "./mention-at-cursor.ts";

/** The word of a draft that a list of candidates can complete. */
export interface CompletedWord {
  /** `command`: a slash command at the start; `argument`: a word behind one; `mention`: a path behind an at sign. */
  readonly kind: "command" | "argument" | "mention";
  /** Range that a candidate replaces, in units of UTF-16. */
  readonly from: number;
  readonly to: number;
  /** Its text before the cursor; of a mention, the path alone. */
  readonly typed: string;
}

const COMMAND_BEGUN = /^\/[^\s/]*$/;
/** A longer command line has no word that is completed. */
const COMMAND_LINE_MAX = 4_096;

/** Returns the word at the cursor that can be completed; undefined if there is none. */
export function completedWord(
  text: string,
  cursor: number,
  commands: readonly SlashCommandInfo[],
): CompletedWord | undefined {
  const mention = mentionAt(text, cursor);
  if (mention !== undefined)
    return { kind: "mention", from: mention.from, to: mention.to, typed: mention.path };
  if (!text.startsWith("/") || cursor > COMMAND_LINE_MAX) return undefined;
  const before = text.slice(0, cursor);
  const rest = /^\S*/.exec(text.slice(cursor, cursor + COMMAND_LINE_MAX))?.[0].length ?? 0;
  if (COMMAND_BEGUN.test(before))
    return { kind: "command", from: 0, to: cursor + rest, typed: before.slice(1) };
  if (before.includes("\n")) return undefined;
  const begun = argumentBegun(before, commands);
  if (begun === undefined) return undefined;
  return { kind: "argument", from: begun.from, to: cursor + rest, typed: begun.word };
}
