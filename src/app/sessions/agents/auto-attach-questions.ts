import { InOrder } from "../../../base/async/in-order.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { SessionId } from "../../../base/ids.ts";
import type { CommandOf } from "../../../protocol/commands/commands.ts";
import type { Event } from "../../../protocol/events/events.ts";
import { autoAttachOutcome, autoAttachQuestion, programText } from "../../../view/notes/auto-attach-text.ts";

/** A program that started `cinch mcp`, as `mcp-parents.lock` names it. */
export type AskedParent = CommandOf<"AskAutoAttach">["parent"];

/** Decision about a program; `unknown`: no person has approved exactly this program. */
type ParentDecision = "always" | "never" | "undecided" | "unknown";

/** The decisions of the person about programs that start `cinch mcp`. */
export interface ParentDecisions {
  /** The file that has them. */
  readonly path: string;
  /** @throws HarnessError ParentsUnusable. */
  read(parent: AskedParent): Promise<ParentDecision>;
  /**
   * Stores a decision. Returns false, and stores nothing, about an unknown program.
   * @throws HarnessError ParentsUnusable.
   */
  keep(parent: AskedParent, always: boolean): Promise<boolean>;
}

export interface AutoAttachDependencies {
  readonly parents: () => Promise<ParentDecisions>;
  /** Sends an event to all people who are subscribed now. */
  readonly tellPeople: (event: Event) => void;
  /** Does the same, and sends it to each person who subscribes later, until it is disposed. */
  readonly keepTelling: (event: Event) => Disposable;
  /** Mutes the questions of a session. */
  readonly mute: (session: SessionId) => void;
}

/** A question about one program. It stays open when its sessions end, as it is about the later ones too. */
interface OpenQuestion {
  /** The session by which clients know it. */
  readonly session: SessionId;
  readonly agent: string;
  readonly parent: AskedParent;
  /** All sessions that the program has begun since. */
  readonly sessions: Set<SessionId>;
  readonly shown: Disposable;
  /** The answer that is being stored; undefined: none yet. */
  answer: boolean | undefined;
}

/**
 * Asks people once per program whether its sessions are auto-attached, and stores the answer in `mcp-parents.lock`
 * (CTL-12). The first answer counts, for every session of the program.
 */
export class AutoAttachQuestions {
  readonly #dependencies: AutoAttachDependencies;
  /** Open questions by the program. */
  readonly #open = new Map<string, OpenQuestion>();
  /** Answers by session. */
  readonly #answers = new Map<SessionId, boolean>();
  /** Uses of the file, one after the other: each write replaces all of it. */
  readonly #inOrder = new InOrder<"file">();

  constructor(dependencies: AutoAttachDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Asks about the program of a session that an agent has begun. Returns false if a person has decided already: their
   * decision holds for the session then.
   * @throws HarnessError InvalidCommand if the list has no such program; ParentsUnusable.
   */
  async ask(session: SessionId, agent: string, parent: AskedParent): Promise<boolean> {
    const { mute, keepTelling } = this.#dependencies;
    const parents = await this.#dependencies.parents();
    return await this.#inOrder.run("file", async () => {
      const decision = await parents.read(parent);
      if (decision === "unknown") throw refused("AskAutoAttach", unlistedText(parent, parents.path));
      if (decision === "never") mute(session);
      if (decision !== "undecided") return false;
      const key = keyOf(parent);
      const known = this.#open.get(key);
      known?.sessions.add(session);
      if (known !== undefined) return true;
      const payload = { session, agent, text: autoAttachQuestion(programText(parent)) };
      const shown = keepTelling(customEvent("AutoAttachAsked", payload));
      const sessions = new Set([session]);
      this.#open.set(key, { session, agent, parent, sessions, shown, answer: undefined });
      return true;
    });
  }

  /**
   * Takes the answer of a person to the question about a session's program.
   * @throws HarnessError InvalidCommand if nothing is asked, another answer came first, or the list has no such program
   * any more; ParentsUnusable, after which it can be answered again.
   */
  async answer(session: SessionId, always: boolean): Promise<void> {
    const question = [...this.#open.values()].find(({ sessions }) => sessions.has(session));
    const first = question?.answer ?? this.#answers.get(session);
    if (first !== undefined) throw refused("AnswerAutoAttach", `${first ? "yes" : "no"} was answered before`);
    if (question === undefined)
      throw refused("AnswerAutoAttach", `nothing is asked about the program that began ${session}`);
    question.answer = always;
    const { parent } = question;
    const parents = await this.#dependencies.parents();
    const isKept = await this.#inOrder.run("file", async () => {
      try {
        const isStored = await parents.keep(parent, always);
        this.#close(question, isStored ? always : undefined);
        return isStored;
      } catch (thrown) {
        question.answer = undefined;
        throw thrown;
      }
    });
    if (!isKept) throw refused("AnswerAutoAttach", unlistedText(parent, parents.path));
  }

  /** Forgets the answers about sessions that have ended. */
  forgetEnded(live: ReadonlySet<SessionId>): void {
    for (const session of this.#answers.keys()) if (!live.has(session)) this.#answers.delete(session);
  }

  /** @param always undefined: nothing was decided. */
  #close({ session, agent, parent, sessions, shown }: OpenQuestion, always: boolean | undefined): void {
    this.#open.delete(keyOf(parent));
    shown[Symbol.dispose]();
    for (const each of sessions) {
      if (always === undefined) continue;
      this.#answers.set(each, always);
      if (!always) this.#dependencies.mute(each);
    }
    const text = autoAttachOutcome(programText(parent), always);
    const payload = { session, agent, ...(always === undefined ? {} : { always }), text };
    this.#dependencies.tellPeople(customEvent("AutoAttachAnswered", payload));
  }
}

function customEvent(kind: "AutoAttachAsked" | "AutoAttachAnswered", payload: object): Event {
  return { kind: "CustomEvent", payload: { namespace: "cinch", kind, payload } };
}

function keyOf({ argv0, binary, binarySha256, script, scriptSha256 }: AskedParent): string {
  return JSON.stringify([argv0, binary, binarySha256, script, scriptSha256]);
}

function unlistedText(parent: AskedParent, path: string): string {
  return `${path} does not list ${programText(parent)} as it was when it started cinch: start it again and allow it at its terminal, then answer`;
}

function refused(kind: "AskAutoAttach" | "AnswerAutoAttach", why: string): HarnessError<"InvalidCommand"> {
  return new HarnessError("InvalidCommand", { kind, why });
}
