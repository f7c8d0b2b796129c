import type { ClientId, InputId, SessionId } from "../../base/ids.ts";
import { isId } from "../../base/ids.ts";
import { isObject } from "../../base/json.ts";
import { durationText } from "../../base/text/duration.ts";
import { count, grouped, shortened } from "../../base/text/text.ts";
import type { PayloadOf } from "../../protocol/events/events.ts";
import type { Question } from "../questions/questions.ts";
import type { KnownClients } from "../session/clients.ts";
import { displayName } from "../session/clients.ts";
import type { Turns } from "../session/turns.ts";
import { pointName } from "../session/turns.ts";
import type { WaitingInput } from "../session/waiting.ts";
import { neutraliseLine } from "../terminal/terminal-text.ts";
import { inputLine } from "./waiting-text.ts";

const UNKEPT_SHOWN_MAX = 3;

/** The clients of a session, as its reader sees them. */
export interface SeenClients {
  readonly clients: KnownClients;
  /** The client that reads. */
  readonly self: ClientId;
}

/** Returns the name of a client for the user: "you" for this one. */
export function clientName(id: string, { clients, self }: SeenClients): string {
  return id === self ? "you" : displayName(clients, id);
}

/** Returns a text with the client that did it at its end. The engine's own have none. */
export function textBy(text: string, by: ClientId | undefined, seen: SeenClients): string {
  return by === undefined ? text : `${text} (by ${clientName(by, seen)})`;
}

export function withdrawnText(waited: readonly WaitingInput[], id: InputId): string {
  const input = waited.find(({ inputId }) => inputId === id);
  return input === undefined ? "a waiting input was withdrawn" : `withdrawn: ${inputLine(input.content)}`;
}

/** Says to a person that they watch a session of an agent (CTL-12). */
export const OBSERVED_TEXT = "This session was started by an external agent. You are observing as human.";

/** Returns the session of an event about an agent session; undefined for other events. */
export function agentSessionOf(payload: PayloadOf<"CustomEvent">): SessionId | undefined {
  if (agentText(payload) === undefined || !isObject(payload.payload)) return undefined;
  const { session } = payload.payload;
  return typeof session === "string" && isId("sess", session) ? session : undefined;
}

/** Returns the engine's text about an agent session without a subscriber here (CTL-12); undefined for other events. */
export function agentText({ namespace, kind, payload }: PayloadOf<"CustomEvent">): string | undefined {
  const isAgents = namespace === "cinch" && (kind === "AgentSession" || kind === "AgentAsks");
  const text = isAgents && isObject(payload) ? payload["text"] : undefined;
  return typeof text === "string" ? neutraliseLine(text) : undefined;
}

export function answeredLine(answer: PayloadOf<"PermissionAnswered">, seen: SeenClients): string {
  const by = answer.by === undefined ? "" : ` by ${clientName(answer.by, seen)}`;
  const rule = answer.rule === undefined ? "" : ` (${neutraliseLine(answer.rule)})`;
  if (!answer.counted) return `a later answer${by} came after the first and did not count`;
  return answer.decision === "allow" ? `  allowed${by}${rule}` : `  denied${by}`;
}

const SPOKEN_MARKS = { pending: "To do:", in_progress: "In progress:", completed: "Done:" };

/** @param isSpoken true for a screen reader: words in place of marks. Default: false. */
export function todoLines(
  { items }: PayloadOf<"TodoChanged">,
  { isSpoken = false }: { readonly isSpoken?: boolean } = {},
): string {
  const marks = isSpoken ? SPOKEN_MARKS : { pending: "[ ]", in_progress: "[>]", completed: "[x]" };
  const lines = items.map(({ content, status }) => `  ${marks[status]} ${neutraliseLine(content)}`);
  return lines.length === 0 ? "the list of things to do is empty" : lines.join("\n");
}

export function memoryLine({ name, type, description, removed }: PayloadOf<"MemoryWritten">): string {
  const [what, said] = [removed === true ? "removed" : "written", neutraliseLine(description)];
  return `memory ${neutraliseLine(name)} ${what} (${neutraliseLine(type)}): ${said}`;
}

/** Returns the line about paths that cannot be set back; undefined if there are none. */
export function unkeptText(notRestorable: readonly string[]): string | undefined {
  if (notRestorable.length === 0) return undefined;
  if (notRestorable.includes(".")) return "what commands change in this folder cannot be set back";
  const shown = notRestorable.slice(0, UNKEPT_SHOWN_MAX).map((path) => shortened(neutraliseLine(path), 60));
  const more = notRestorable.length - shown.length;
  return `cannot be set back: ${shown.join(", ")}${more > 0 ? ` and ${count(more, "other")}` : ""}`;
}

const COMPACTED = {
  1: "long results of earlier calls were set aside",
  2: "earlier turns became a summary",
  3: "earlier turns became a summary from the log",
} as const;

/** Returns the line about a summary that is being written; its end has none. */
export function compactionProgressLine({
  state,
  beforeTokens,
  timeoutMs,
}: PayloadOf<"CompactionProgress">): string | undefined {
  if (state === "ended") return undefined;
  return `making the conversation shorter (${grouped(beforeTokens)} tokens): a summary is being written, for at most ${durationText(timeoutMs)}`;
}

export function compactionLine({
  beforeTokens,
  afterTokens,
  tier,
}: PayloadOf<"CompactionTriggered">): string {
  const what = COMPACTED[tier === 1 || tier === 3 ? tier : 2];
  return `the conversation was made shorter: ${what}, ${grouped(beforeTokens)} → ${grouped(afterTokens)} tokens`;
}

/** Returns the line about a rewind, for a person who reads it later: the lines above it may be void. */
export function rewoundText(payload: unknown, turns: Pick<Turns, "all">): string {
  const { to, what } = isObject(payload) ? payload : {};
  const part = what === "conversation" || what === "files" ? `${what} ` : "";
  const point = pointName(turns, Number(to)) ?? `event ${Number(to)}`;
  return `-- ${part}set back to ${point}${what === "files" ? "" : ": what came after is forgotten"}`;
}

export function renamedText({ title }: PayloadOf<"SessionRenamed">): string {
  return title === "" ? "the session has no title of its own any more" : `title: ${neutraliseLine(title)}`;
}

export function promotedText({ rule, path, directory }: PayloadOf<"RulePromoted">): string {
  const where = directory === undefined ? "" : ` for ${neutraliseLine(directory)}`;
  return `rule kept in ${neutraliseLine(path)}${where}: ${neutraliseLine(rule)}`;
}

/** Returns the file that a trust question is about. The command that asks about a server reports its fate. */
export function trustedFileOf(question: Question): string | undefined {
  if (question.kind !== "asked") return undefined;
  const { about, details = {} } = question.ask;
  if (about !== "trust" || details["server"] !== undefined) return undefined;
  const path = details["path"];
  return typeof path === "string" ? neutraliseLine(path) : "a file of the project";
}

/** Returns the line about a loaded skill; undefined for any other event. */
export function skillText({ namespace, kind, payload }: PayloadOf<"CustomEvent">): string | undefined {
  if (namespace !== "cinch" || kind !== "SkillActivated" || !isObject(payload)) return undefined;
  const { name, why } = payload;
  if (typeof name !== "string" || typeof why !== "string") return undefined;
  return `skill ${neutraliseLine(name)}: ${neutraliseLine(why)}`;
}
