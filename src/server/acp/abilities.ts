import type { InitializeRequest } from "@agentclientprotocol/sdk/unstable";

/** Optional parts of the protocol that an editor has, as it says in `initialize`. */
export interface EditorAbilities {
  /** It shows notices apart from the conversation. */
  readonly notices: boolean;
  /** It shows when a conversation was made shorter. */
  readonly compaction: boolean;
  /** It keeps several plans of a session, each with an id. */
  readonly plans: boolean;
  /** It can show its person a form. */
  readonly forms: boolean;
  /** It draws the output of commands that cinch runs as a terminal. */
  readonly terminals: boolean;
  /** It answers with the content of a file as its person sees it, saved or not. */
  readonly reads: boolean;
}

export const NO_ABILITIES: EditorAbilities = {
  notices: false,
  compaction: false,
  plans: false,
  forms: false,
  terminals: false,
  reads: false,
};

/** Reads what an editor offers. An absent part is not offered. */
export function editorAbilities({ clientCapabilities }: InitializeRequest): EditorAbilities {
  const { session, elicitation, fs, plan, _meta: more } = clientCapabilities ?? {};
  return {
    notices: isOffered(session?.notices),
    compaction: isOffered(session?.compaction),
    plans: isOffered(plan),
    forms: isOffered(elicitation?.form),
    terminals: more?.["terminal_output"] === true,
    reads: fs?.readTextFile === true,
  };
}

function isOffered(part: unknown): boolean {
  return part !== undefined && part !== null;
}
