import { HarnessError } from "../../base/errors.ts";
import type { SessionId } from "../../base/ids.ts";
import { memoriesText } from "../../view/notes/memories-text.ts";
import type { UsedMemories } from "../../view/session/memories.ts";
import { refusalText } from "../../view/texts/refusal-text.ts";
import type { KnownCommands } from "./known-commands.ts";
import type { Sender } from "./sender.ts";
import type { SlashContext } from "./slash-context.ts";
import { runStandsFor } from "./stands-for.ts";

/** State of the session that slash commands print or use. */
export interface SlashState
  extends Pick<SlashContext, "turns" | "planMode" | "tasks" | "waiting" | "folders" | "model"> {
  readonly memories: UsedMemories;
}

/** Parts from which the members that all clients share are made. */
export interface SlashContextParts {
  readonly session: SessionId;
  readonly sender: Pick<Sender, "sendOrTell" | "request" | "answerTo" | "query">;
  readonly commands: Pick<KnownCommands, "list" | "find">;
  readonly state: SlashState;
  /** Wall clock in milliseconds. */
  readonly nowMs: number;
}

type SharedMember =
  | keyof SlashState
  | "session"
  | "nowMs"
  | "send"
  | "request"
  | "answerTo"
  | "query"
  | "find"
  | "standFor"
  | "listCommands"
  | "findCommand";

/** Members of a context that each client makes by itself. */
export type ClientActions = Omit<SlashContext, SharedMember>;

/** Returns the context for one slash command: the state of the session now, and the actions of a client. */
export function createSlashContext(
  { session, sender, commands, state, nowMs }: SlashContextParts,
  actions: ClientActions,
): SlashContext {
  const { turns, planMode, tasks, waiting, folders, model, memories } = state;
  const { say } = actions;
  const context: SlashContext = {
    ...actions,
    ...{ session, nowMs, turns, planMode, tasks, waiting, folders, model },
    memories: memoriesText(memories),
    send: (command) => sender.sendOrTell(command),
    request: (command) => sender.request(command),
    answerTo: (command) => sender.answerTo(command),
    query: (query) => sender.query(query),
    async find(text) {
      const found = await sender.query({ kind: "FindSession", text, sessionId: session });
      if (!(found instanceof HarnessError)) return found;
      await say(refusalText(found));
      return undefined;
    },
    async standFor(name, command) {
      const info = await commands.find((each) => each.name === name);
      if (info !== undefined) await runStandsFor(info, command, context);
    },
    listCommands: () => commands.list(),
    findCommand: (isMeant) => commands.find(isMeant),
  };
  return context;
}
