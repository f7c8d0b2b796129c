import type { SessionId } from "../../../base/ids.ts";
import { shortened } from "../../../base/text/text.ts";
import type { World } from "../../../base/world.ts";
import type { Event } from "../../../protocol/events/events.ts";
import { SlidingLimit } from "../../../server/auth/sliding-limit.ts";
import { agentAsksText } from "../../../view/questions/question-words.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import type { AskedParent, AutoAttachDependencies } from "./auto-attach-questions.ts";
import { AutoAttachQuestions } from "./auto-attach-questions.ts";

/** Notices about agents that people get within ten minutes; further ones go to the operational log only. */
export const NOTICES_MAX = 20;
export const NOTICES_WINDOW_MS = 600_000;
const NAME_CHARACTERS_MAX = 60;
const TOOL_CHARACTERS_MAX = 100;

export interface AgentSessionsDependencies extends Pick<AutoAttachDependencies, "parents" | "keepTelling"> {
  readonly world: Pick<World, "clock" | "log">;
  /** Returns the running sessions. */
  readonly live: () => readonly SessionId[];
  /** Returns the number of people who are subscribed to a session. */
  readonly peopleIn: (session: SessionId) => number;
  /** Sends an event to the people who are subscribed to any session, beside the log. */
  readonly tellPeople: (event: Event) => void;
  /** Shows a text on the desktop; absent: there is no desktop. */
  readonly tellDesktop?: (text: string) => Promise<boolean>;
}

/** Kinds of custom events, in the namespace `cinch`, that people get beside the log. */
type NoticeKind = "AgentSession" | "AgentAsks";

/**
 * The sessions that agents have opened, shown to people (CTL-12): the start of each, on the desktop and to every
 * attached person. Permission requests are shown too while nobody is subscribed.
 *
 * Names come from the agent, and are cut to one line of limited length.
 */
export class AgentSessions {
  readonly #dependencies: AgentSessionsDependencies;
  readonly #limit: SlidingLimit;
  readonly #autoAttach: AutoAttachQuestions;
  /** Agents by session; a muted session's questions are not shown. */
  readonly #sessions = new Map<SessionId, { readonly agent: string; readonly isQuiet: boolean }>();

  constructor(dependencies: AgentSessionsDependencies) {
    this.#dependencies = dependencies;
    this.#limit = new SlidingLimit(dependencies.world.clock, NOTICES_MAX, NOTICES_WINDOW_MS);
    const { parents, tellPeople, keepTelling } = dependencies;
    const mute = (session: SessionId) => void this.mute(session);
    this.#autoAttach = new AutoAttachQuestions({ parents, tellPeople, keepTelling, mute });
  }

  began(session: SessionId, label: string): void {
    const live = new Set(this.#dependencies.live());
    for (const id of this.#sessions.keys()) if (!live.has(id)) this.#sessions.delete(id);
    this.#autoAttach.forgetEnded(live);
    const agent = shortened(neutraliseLine(label), NAME_CHARACTERS_MAX);
    this.#sessions.set(session, { agent, isQuiet: false });
    const text = `Outer agent ${agent} started session ${session}. /sessions:attach ${session} to observe.`;
    this.#tell("AgentSession", { session, agent }, text);
  }

  /** Called when a call in a session waits for a person's permission. */
  onPermissionAsked(session: SessionId, tool: string): void {
    const entry = this.#sessions.get(session);
    if (entry === undefined || entry.isQuiet || this.#dependencies.peopleIn(session) > 0) return;
    const { agent } = entry;
    const named = shortened(neutraliseLine(tool), TOOL_CHARACTERS_MAX);
    const text = agentAsksText({ session, agent, request: { tool: named } });
    this.#tell("AgentAsks", { session, agent, tool: named }, text);
  }

  /** Mutes the questions of a session for a person; returns false if no agent has opened it here. */
  mute(session: SessionId): boolean {
    const entry = this.#sessions.get(session);
    if (entry === undefined) return false;
    this.#sessions.set(session, { ...entry, isQuiet: true });
    return true;
  }

  /**
   * Asks people whether the sessions of a program are auto-attached, unless they have decided. Returns true if that is
   * asked now; undefined if no agent has opened the session here.
   * @throws HarnessError as `AutoAttachQuestions.ask`.
   */
  async askAutoAttach(session: SessionId, parent: AskedParent): Promise<boolean | undefined> {
    const entry = this.#sessions.get(session);
    return entry === undefined ? undefined : await this.#autoAttach.ask(session, entry.agent, parent);
  }

  /** Takes a person's answer to that question. @throws HarnessError as `AutoAttachQuestions.answer`. */
  async answerAutoAttach(session: SessionId, always: boolean): Promise<void> {
    await this.#autoAttach.answer(session, always);
  }

  #tell(kind: NoticeKind, facts: Readonly<Record<string, string>>, text: string): void {
    const log = this.#dependencies.world.log.for("agents");
    log.write("info", text);
    if (this.#limit.isReached()) return;
    this.#limit.count();
    const message = this.#limit.isReached() ? `${text} Further notices are muted for a while.` : text;
    const payload = { namespace: "cinch", kind, payload: { ...facts, text: message } };
    this.#dependencies.tellPeople({ kind: "CustomEvent", payload });
    this.#dependencies.tellDesktop?.(message).catch((thrown: unknown) => {
      log.write("debug", "no notice was shown", { problem: String(thrown) });
    });
  }
}
