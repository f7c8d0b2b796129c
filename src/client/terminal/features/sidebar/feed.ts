import { HarnessError } from "../../../../base/errors.ts";
import type { Envelope } from "../../../../protocol/events/envelope.ts";
import type { KnownSessions } from "../../../../view/overview/known-sessions.ts";
import { NO_SESSIONS, sessionsAfter } from "../../../../view/overview/known-sessions.ts";
import type { OverviewFacts, Section } from "../../../../view/overview/sections.ts";
import { overviewSections } from "../../../../view/overview/sections.ts";
import { refusalText } from "../../../../view/texts/refusal-text.ts";
import { inBackground } from "../../layout/in-background.ts";
import type { Services } from "../../layout/services.ts";

/** Name of the marks of what a person has read, the same in all clients of theirs. */
export const READER = "person";

type Lists = Pick<OverviewFacts, "skills" | "servers" | "hooks">;
const NO_LISTS: Lists = { skills: undefined, servers: undefined, hooks: undefined };

/**
 * Reads the facts of the sidebar while somebody holds it: the news of all sessions, and lists of the session that is
 * shown. It reads nothing while nobody does.
 */
export class SidebarFeed {
  readonly #services: Services;
  #holders = 0;
  /** Present while it reads. */
  #reading: AbortController | undefined;
  #sessions: KnownSessions = NO_SESSIONS;
  #lists: Lists = NO_LISTS;
  #drawn: { readonly of: readonly unknown[]; readonly sections: readonly Section[] } | undefined;

  constructor(services: Services) {
    this.#services = services;
  }

  /** Begins to read, if nothing is read yet. Disposing the holder twice is harmless. */
  hold(): Disposable {
    this.#holders += 1;
    if (this.#reading === undefined) this.#begin();
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#holders -= 1;
        if (this.#holders === 0) this.#end();
      },
    };
  }

  /** The engine is reached: what is held is read from now on. */
  reached(): void {
    if (this.#holders > 0 && this.#reading === undefined) this.#begin();
  }

  /** Another session is shown. */
  opened(): void {
    this.#lists = NO_LISTS;
    if (this.#reading !== undefined) this.#readLists(["skills", "servers", "hooks"]);
  }

  /** Reads the lists again that an event may have changed. */
  changed({ id, kind, parentCall }: Envelope): void {
    const isPast = this.#services.session.isPast(id);
    if (this.#reading === undefined || isPast || parentCall !== undefined) return;
    if (kind === "SkillRegistryChanged") this.#readLists(["skills"]);
    else if (kind === "MCPServerDown" || kind === "TurnStarted" || kind === "TurnEnded")
      this.#readLists(["servers"]);
    else if (kind === "ProfileSwitched") this.#readLists(["skills", "servers", "hooks"]);
    else if (kind === "Answered") this.#readLists(["hooks"]);
  }

  /** Returns the sections as they are known now; the same value until a fact changes. */
  sections(): readonly Section[] {
    const { view, open, self } = this.#services.session;
    const { todos, clients, run } = view;
    const { skills, servers, hooks } = this.#lists;
    const shown = open?.session;
    const of = [todos, clients, shown, self, this.#sessions, skills, servers, hooks, ...runFacts(run)];
    const before = this.#drawn;
    if (before?.of.every((each, at) => each === of[at]) === true) return before.sections;
    const sections = overviewSections({
      view,
      sessions: this.#sessions,
      ...this.#lists,
      ...(shown === undefined ? {} : { shown }),
      ...(self === undefined ? {} : { self }),
    });
    this.#drawn = { of, sections };
    return sections;
  }

  [Symbol.dispose](): void {
    this.#end();
  }

  #begin(): void {
    if (this.#services.session.self === undefined) return;
    const reading = new AbortController();
    this.#reading = reading;
    this.#sessions = NO_SESSIONS;
    inBackground(this.#readNews(reading.signal), {
      showFailure: (thrown) => {
        if (!reading.signal.aborted) this.#services.showFailure(thrown);
      },
    });
    this.#readLists(["skills", "servers", "hooks"]);
  }

  #end(): void {
    this.#reading?.abort();
    this.#reading = undefined;
  }

  async #readNews(signal: AbortSignal): Promise<void> {
    const news = this.#services.session.news({ signal, reader: READER });
    if (news === undefined) return;
    for await (const item of news) {
      if (signal.aborted) return;
      this.#sessions = sessionsAfter(this.#sessions, item);
      this.#services.redraw();
    }
  }

  #readLists(names: readonly (keyof Lists)[]): void {
    for (const name of names) inBackground(this.#readList(name), this.#services);
  }

  async #readList(name: keyof Lists): Promise<void> {
    const { session, redraw } = this.#services;
    const { open } = session;
    if (open === undefined) return;
    const read = await READS[name](session, open.session);
    if (session.open !== open) return;
    this.#lists = { ...this.#lists, ...read };
    redraw();
  }
}

type Session = Services["session"];
type SessionId = NonNullable<Session["open"]>["session"];

const READS: Readonly<
  Record<keyof Lists, (session: Session, sessionId: SessionId) => Promise<Partial<Lists>>>
> = {
  skills: async (session, sessionId) => ({
    skills: answerOr(await session.query({ kind: "ListSkills", sessionId })),
  }),
  async servers(session, sessionId) {
    const answer = await session.query({ kind: "ListMcpServers", sessionId });
    return { servers: answer instanceof HarnessError ? refusalText(answer) : answer.servers };
  },
  hooks: async (session, sessionId) => ({
    hooks: answerOr(await session.query({ kind: "ListHooks", sessionId })),
  }),
};

function answerOr<Answer>(answer: Answer | HarnessError): Answer | string {
  return answer instanceof HarnessError ? refusalText(answer) : answer;
}

function runFacts(run: Session["view"]["run"]): readonly unknown[] {
  const { tasks, turn, rules, level, planMode, openedWith, folders } = run ?? {};
  return [tasks, turn?.originator, rules, level, planMode, openedWith, folders];
}
