import { defined } from "../../base/defined.ts";
import type { SessionId } from "../../base/ids.ts";
import { shortened } from "../../base/text/text.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { isShellEvent } from "../../view/event-facts.ts";
import type { NotifiedEvent } from "../../view/notified-events.ts";

/** Limit for the text in a notification, in UTF-16 units. */
export const NOTIFY_TEXT_CHARS_MAX = 1_000;
/** End of a session's id: enough to find it, and its other characters are a time. */
const SESSION_CHARS = 8;

/** A notification as it is sent. Without `details` it says nothing of the session's content. */
export interface SessionNotification {
  readonly kind: NotifiedEvent;
  /** The last characters of the session's id. */
  readonly session: string;
  /** Time of the event, as ISO 8601. */
  readonly time: string;
  readonly details?: NotifiedContent;
}

/** Fields that `content = true` adds. */
export interface NotifiedContent {
  readonly workingDir: string;
  readonly tool?: string;
  /** The beginning of the question, the model's last text, or the failure. */
  readonly text?: string;
}

export function notificationOf(
  { kind, session, details }: Pick<SessionNotification, "kind" | "details"> & { readonly session: SessionId },
  time: string,
): SessionNotification {
  return { kind, session: session.slice(-SESSION_CHARS), time, ...defined({ details }) };
}

/** Keeps the beginning of the last text that the model wrote in a turn. */
export class LastText {
  #text = "";

  add(event: Envelope): void {
    const { kind, payload, parentCall } = event;
    if (parentCall !== undefined || isShellEvent(event)) return;
    if (kind === "TurnStarted" || kind === "ToolCallStarted") this.#text = "";
    else if (kind === "TextDelta" && this.#text.length <= NOTIFY_TEXT_CHARS_MAX) this.#text += payload.text;
  }

  get text(): string {
    return this.#text;
  }
}

/** Returns the content of an event for a notification. The caller redacts it. */
export function contentOf(envelope: Envelope, last: LastText): Omit<NotifiedContent, "workingDir"> {
  switch (envelope.kind) {
    case "PermissionRequested":
      return { tool: envelope.payload.tool, text: cut(envelope.payload.summary) };
    case "Asked":
      return { text: cut(envelope.payload.text) };
    case "TurnEnded":
      return { text: cut(envelope.payload.error?.message ?? last.text) };
    default:
      return {};
  }
}

function cut(text: string): string {
  return shortened(text.trim(), NOTIFY_TEXT_CHARS_MAX);
}

const WORDS: Readonly<Record<NotifiedEvent, string>> = {
  "turn-end": "the turn has ended",
  question: "a question waits for you",
  error: "the turn has failed",
};

/** Draws a notification for a person, as one sentence and the content behind it. */
export function notificationText({ kind, session, details }: SessionNotification): string {
  const { tool, text = "", workingDir } = details ?? {};
  const more = [tool, text].filter((each) => each !== undefined && each !== "").join(": ");
  const where = workingDir === undefined ? "" : ` in ${workingDir}`;
  return `Session ${session}${where}: ${WORDS[kind]}.${more === "" ? "" : `\n${more}`}`;
}

/** The request that delivers a notification, without its address and token. */
export interface NotifyRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Renders a notification as the JSON object of a webhook. */
export function jsonRequest(notification: SessionNotification, host: string): NotifyRequest {
  const { kind, session, time, details } = notification;
  const { workingDir, tool, text } = details ?? {};
  const content = defined({ working_dir: workingDir, tool, text });
  return {
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ kind, session, time, host, ...content }),
  };
}

const NTFY: Readonly<Record<NotifiedEvent, { readonly tags: string; readonly priority: string }>> = {
  "turn-end": { tags: "white_check_mark", priority: "default" },
  question: { tags: "question", priority: "high" },
  error: { tags: "warning", priority: "high" },
};

/** Renders a notification as a message to a topic of an ntfy server, which takes the rest from headers. */
export function ntfyRequest(notification: SessionNotification, host: string): NotifyRequest {
  const { tags, priority } = NTFY[notification.kind];
  return {
    headers: { "content-type": "text/plain; charset=utf-8", title: host, tags, priority },
    body: notificationText(notification),
  };
}
