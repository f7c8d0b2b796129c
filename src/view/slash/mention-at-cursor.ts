import { MENTION_BEGUN } from "./mention-pattern.ts";

/** A mention that is being typed, whose path a completion replaces. */
export interface MentionAtCursor {
  /** Range of the mention without the lines behind a colon. */
  readonly from: number;
  readonly to: number;
  /** Path before the cursor. */
  readonly path: string;
}

/** Limit for a path; a longer one is no mention. */
const PATH_CHARACTERS_MAX = 1_024;
/** The rest of a path behind the cursor. */
const REST_QUOTED = /^[^"\n]*"/;
const REST_BARE = /^[^\s"'`<>|,;:()[\]{}]*/;

/** Returns the mention whose path is being typed at the cursor; undefined if there is none. */
export function mentionAt(text: string, cursor: number): MentionAtCursor | undefined {
  const start = Math.max(0, cursor - PATH_CHARACTERS_MAX);
  const begun = MENTION_BEGUN.exec(text.slice(start, cursor));
  if (begun === null) return undefined;
  const [, quoted, bare = ""] = begun;
  const after = text.slice(cursor, cursor + PATH_CHARACTERS_MAX);
  const [rest = ""] = (quoted === undefined ? REST_BARE : REST_QUOTED).exec(after) ?? [];
  return { from: start + begun.index, to: cursor + rest.length, path: quoted ?? bare };
}
