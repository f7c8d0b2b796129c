import type { Engine } from "./engine.ts";
import { hasReason } from "./engine.ts";
import { CinchError, invalidAnswer } from "./errors.ts";
import { follow } from "./follow.ts";
import type { RequestOptions } from "./http.ts";
import type {
  Accepted,
  AnswerPermissionCommand,
  AttachmentInfo,
  Command,
  CommandKind,
  CommandResults,
  Envelope,
  SendInputCommand,
  SessionId,
  SessionInfo,
} from "./protocol.ts";
import type { TurnResult } from "./turn.ts";
import { begins, TurnSum } from "./turn.ts";

export interface SignalOption {
  readonly signal?: AbortSignal;
}

/** Input for the model: a text, or blocks. */
export type Input = string | SendInputCommand["content"];

export type InputOptions = SignalOption & Omit<SendInputCommand, "kind" | "sessionId" | "content">;

export interface EventOptions extends SignalOption {
  /** The last event that was seen; 0: all from the beginning. Absent: from now on, and what waits for an answer. */
  readonly since?: number;
  /** True: also ToolArgsDelta events, the arguments of calls while the model writes them. */
  readonly args?: boolean;
}

/** Options of a subscription whose opening is told. */
interface OpenedOptions {
  readonly since: number | undefined;
  readonly args: boolean;
  readonly signal: AbortSignal | undefined;
  readonly onOpen?: () => void;
}

export type StreamOptions = InputOptions & Pick<EventOptions, "args">;

export interface AttachOptions extends SignalOption {
  readonly name: string;
  /** The engine looks at the bytes; this tells one text from another. */
  readonly mediaType?: string;
}

/** The fields of AnswerPermission besides the call and the decision. */
export type PermissionOptions = SignalOption &
  Omit<AnswerPermissionCommand, "kind" | "sessionId" | "callId" | "decision">;

type PostOptions = Pick<RequestOptions, "body" | "file" | "signal">;

/** The answer to a command of one kind. */
export type AcceptedOf<Kind extends CommandKind> = Omit<Accepted, "result"> & {
  readonly result?: Kind extends keyof CommandResults ? CommandResults[Kind] : unknown;
};

/** A command of a session, which is named by whom it is sent. */
export type SessionCommand = Command extends infer Each
  ? Each extends { readonly sessionId: unknown }
    ? Omit<Each, "sessionId">
    : never
  : never;

/**
 * One session of an engine. Its commands are named as the protocol names them.
 *
 * If the engine restarted meanwhile, the session continues as a new run on the same log, and `id` is that of the
 * new run (CTL-17). The same goes where it was put under another profile in place; where another session took its
 * place, that is `next` (PROF-02). A command is never sent twice, unless it was refused for that very reason.
 */
export class Session {
  readonly #engine: Engine;
  #id: string;
  /** The engine's process in which it was last known to live. */
  #seenIn: string;
  #hasEnded = false;
  #reattaching: Promise<boolean> | undefined;
  #next: Session | undefined;
  /** The run before this one, which its engine may never have begun. */
  #left: string | undefined;

  constructor(engine: Engine, id: string) {
    [this.#engine, this.#id, this.#seenIn] = [engine, id, engine.process];
  }

  /** The newest run. */
  get id(): SessionId {
    return this.#id as SessionId;
  }

  /**
   * The session that took this one's place under another profile, once that is known: from its events, which end
   * then, or because it was asked for here. It has a log of its own, whose events begin at 1.
   */
  get next(): Session | undefined {
    return this.#next;
  }

  async info({ signal }: SignalOption = {}): Promise<SessionInfo> {
    const { body } = await this.#engine.ask("GET", this.#path(), { signal });
    return body as SessionInfo;
  }

  /** Begins a turn, and does not wait for it. @throws CinchError TurnInProgress, unless a `delivery` lets it wait. */
  async sendInput(input: Input, { signal, ...options }: InputOptions = {}): Promise<Accepted> {
    return await this.#send("SendInput", "/input", { ...options, content: contentOf(input) }, signal);
  }

  /**
   * Begins a turn and gives its events as they happen, to its TurnEnded. Whoever leaves, or aborts, stops watching
   * and not the turn: that is `cancelTurn`.
   */
  async *streamTurn(
    input: Input,
    { args = false, ...options }: StreamOptions = {},
  ): AsyncGenerator<Envelope, void> {
    const { events: since } = await this.info(options);
    const leave = new AbortController();
    const signal = joined(leave.signal, options.signal);
    let onOpen: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => (onOpen = resolve));
    const events = this.#events({ since, args, signal, onOpen });
    // No log has pieces of arguments: who subscribes after a short call was written gets none of it.
    let next = args ? events.next() : undefined;
    try {
      if (next !== undefined) await Promise.race([opened, next]);
      const { inputId } = await this.sendInput(input, options);
      const by = this.#engine.clientId;
      let isOurs = false;
      while (true) {
        next ??= events.next();
        const { done, value: event } = await next;
        next = undefined;
        if (done === true) throw new CinchError("EngineStopping", "The session ended before the turn did.");
        const isWithdrawn = event.kind === "InputWithdrawn" && event.payload.inputId === inputId;
        isOurs ||= isWithdrawn || begins(event, by, inputId);
        if (!isOurs) continue;
        yield event;
        if (isWithdrawn || (event.kind === "TurnEnded" && event.parentCall === undefined)) return;
      }
    } finally {
      leave.abort(new Error("nobody reads on"));
      await next?.catch(() => undefined); // the refusal of the input is thrown, not the end of its events
      await events.return();
    }
  }

  /** Begins a turn and waits for its end. That it failed is in the result, and no error. */
  async runTurn(input: Input, options: InputOptions = {}): Promise<TurnResult> {
    const sum = new TurnSum();
    for await (const event of this.streamTurn(input, options)) sum.add(event);
    const { result } = sum;
    if (result === undefined)
      throw new CinchError("EngineStopping", "The session ended before the turn did.");
    return result;
  }

  /**
   * Every event above `since`, in order and each once, then those that happen, until the session has ended. What
   * breaks is opened again after the last event that came. Where content has expired, was compacted, or was lost
   * when the engine was killed, a StreamGap stands in its place.
   */
  events({ since, args = false, signal }: EventOptions = {}): AsyncGenerator<Envelope, void> {
    return this.#events({ since, args, signal });
  }

  /** @param options `onOpen` is called whenever the engine begins to answer. */
  async *#events({ since, args, signal, onOpen }: OpenedOptions): AsyncGenerator<Envelope, void> {
    const engine = this.#engine;
    const leave = new AbortController();
    const stop = joined(AbortSignal.any([leave.signal, engine.left]), signal);
    try {
      const from = since ?? asOfNow(await this.info({ signal: stop }));
      yield* follow({
        since: from,
        args,
        signal: stop,
        limits: engine.limits,
        open: engine.open,
        onState(state) {
          if (state.kind === "connected") onOpen?.();
          engine.onState?.(state);
        },
        run: () => this.#id,
        client: () => engine.client,
        heal: async (refusal, until) => {
          if (refusal.reason === "UnknownClient") return await engine.renewClient(until);
          return refusal.reason === "UnknownSession" && (await this.#reattach(until));
        },
        look: (until) => this.#look(until),
        seen: (event) => this.#seen(event),
        ended: () => {
          this.#hasEnded = true;
        },
      });
    } finally {
      leave.abort(new Error("nobody reads on"));
    }
  }

  /**
   * Stores a file, of at most 20 MiB, for inputs of this session: a block `{type: "attachment", id: attachment}` of an
   * input stands for it. An image, a text or a PDF. @throws CinchError AttachmentRefused, AttachmentsFull, UploadsBusy.
   */
  async attach(
    file: Uint8Array<ArrayBuffer> | Blob,
    { name, mediaType = "application/octet-stream", signal }: AttachOptions,
  ): Promise<AttachmentInfo> {
    const path = `/attachments?name=${encodeURIComponent(name)}`;
    const body = await this.#post("attach", path, { file: { bytes: file, mediaType }, signal });
    return accepted(body, this.#engine.url) as object as AttachmentInfo;
  }

  /**
   * Answers a PermissionRequested event. The first answer counts, and only people's do.
   *
   * With "allow": `scope` and `rule` also allow later calls, `hosts` opens the network that the question names, and
   * `hunks` are the ids of the changes that are applied. `words` go to the model: with "deny" or with `hunks`.
   */
  async answerPermission(
    callId: string,
    decision: AnswerPermissionCommand["decision"],
    { signal, ...more }: PermissionOptions = {},
  ): Promise<AcceptedOf<"AnswerPermission">> {
    const body = { ...more, callId, decision };
    const answer = await this.#send("AnswerPermission", "/permission", body, signal);
    return answer as AcceptedOf<"AnswerPermission">;
  }

  /** Answers an Asked event: one of its choices, or the text or form it asks for. Only people's answers count. */
  async answer(askId: string, answer: unknown, { signal }: SignalOption = {}): Promise<Accepted> {
    return await this.#send("Answer", "/answer", { askId, answer }, signal);
  }

  /** Stops the turn that runs. */
  async cancelTurn({ signal }: SignalOption = {}): Promise<Accepted> {
    return await this.#send("CancelTurn", "/cancel", {}, signal);
  }

  /** Ends the session. Its log stays, and can be gone on with. */
  async endSession({ signal }: SignalOption = {}): Promise<Accepted> {
    this.#hasEnded = true;
    return await this.#send("EndSession", "/command", { kind: "EndSession" }, signal);
  }

  /** Any command of the protocol. */
  async send<Sent extends SessionCommand>(
    command: Sent,
    { signal }: SignalOption = {},
  ): Promise<AcceptedOf<Sent["kind"]>> {
    const answer = await this.#send(command.kind, "/command", command, signal);
    if (command.kind === "SwitchProfile" && answer.sessionId !== undefined)
      this.#goOnAs(answer.sessionId, command.inPlace === true);
    return answer as AcceptedOf<Sent["kind"]>;
  }

  async #send(kind: string, path: string, body: object, signal: AbortSignal | undefined): Promise<Accepted> {
    return accepted(await this.#post(kind, path, { body, signal }), this.#engine.url);
  }

  async #post(command: string, path: string, options: PostOptions): Promise<unknown> {
    const ask = () => this.#engine.ask("POST", `${this.#path()}${path}`, { ...options, command });
    try {
      return (await ask()).body;
    } catch (thrown) {
      // It was refused, so nothing of it was carried out: it may be sent to the run that takes over.
      if (!hasReason(thrown, "UnknownSession") || !(await this.#reattach(options.signal))) throw thrown;
      return (await ask()).body;
    }
  }

  #seen(event: Envelope): void {
    if (event.kind !== "ProfileSwitched" || event.session !== this.#id) return;
    const { next, inPlace } = event.payload;
    if (next !== undefined) this.#goOnAs(next, inPlace === true);
  }

  #goOnAs(next: string, inPlace: boolean): void {
    if (next === this.#id) return;
    if (inPlace) [this.#left, this.#id] = [this.#id, next];
    else this.#next ??= new Session(this.#engine, next);
  }

  /**
   * Looks at the session, which goes on as it was where its engine died before it had begun the run that it told of.
   */
  async #look(signal: AbortSignal): Promise<SessionInfo> {
    try {
      return await this.info({ signal });
    } catch (thrown) {
      if (this.#left === undefined || !hasReason(thrown, "UnknownSession")) throw thrown;
      [this.#id, this.#left] = [this.#left, undefined];
      return await this.info({ signal });
    }
  }

  /** Opens a new run where the engine was started anew since; false where that is not why the session is unknown. */
  async #reattach(signal: AbortSignal | undefined): Promise<boolean> {
    if (this.#hasEnded) return false;
    this.#reattaching ??= this.#attachAnew(signal).finally(() => {
      this.#reattaching = undefined;
    });
    return await this.#reattaching;
  }

  async #attachAnew(signal: AbortSignal | undefined): Promise<boolean> {
    const now = await this.#engine.look(signal);
    if (now === this.#seenIn) return false;
    const command = { body: { kind: "AttachSession" }, command: "AttachSession", signal };
    const { body } = await this.#engine.ask("POST", `${this.#path()}/command`, command);
    this.#id = accepted(body, this.#engine.url).sessionId ?? this.#id;
    this.#seenIn = now;
    return true;
  }

  #path(): string {
    return `/v1/sessions/${encodeURIComponent(this.#id)}`;
  }
}

/** Returns where to read from: the event before the open question, else the last one. */
function asOfNow({ events, asked_since }: SessionInfo): number {
  return asked_since ?? events;
}

export function accepted(body: unknown, url: string): Accepted {
  if (typeof body !== "object" || body === null) throw invalidAnswer(url, "what it accepted is no object");
  return body;
}

function contentOf(input: Input): SendInputCommand["content"] {
  return typeof input === "string" ? [{ type: "text", text: input }] : input;
}

function joined(own: AbortSignal, given: AbortSignal | undefined): AbortSignal {
  return given === undefined ? own : AbortSignal.any([own, given]);
}
