import type { LogId, SessionId } from "../../../base/ids.ts";
import type { World } from "../../../base/world.ts";
import { Bus } from "../../../engine/bus/bus.ts";
import { Redaction } from "../../../engine/bus/redaction.ts";
import type { InputBlock } from "../../../protocol/content.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { Event } from "../../../protocol/events/events.ts";
import type { Redactor } from "../../../safety/redact.ts";
import { Questions } from "../../../session/questions/questions.ts";
import type { SessionStore, SessionWriter } from "../../../session/store/store.ts";
import type { Session } from "../../../session/turns/session.ts";

/** Parts of a session that exist before its features. */
export interface SessionCoreDependencies {
  readonly world: World;
  readonly session: SessionId;
  readonly logId: LogId;
  readonly store: SessionStore;
  readonly writer: SessionWriter;
  readonly redactor: Redactor;
  readonly attended: boolean;
  /** Also ask when a person is subscribed. If false and unattended, questions resolve to `nobody`. */
  readonly attendedByFollowers?: boolean;
  readonly permissionTimeoutMs: number;
  /** True if permission questions stay open while somebody is subscribed who can answer them. */
  readonly questionsStayOpen?: boolean;
  /** Called for each call that waits for a person's permission. */
  readonly onAsked?: (session: SessionId, tool: string) => void;
}

/** A session that takes its own inputs. */
type ComposedSession = Pick<Session, "id" | "send" | "touch">;

/** Bus and questions of one session: they work before any feature is open. */
export class SessionCore {
  readonly bus: Bus;
  readonly questions: Questions;
  readonly redaction: Redaction;
  readonly #ids: World["ids"];
  readonly #session = Promise.withResolvers<ComposedSession>();
  #onPublished: () => void = () => undefined;

  constructor(parts: SessionCoreDependencies) {
    const { world, session, logId, store, writer, redactor, attended, permissionTimeoutMs } = parts;
    const { clock, ids } = world;
    this.#ids = ids;
    this.redaction = new Redaction(redactor);
    const onAnswerable = () => this.questions.followersChanged();
    const bus = new Bus({ session, logId, store, writer, clock, redaction: this.redaction, onAnswerable });
    this.bus = bus;
    this.questions = new Questions({
      clock,
      ids,
      get attended() {
        return attended || (parts.attendedByFollowers === true && bus.people > 0);
      },
      timeoutMs: permissionTimeoutMs,
      ...(parts.questionsStayOpen === true ? { isFollowed: () => bus.isAnswerable } : {}),
      lastEvent: () => bus.lastEvent,
      publish(event, originator) {
        bus.publish(event, originator === undefined ? {} : { originator });
        if (event.kind === "PermissionRequested") parts.onAsked?.(session, event.payload.tool);
      },
    });
  }

  /** Publishes an event of the session itself, which then counts as active. */
  publish(event: Event): void {
    this.bus.publish(event);
    this.#onPublished();
  }

  /** Yields every event from now on, as clients see it. */
  follow(signal: AbortSignal): AsyncIterable<Envelope> {
    return this.bus.subscribe(undefined, signal);
  }

  /**
   * Sends an input of the session itself. It waits until there is a session that takes it; resolves when the input is
   * accepted.
   * @throws HarnessError if it is refused.
   */
  async send(content: readonly InputBlock[]): Promise<void> {
    const session = await this.#session.promise;
    const self = { id: this.#ids.next("cli"), identityClass: "agent", label: "cinch" } as const;
    await session.send(
      { kind: "SendInput", sessionId: session.id, content: [...content], delivery: "queue" },
      self,
    );
  }

  /** Passes inputs of its own to the session that was composed of it, and counts its events as activity. */
  serve(session: ComposedSession): void {
    this.#onPublished = () => session.touch();
    this.#session.resolve(session);
  }
}
