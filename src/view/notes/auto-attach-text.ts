import type { SessionId } from "../../base/ids.ts";
import { isId } from "../../base/ids.ts";
import { isObject } from "../../base/json.ts";
import type { PayloadOf } from "../../protocol/events/events.ts";
import { neutraliseLine } from "../terminal/terminal-text.ts";

/** Meaning of both answers for a person. */
export const AUTO_ATTACH_HELP =
  "Yes: what its sessions ask for is shown in every open cinch, and on the desktop. No: only in their sessions.";

/** Returns a program as people know it: its binary, and the script that it runs. */
export function programText({
  binary,
  script,
}: {
  readonly binary: string;
  readonly script?: string | undefined;
}): string {
  return [binary, ...(script === undefined ? [] : [script])].map(neutraliseLine).join(" running ");
}

/** Returns the question whether sessions of a program are auto-attached (CTL-12). */
export function autoAttachQuestion(program: string): string {
  return `Always auto-attach sessions from this parent? ${program}`;
}

/** Returns the sentence about the answer; undefined: the question was closed without one. */
export function autoAttachOutcome(program: string, always: boolean | undefined): string {
  if (always === undefined) return `Whether sessions are auto-attached is no longer asked: ${program}`;
  return always
    ? `Sessions from this parent are always auto-attached: ${program}`
    : `Sessions from this parent are not auto-attached: ${program}`;
}

/** An event about the question whether the sessions of a program are auto-attached. */
export interface AutoAttachNotice {
  readonly kind: "asked" | "answered";
  /** The session by which the question is known. */
  readonly session: SessionId;
  readonly text: string;
}

const KINDS: Readonly<Record<string, AutoAttachNotice["kind"]>> = {
  AutoAttachAsked: "asked",
  AutoAttachAnswered: "answered",
};

/** Returns such an event; undefined for any other. */
export function autoAttachNotice(event: PayloadOf<"CustomEvent">): AutoAttachNotice | undefined {
  const kind = event.namespace === "cinch" ? KINDS[event.kind] : undefined;
  if (kind === undefined || !isObject(event.payload)) return undefined;
  const { session, text } = event.payload;
  if (typeof session !== "string" || !isId("sess", session) || typeof text !== "string") return undefined;
  return { kind, session, text: neutraliseLine(text) };
}

/** Returns the event for clients in which a slash command answers. */
export function autoAttachLine({ kind, session, text }: AutoAttachNotice): string {
  if (kind === "answered") return text;
  return `${text} ${AUTO_ATTACH_HELP} /sessions:attach-always ${session} answers yes, /sessions:attach-never ${session} answers no.`;
}
