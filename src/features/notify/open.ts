import { deadline, whileAlive } from "../../base/async/deadline.ts";
import { defined } from "../../base/defined.ts";
import { HarnessError, messageOf } from "../../base/errors.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { EngineFeature, OpenFeature } from "../../session/feature.ts";
import type { EngineHost, SessionHost } from "../../session/host.ts";
import type { NotifiedEvent } from "../../view/notified-events.ts";
import { NotifiedEvents } from "../../view/notified-events.ts";
import { neutraliseLine } from "../../view/terminal/terminal-text.ts";
import { notifySection } from "./config.ts";
import type { SessionNotification } from "./notification.ts";
import {
  contentOf,
  jsonRequest,
  LastText,
  notificationOf,
  notificationText,
  ntfyRequest,
} from "./notification.ts";
import { UrlNotifier } from "./url-notifier.ts";

/** Time that the end of a session waits for its last turn's end to be read. */
const LAST_EVENTS_MS_MAX = 1_000;

/** Notifications of an engine to the address of its user. */
export interface EngineNotify extends EngineFeature {
  /** Queues a notification; does nothing without an address. */
  send(notification: SessionNotification, onOutage: (problem: string) => void): void;
  /** Host of the address, for messages: the rest of it may be a secret. */
  readonly host: string | undefined;
  /** Reason why nothing is sent, as a sentence. */
  readonly problem: string | undefined;
}

export function openEngineNotify({ world, environment, config }: EngineHost): EngineNotify {
  const { url: text, format, host, tokenEnv } = settingsOf(notifySection, { config });
  const token = tokenEnv === undefined ? undefined : environment[tokenEnv];
  const problem = tokenEnv === undefined ? undefined : tokenProblem(tokenEnv, token);
  const url = text === undefined ? undefined : new URL(text);
  const notifier =
    url === undefined || problem !== undefined
      ? undefined
      : new UrlNotifier({ world, url, ...defined({ token }) });
  const render = format === "ntfy" ? ntfyRequest : jsonRequest;
  return {
    host: url?.host,
    problem: url === undefined ? undefined : problem,
    send: (notification, onOutage) => notifier?.send(render(notification, host), onOutage),
    ...(notifier === undefined ? {} : { health: () => ({ notify: notifier.health() }) }),
    [Symbol.asyncDispose]: async () => await notifier?.[Symbol.asyncDispose](),
  };
}

/** Returns why the token of a variable cannot be sent, as a sentence; undefined if it can. */
export function tokenProblem(name: string, value: string | undefined): string | undefined {
  const start = `token_env of [notify] names ${name}, which`;
  if (value === undefined || value === "")
    return `${start} the engine was started without: nothing is posted. Set it where the engine is started.`;
  if (/^[\x21-\x7e]{1,4096}$/.test(value)) return undefined;
  return `${start} holds no token: nothing is posted. It may have 4,096 printable ASCII characters, without spaces.`;
}

/** Notifies of the events of one session. Undefined for the session of a sub-agent: its parent shows its questions. */
export function openNotify(host: SessionHost, engine: EngineNotify): OpenFeature | undefined {
  if (host.plan().wishes.delegatedBy !== undefined) return undefined;
  const end = new AbortController();
  const notices = new SessionNotices(host, engine);
  const watching = notices.watch(host.follow(end.signal));
  // A broken log is reported by its writer.
  watching.catch((thrown: unknown) =>
    host.world.log
      .for("notify")
      .write("debug", "a session is no longer watched", { what: messageOf(thrown) }),
  );
  return {
    notices: () => (engine.problem === undefined ? [] : [engine.problem]),
    onTurnEnd: async () => notices.turnEnds(),
    settle: async () => notices.endReports(),
    async [Symbol.asyncDispose]() {
      if (!notices.isBehind) return end.abort();
      using limit = deadline(host.world.clock, LAST_EVENTS_MS_MAX, new AbortController().signal);
      await whileAlive(watching, limit.signal).catch(() => undefined); // reported above
      end.abort();
    },
  };
}

class SessionNotices {
  readonly #host: SessionHost;
  readonly #engine: EngineNotify;
  readonly #events = new NotifiedEvents();
  readonly #last = new LastText();
  #canReport = true;
  /** Turns that have ended, and those whose end was read. */
  #ended = 0;
  #read = 0;

  constructor(host: SessionHost, engine: EngineNotify) {
    this.#host = host;
    this.#engine = engine;
  }

  async watch(envelopes: AsyncIterable<Envelope>): Promise<void> {
    for await (const envelope of envelopes) {
      this.#last.add(envelope);
      if (envelope.kind === "TurnEnded" && envelope.parentCall === undefined) this.#read += 1;
      const kind = this.#events.add(envelope);
      if (kind !== undefined) this.#notify(kind, envelope);
    }
  }

  turnEnds(): void {
    this.#ended += 1;
  }

  /** True if a turn has ended whose end was not read yet. */
  get isBehind(): boolean {
    return this.#read < this.#ended;
  }

  /** Publishes nothing from now on: the session takes no more events. */
  endReports(): void {
    this.#canReport = false;
  }

  #notify(kind: NotifiedEvent, envelope: Envelope): void {
    const { session, world, tellDesktop } = this.#host;
    const { events, content, desktop } = settingsOf(notifySection, this.#host.plan());
    if (!events.includes(kind)) return;
    const details = content ? this.#contentOf(envelope) : undefined;
    const notification = notificationOf({ kind, session, ...defined({ details }) }, envelope.ts);
    this.#engine.send(notification, (problem) => this.#report(problem));
    if (!desktop) return;
    tellDesktop?.(neutraliseLine(notificationText(notification))).catch((thrown: unknown) => {
      world.log.for("notify").write("debug", "no notice was shown", { problem: messageOf(thrown) });
    });
  }

  #contentOf(envelope: Envelope): SessionNotification["details"] {
    const { redactor, workspace } = this.#host;
    const { tool, text } = contentOf(envelope, this.#last);
    return {
      workingDir: redactor.text(workspace.root),
      ...defined({ tool }),
      ...(text === undefined || text === "" ? {} : { text: redactor.text(text) }),
    };
  }

  #report(problem: string): void {
    if (!this.#canReport) return; // the log of the engine has it
    const error = new HarnessError("NotifyFailed", { host: this.#engine.host ?? "", problem });
    const { reason, message } = error;
    this.#host.publish({ kind: "Error", payload: { reason, message, severity: "notice" } });
  }
}
