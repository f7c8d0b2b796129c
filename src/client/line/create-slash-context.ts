import { defined } from "../../base/defined.ts";
import { HarnessError } from "../../base/errors.ts";
import type { SessionId } from "../../base/ids.ts";
import { refusalText } from "../../view/texts/refusal-text.ts";
import type { KnownCommands } from "../slash/known-commands.ts";
import type { Sender } from "../slash/sender.ts";
import type { SlashContext } from "../slash/slash-context.ts";
import { runStandsFor } from "../slash/stands-for.ts";
import type { Outbox } from "./input/outbox.ts";
import type { SessionScreen } from "./output/session-screen.ts";
import type { LineSessionView } from "./session/line-session-view.ts";
import { memoriesText } from "./session/memories-text.ts";

export interface SlashContextDependencies
  extends Pick<
    SlashContext,
    | "busy"
    | "fresh"
    | "switched"
    | "goTo"
    | "cancel"
    | "quit"
    | "confirm"
    | "takeBack"
    | "askSecret"
    | "overNetwork"
  > {
  readonly session: SessionId;
  readonly seen: LineSessionView;
  readonly screen: SessionScreen;
  readonly sender: Sender;
  readonly outbox: Outbox;
  readonly commands: KnownCommands;
  readonly nowMs: () => number;
}

/** Returns the context for one slash command: the state of the line client now, and its actions. */
export function createSlashContext(dependencies: SlashContextDependencies): SlashContext {
  const { session, seen, screen, sender, outbox, commands } = dependencies;
  const { busy, fresh, switched, goTo, cancel, quit, confirm, takeBack, askSecret } = dependencies;
  const surface: SlashContext = {
    session,
    busy,
    fresh,
    switched,
    goTo,
    cancel,
    quit,
    confirm,
    takeBack,
    ...defined({ askSecret }),
    overNetwork: dependencies.overNetwork,
    columns: screen.columns,
    costs: seen.costs,
    memories: memoriesText(seen.memories),
    turns: seen.turns,
    planMode: seen.planMode,
    tasks: seen.tasks,
    waiting: seen.waiting,
    get model() {
      return seen.model;
    },
    set model(model) {
      seen.model = model;
    },
    folders: seen.folders,
    say: (text) => screen.note(text),
    send: (command) => sender.sendOrTell(command),
    request: (command) => sender.request(command),
    answerTo: (command) => sender.answerTo(command),
    query: (query) => sender.query(query),
    async find(text) {
      const found = await sender.query({ kind: "FindSession", text, sessionId: session });
      if (!(found instanceof HarnessError)) return found;
      await screen.note(refusalText(found));
      return undefined;
    },
    async standFor(name, command) {
      const info = await commands.find((each) => each.name === name);
      if (info !== undefined) await runStandsFor(info, command, surface);
    },
    get nowMs() {
      return dependencies.nowMs();
    },
    steer: (text) => outbox.sendText(text, "steer"),
    askAgent: (text, agent) => outbox.send([{ type: "text", text }], "queue", { agent }),
    useSkill: (text, skill) => outbox.send([{ type: "text", text }], "queue", { skill }),
    sendPrompt: (text) => outbox.sendText(text),
    clear: () => screen.clear(),
    copy: (text) => screen.copy(text),
    listCommands: () => commands.list(),
    findCommand: (isMeant) => commands.find(isMeant),
    drop() {
      outbox.take();
    },
  };
  return surface;
}
