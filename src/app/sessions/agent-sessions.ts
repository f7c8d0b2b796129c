import type { SessionId } from "../../base/ids.ts";
import { shortened } from "../../base/text/text.ts";
import type { World } from "../../base/world.ts";
import type { Event } from "../../protocol/events/events.ts";
import { SlidingLimit } from "../../server/auth/sliding-limit.ts";
import { agentAsksText } from "../../view/questions/question-words.ts";
import { neutraliseLine } from "../../view/terminal/terminal-text.ts";

/** Notices about agents that people get within ten minutes; further ones go to the operational log only. */
export const NOTICES_MAX = 20;
export const NOTICES_WINDOW_MS = 600_000;
const NAME_CHARACTERS_MAX = 60;
const TOOL_CHARACTERS_MAX = 100;

export interface AgentSessionsParts {
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
 * attached person, and each permission request in it that nobody would see, since nobody is subscribed.
 *
 * Names come from the agent, and are cut to one line of limited length.
 */
export class AgentSessions {
  readonly #parts: AgentSessionsParts;
  readonly #limit: SlidingLimit;
  /** Agents by session; a muted session's questions are not shown. */
  readonly #begun = new Map<SessionId, { readonly agent: string; readonly isQuiet: boolean }>();

  constructor(parts: AgentSessionsParts) {
    this.#parts = parts;
    this.#limit = new SlidingLimit(parts.world.clock, NOTICES_MAX, NOTICES_WINDOW_MS);
  }

  began(session: SessionId, label: string): void {
    const live = new Set(this.#parts.live());
    for (const id of this.#begun.keys()) if (!live.has(id)) this.#begun.delete(id);
    const agent = shortened(neutraliseLine(label), NAME_CHARACTERS_MAX);
    this.#begun.set(session, { agent, isQuiet: false });
    const text = `Outer agent ${agent} started session ${session}. /sessions:attach ${session} to observe.`;
    this.#tell("AgentSession", { session, agent }, text);
  }

  /** Called when a call in a session waits for a person's permission. */
  asked(session: SessionId, tool: string): void {
    const begun = this.#begun.get(session);
    if (begun === undefined || begun.isQuiet || this.#parts.peopleIn(session) > 0) return;
    const { agent } = begun;
    const named = shortened(neutraliseLine(tool), TOOL_CHARACTERS_MAX);
    const text = agentAsksText({ session, agent, tool: named });
    this.#tell("AgentAsks", { session, agent, tool: named }, text);
  }

  /** Mutes the questions of a session for a person; returns false if no agent has opened it here. */
  hush(session: SessionId): boolean {
    const begun = this.#begun.get(session);
    if (begun === undefined) return false;
    this.#begun.set(session, { ...begun, isQuiet: true });
    return true;
  }

  #tell(kind: NoticeKind, facts: Readonly<Record<string, string>>, text: string): void {
    const log = this.#parts.world.log.for("agents");
    log.write("info", text);
    if (this.#limit.isReached()) return;
    this.#limit.count();
    const told = this.#limit.isReached() ? `${text} What comes next is not told for a while.` : text;
    const payload = { namespace: "cinch", kind, payload: { ...facts, text: told } };
    this.#parts.tellPeople({ kind: "CustomEvent", payload });
    this.#parts.tellDesktop?.(told).catch((thrown: unknown) => {
      log.write("debug", "no notice was shown", { problem: String(thrown) });
    });
  }
}
