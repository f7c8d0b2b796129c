import type { CallId, EventSeq } from "../../base/ids.ts";
import { shortened } from "../../base/text/text.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { severityOf } from "../event-facts.ts";
import { noticeText } from "../texts/notice-text.ts";
import { isRefusal } from "../turn-result.ts";

/** Notices of a session that are kept, the newest. */
const NOTICES_MAX = 100;
const NOTICE_CHARACTERS_MAX = 2_000;

/** A failure, or something else that a person should know of a session. */
export interface Notice {
  readonly event: EventSeq;
  readonly kind: "Error" | "HookTimeout" | "HookError" | "MCPServerDown" | "StreamGap";
  /** True for an error; false if nothing has failed. */
  readonly isFailure: boolean;
  /** Text, the same for every client; nothing in it can drive a terminal. */
  readonly text: string;
  /** The call that runs the sub-agent that it is about. */
  readonly parentCall?: CallId;
}

/** Returns the notices of a session after one more event; the same list if it is none. Refused calls are no notices. */
export function noticesAfter(notices: readonly Notice[], envelope: Envelope): readonly Notice[] {
  switch (envelope.kind) {
    case "Error":
      if (isRefusal(envelope.payload)) return notices;
      break;
    case "HookTimeout":
    case "HookError":
    case "MCPServerDown":
    case "StreamGap":
      break;
    default:
      return notices;
  }
  const { id: event, kind, parentCall } = envelope;
  const isFailure = kind !== "StreamGap" && !(kind === "Error" && severityOf(envelope.payload) === "note");
  const text = shortened(noticeText(envelope), NOTICE_CHARACTERS_MAX);
  const notice = { event, kind, isFailure, text, ...(parentCall === undefined ? {} : { parentCall }) };
  return [...notices.slice(1 - NOTICES_MAX), notice];
}
