import type { Deadline } from "../../base/async/deadline.ts";
import { deadline } from "../../base/async/deadline.ts";
import { defined } from "../../base/defined.ts";
import { DeadlineReached, HarnessError } from "../../base/errors.ts";
import type { AskId, CallId, ClientId, EventSeq, IdSource } from "../../base/ids.ts";
import { textOfJson } from "../../base/json.ts";
import type { Clock } from "../../base/world.ts";
import { ANSWER_WORDS_CHARACTERS_MAX } from "../../protocol/commands/answer-limits.ts";
import type { CommandOf } from "../../protocol/commands/commands.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { AttachedClient } from "../access/client.ts";
import type { AskOutcome, NewQuestion, PermissionOutcome, PermissionQuestion } from "../questions.ts";

/** Time limit to read and acknowledge a file or a plan: longer than that of a call, since nothing runs meanwhile. */
export const TRUST_TIMEOUT_MS = 600_000;

/** Decided calls that are remembered; a late answer to an older one is refused as unknown. */
const DECIDED_CALLS_MAX = 1_024;

export interface QuestionsOptions {
  readonly clock: Clock;
  readonly ids: IdSource;
  /** False if no person can ever answer: a one-shot run. Questions then resolve to `nobody` at once (PERM-12). */
  readonly attended: boolean;
  readonly timeoutMs: number;
  /**
   * Returns true while a person is subscribed who can answer: the time of a permission question then does not count.
   * Default: it always counts.
   */
  isFollowed?(): boolean;
  /** Returns the last event of the log now; absent if that is never needed. */
  lastEvent?(): EventSeq;
  publish(event: Event, originator: ClientId | undefined): void;
}

interface OpenPermission {
  /** An event before the one that asks. */
  readonly since: EventSeq;
  readonly question: PermissionQuestion;
  readonly answer: (answer: PermissionOutcome) => void;
}

interface OpenAsk {
  readonly since: EventSeq;
  /** By the monotonic clock. */
  readonly askedMs: number;
  readonly question: NewQuestion;
  readonly answer: (answer: AskOutcome) => void;
  readonly restartLimit: (timeoutMs: number) => void;
}

interface TimeOver {
  readonly kind: "timeout";
  readonly afterMs: number;
  readonly by?: undefined;
}

/**
 * The open questions of a session: permission requests and the rest ([A] § Multi-client semantics).
 *
 * The first answer that counts wins; later ones are recorded as not counted. An agent never answers for a turn at all:
 * at least one human acknowledgement is needed (hard rule 11).
 */
export class Questions {
  readonly #options: QuestionsOptions;
  readonly #permissions = new Map<CallId, OpenPermission>();
  readonly #asks = new Map<AskId, OpenAsk>();
  /** Waits whose time counts only while nobody who can answer is subscribed. */
  readonly #onlyUnattended = new Set<Deadline>();
  /** Decided calls, so that a late answer is recorded and is no error. */
  readonly #decided = new Set<CallId>();

  constructor(options: QuestionsOptions) {
    this.#options = options;
  }

  /** Default time limit of a question. */
  get timeoutMs(): number {
    return this.#options.timeoutMs;
  }

  /** Number of open questions. */
  get open(): number {
    return this.#permissions.size + this.#asks.size;
  }

  /** Returns an event before all open questions; undefined if there are none. */
  get openSince(): EventSeq | undefined {
    const open = [...this.#permissions.values(), ...this.#asks.values()].map(({ since }) => since);
    return open.length === 0 ? undefined : Math.min(...open);
  }

  askPermission(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionOutcome> {
    if (!this.#options.attended) return Promise.resolve({ kind: "nobody" });
    const { callId, originator } = question;
    return this.#wait<PermissionOutcome>(signal, (answer, limit) => {
      this.#permissions.set(callId, { since: this.#last, question, answer });
      const { timeoutMs } = this.#options;
      const payload = { ...question, timeoutMs, ...this.#countOnlyUnattended(limit) };
      this.#options.publish({ kind: "PermissionRequested", payload }, originator);
      return () => {
        this.#permissions.delete(callId);
        this.#decide(callId);
      };
    });
  }

  ask(question: NewQuestion, signal: AbortSignal): Promise<AskOutcome> {
    if (!this.#options.attended) return Promise.resolve({ kind: "nobody" });
    return this.#ask(this.#options.ids.next("ask"), question, signal);
  }

  async #ask(askId: AskId, question: NewQuestion, signal: AbortSignal): Promise<AskOutcome> {
    const { publish, timeoutMs } = this.#options;
    const isLong = question.about === "trust" || question.about === "plan";
    const ms = question.timeoutMs ?? (isLong ? Math.max(TRUST_TIMEOUT_MS, timeoutMs) : timeoutMs);
    const countsOnlyUnattended = question.about === "outside-sandbox" && question.timeoutMs === undefined;
    let counting = {};
    const tell = (waitMs: number) =>
      publish(
        { kind: "Asked", payload: { askId, ...question, timeoutMs: waitMs, ...counting } },
        question.originator,
      );
    const open = (answer: (answer: AskOutcome) => void, limit: Deadline) => {
      if (countsOnlyUnattended) counting = this.#countOnlyUnattended(limit);
      this.#asks.set(askId, {
        since: this.#last,
        askedMs: this.#options.clock.monotonic(),
        question,
        answer,
        restartLimit(waitMs) {
          limit.restart(waitMs);
          tell(waitMs);
        },
      });
      tell(ms);
      return () => void this.#asks.delete(askId);
    };
    const answer = await this.#wait<AskOutcome>(signal, open, ms);
    // Otherwise a client would keep asking although the answer is not needed.
    if (answer.kind === "timeout" && answer.by === undefined)
      publish({ kind: "Answered", payload: { askId, answer: null } }, undefined);
    return answer;
  }

  /** Stops or restarts the time of open questions, when the first person comes or the last one leaves. */
  followersChanged(): void {
    const isFollowed = this.#options.isFollowed?.() === true;
    for (const limit of this.#onlyUnattended) {
      if (isFollowed) limit.pause();
      else limit.restart();
    }
  }

  /** Lets the time of a question count only while no person is subscribed, if this session has such questions. */
  #countOnlyUnattended(limit: Deadline): { readonly onlyUnattended?: true } {
    if (this.#options.isFollowed === undefined) return {};
    this.#onlyUnattended.add(limit);
    if (this.#options.isFollowed()) limit.pause();
    return { onlyUnattended: true };
  }

  /** Records an answer and returns true if it counts: the first one does, a later one is only recorded. */
  answerPermission(command: CommandOf<"AnswerPermission">, client: AttachedClient): boolean {
    const { callId, decision, scope = "once", rule, hosts, hunks, words } = command;
    assertHuman(client, command.kind);
    const open = this.#permissions.get(callId);
    if (open === undefined && !this.#decided.has(callId)) {
      throw new HarnessError("InvalidCommand", {
        kind: command.kind,
        why: `no permission is asked for ${callId}`,
      });
    }
    if (hosts === true && open !== undefined && open.question.hosts === undefined)
      throw new HarnessError("InvalidCommand", { kind: command.kind, why: "the question offers no hosts" });
    assertAnswerFits(command, open?.question);
    const withHosts = hosts === true && decision === "allow" ? ({ hosts } as const) : {};
    const answer =
      open?.question.onceOnly === true
        ? ({ decision, scope: "once", by: client.id, ...withHosts } as const) // whatever a client added
        : { decision, scope, by: client.id, ...defined({ rule }) };
    // The granted rule stands in the event, so that every client can list and revoke it (PERM-07).
    const granted = { once: undefined, argv_glob: rule ?? open?.question.rule, tool: open?.question.tool }[
      answer.scope
    ];
    const said = defined({ hunks, words: words?.trim() === "" ? undefined : words });
    const result = { ...answer, ...said, ...defined({ rule: granted }) };
    this.#options.publish(
      { kind: "PermissionAnswered", payload: { callId, ...result, counted: open !== undefined } },
      client.id,
    );
    // Closed at once: an answer in the same moment comes too late, too.
    this.#permissions.delete(callId);
    this.#decide(callId);
    open?.answer({ kind: "answered", ...answer, ...said });
    return open !== undefined;
  }

  /** Records an answer. The answer null says that nobody will give one: it stands for the time limit. */
  answer(command: Omit<CommandOf<"Answer">, "sessionId">, client: AttachedClient): void {
    const { askId, answer } = command;
    assertHuman(client, command.kind);
    const open = this.#asks.get(askId);
    if (open === undefined) {
      throw new HarnessError("InvalidCommand", { kind: command.kind, why: `nothing is asked as ${askId}` });
    }
    if (answer === null) {
      this.#leave(askId, open, client);
      return;
    }
    const allowed = open.question.choices?.map((choice) => choice.value);
    const isWords = open.question.words === true && typeof answer === "string" && answer.trim() !== "";
    const { noteFor } = open.question;
    const isNoted = noteFor !== undefined && typeof answer === "string" && answer.startsWith(`${noteFor}:`);
    if (allowed !== undefined && !isWords && !isNoted && !allowed.includes(textOfJson(answer))) {
      const noted = noteFor === undefined ? "" : `, or "${noteFor}: NOTE"`;
      throw new HarnessError("InvalidCommand", {
        kind: command.kind,
        why: `answer one of ${allowed.join(", ")}${noted}`,
      });
    }
    this.#options.publish({ kind: "Answered", payload: { askId, answer, by: client.id } }, client.id);
    open.answer({ kind: "answered", answer, by: client.id });
  }

  #leave(askId: AskId, { askedMs, answer }: OpenAsk, { id: by }: AttachedClient): void {
    this.#options.publish({ kind: "Answered", payload: { askId, answer: null, by } }, by);
    const seconds = Math.max(1, Math.ceil((this.#options.clock.monotonic() - askedMs) / 1_000));
    answer({ kind: "timeout", afterMs: seconds * 1_000, by });
  }

  /** Answers the open question about something; returns false if there is none. */
  answerAbout(about: NewQuestion["about"], answer: unknown, client: AttachedClient): boolean {
    const open = [...this.#asks].find(([, { question }]) => question.about === about);
    if (open === undefined) return false;
    const [askId] = open;
    this.answer({ kind: "Answer", askId, answer }, client);
    return true;
  }

  /**
   * Sets the time limit of open questions about something, in milliseconds from now. Clients get each one again, with
   * its id and the new limit.
   */
  restartLimit(about: NewQuestion["about"], timeoutMs: number): void {
    for (const { question, restartLimit } of this.#asks.values())
      if (question.about === about) restartLimit(timeoutMs);
  }

  get #last(): EventSeq {
    return this.#options.lastEvent?.() ?? 0;
  }

  #decide(callId: CallId): void {
    const oldest = this.#decided.keys().next();
    if (this.#decided.size >= DECIDED_CALLS_MAX && !oldest.done) this.#decided.delete(oldest.value);
    this.#decided.add(callId);
  }

  /**
   * Waits for the first answer, the time limit or the end of the turn; `open` returns a function that takes the
   * question back.
   */
  async #wait<Answer>(
    signal: AbortSignal,
    open: (answer: (answer: Answer) => void, limit: Deadline) => () => void,
    timeoutMs = this.#options.timeoutMs,
  ): Promise<Answer | TimeOver> {
    const { clock } = this.#options;
    using limit = deadline(clock, timeoutMs, signal);
    let close: () => void = () => undefined;
    try {
      return await new Promise<Answer | TimeOver>((resolve, reject) => {
        if (limit.signal.aborted) return reject(limit.signal.reason);
        limit.signal.addEventListener("abort", () => {
          const { reason } = limit.signal;
          if (reason instanceof DeadlineReached && limit.reached)
            resolve({ kind: "timeout", afterMs: reason.afterMs });
          else reject(reason);
        });
        close = open(resolve, limit);
      });
    } finally {
      this.#onlyUnattended.delete(limit);
      close();
    }
  }
}

/**
 * Refuses an answer whose hunks or words do not fit its question. @throws HarnessError InvalidCommand.
 * @param question the open one; undefined for an answer that comes too late, which is only recorded.
 */
function assertAnswerFits(
  { kind, decision, scope = "once", hunks, words = "" }: CommandOf<"AnswerPermission">,
  question: PermissionQuestion | undefined,
): void {
  const refuse = (why: string) => new HarnessError("InvalidCommand", { kind, why });
  if (words.length > ANSWER_WORDS_CHARACTERS_MAX)
    throw refuse(`words have at most ${ANSWER_WORDS_CHARACTERS_MAX} characters`);
  if (words !== "" && decision === "allow" && hunks === undefined)
    throw refuse("words go with deny, or with the hunks that are allowed");
  if (hunks === undefined || question === undefined) return;
  if (decision === "deny") throw refuse("hunks go with allow: a denied call applies none");
  if (scope !== "once") throw refuse("accepted hunks count for this call alone: leave out the scope");
  if (question.hunks === undefined) throw refuse("the question shows no hunks");
  if (hunks.length === 0) throw refuse("no hunk is accepted: deny the call instead");
  const known = new Set(question.hunks.map(({ id }) => id));
  const unknown = hunks.find((id) => !known.has(id));
  if (unknown !== undefined) throw refuse(`the question shows no hunk ${JSON.stringify(unknown)}`);
}

/**
 * Refuses an agent a command that widens its own permissions.
 * @throws HarnessError InvalidCommand for an agent.
 */
export function assertHuman(client: AttachedClient, kind: string): void {
  if (client.identityClass === "human") return;
  throw new HarnessError("InvalidCommand", {
    kind,
    why: "only a client of class human may do that; agents cannot approve",
  });
}
