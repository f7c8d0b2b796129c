import { unreachable } from "../../base/assert.ts";
import { defined } from "../../base/defined.ts";
import type { ClientId } from "../../base/ids.ts";
import { isId } from "../../base/ids.ts";
import { head } from "../../base/text/text.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { PayloadOf } from "../../protocol/events/events.ts";
import { severityOf } from "../event-facts.ts";
import {
  agentText,
  compactionLine,
  memoryLine,
  promotedText,
  renamedText,
  rewoundText,
  skillText,
} from "../notes/event-text.ts";
import { fateText } from "../questions/question-words.ts";
import { givenMemories } from "../session/memories.ts";
import { planModeBy, planModeOf } from "../session/plan-mode.ts";
import type { Turns } from "../session/turns.ts";
import { neutralise, neutraliseLine } from "../terminal/terminal-text.ts";
import { cancelledText } from "../texts/ending-text.ts";
import { modelText } from "../texts/model-text.ts";
import { noticeText } from "../texts/notice-text.ts";
import { isRefusal } from "../turn-result.ts";
import type { NoteItem, NoteTone } from "./items.ts";

/**
 * Returns the note of an event; undefined for one that is shown in another way, or not at all.
 * @param asked the question that it answers.
 */
export function noteOf(envelope: Envelope, asked?: NoteItem): NoteItem | undefined {
  const note =
    envelope.kind === "Answered"
      ? ([answerText(envelope.payload.answer, asked?.choices)] as const)
      : wordsOf(envelope);
  if (note === undefined) return undefined;
  const question = envelope.kind === "Asked" ? questionOf(envelope.payload) : {};
  const { id: event, ts } = envelope;
  const [text, tone = "info"] = note;
  const askId =
    envelope.kind === "Asked" || envelope.kind === "Answered" ? envelope.payload.askId : undefined;
  const isCancel = envelope.kind === "Cancelled" ? (true as const) : undefined;
  const by = clientOf(envelope);
  const isMode = by !== undefined && isModeKind(envelope) ? (true as const) : undefined;
  const facts = defined({ by, askId, isCancel, isMode });
  return { kind: "note", event, ts, tone, text, ...facts, ...question };
}

/** Returns the note of a rewind, which names its point by a turn; undefined for any other event. */
export function rewindNoteOf(envelope: Envelope, turns: () => Pick<Turns, "all">): NoteItem | undefined {
  if (envelope.kind !== "CustomEvent") return undefined;
  const { id: event, ts, payload } = envelope;
  if (payload.namespace !== "cinch" || payload.kind !== "Rewound") return undefined;
  return { kind: "note", event, ts, tone: "info", text: rewoundText(payload.payload, turns()) };
}

function questionOf({ choices }: PayloadOf<"Asked">): Pick<NoteItem, "choices" | "isOpen"> {
  return { isOpen: true, ...defined({ choices }) };
}

/** Characters of a question that are kept. */
const QUESTION_CHARACTERS_MAX = 16_384;

type Words = readonly [text: string, tone?: NoteTone];

/** A new kind of event is a compile error here. */
function wordsOf(envelope: Envelope): Words | undefined {
  switch (envelope.kind) {
    case "Error":
      // The call says that it was refused.
      if (isRefusal(envelope.payload)) return undefined;
      return [noticeText(envelope), severityOf(envelope.payload) === "note" ? "warning" : "failure"];
    case "HookTimeout":
    case "HookError":
    case "MCPServerDown":
      return [noticeText(envelope), "failure"];
    case "StreamGap":
      return [noticeText(envelope), "warning"];
    case "TokenExpiring":
      return [`the capability token ${envelope.payload.jti} expires soon`, "warning"];
    case "Cancelled":
      // A client is named where the note is drawn.
      return [
        isId("cli", envelope.payload.by) ? "cancelled" : cancelledText(neutraliseLine(envelope.payload.by)),
      ];
    case "Asked":
      return [`asked: ${head(neutralise(envelope.payload.text), QUESTION_CHARACTERS_MAX)}`];
    case "Answered":
      return [answerText(envelope.payload.answer, undefined)];
    case "CompactionTriggered":
      return [compactionLine(envelope.payload)];
    case "SkillRegistryChanged":
      return [`skills now: ${envelope.payload.skills.map(neutraliseLine).join(", ") || "none"}`];
    case "TaskChanged":
      return [`background task ${neutraliseLine(envelope.payload.what)}: ${envelope.payload.state}`];
    case "MemoryWritten":
      return [memoryLine(envelope.payload)];
    case "ModelChanged":
      return only(modelText(envelope.payload));
    case "LevelChanged":
      return [`level: ${envelope.payload.level}`];
    case "RuleRevoked":
      return [`rule revoked: ${neutraliseLine(envelope.payload.rule)}`];
    case "RulePromoted":
      return [promotedText(envelope.payload)];
    case "SessionRenamed":
      return [renamedText(envelope.payload)];
    case "ProfileSwitched":
      return [`profile: ${neutraliseLine(envelope.payload.from)} → ${neutraliseLine(envelope.payload.to)}`];
    case "CustomEvent":
      return customWords(envelope);
    // Drawn as items of their own, as parts of a call, in the queue, in the list of tasks, or in the status line. A
    // session that has ended is continued: a client says so while nobody has.
    case "TextDelta":
    case "ThinkingDelta":
    case "ToolCallStarted":
    case "ToolCallProgress":
    case "ToolArgsDelta":
    case "ToolResult":
    case "TurnStarted":
    case "TurnEnded":
    case "TurnTiming":
    case "PermissionRequested":
    case "PermissionAnswered":
    case "InputQueued":
    case "InputWithdrawn":
    case "InputEdited":
    case "InputMoved":
    case "CheckpointMade":
    case "CompactionProgress":
    case "CostIncremented":
    case "TodoChanged":
    case "SessionEnded":
      return undefined;
    default:
      return unreachable(envelope);
  }
}

function customWords({ payload, kind }: Envelope & { readonly kind: "CustomEvent" }): Words | undefined {
  const envelope = { payload, kind };
  if (payload.namespace !== "cinch") return undefined;
  const text = skillText(payload) ?? agentText(payload);
  if (text !== undefined) return [text];
  const plans = planModeOf(envelope as Envelope);
  if (plans !== undefined)
    return [plans ? "plan mode is on: nothing is changed until you approve a plan" : "plan mode is off"];
  const memories = givenMemories(envelope as Envelope);
  return memories.length === 0
    ? undefined
    : [`memories for the model: ${memories.map(neutraliseLine).join(", ")}`];
}

/** Returns the answer to a question in words; it says too that nobody answered. */
function answerText(answer: unknown, choices: NoteItem["choices"] = []): string {
  if (answer === null || answer === undefined) return "closed without an answer";
  const said =
    typeof answer === "string" ? (fateText(answer) ?? labelOf(answer, choices)) : JSON.stringify(answer);
  return `answered: ${head(neutralise(said), QUESTION_CHARACTERS_MAX)}`;
}

/** Returns an answer in the words of its choice, with the note that it may carry behind a colon. */
function labelOf(answer: string, choices: NonNullable<NoteItem["choices"]>): string {
  return choices.find(({ value }) => value === answer)?.label ?? answer;
}

function only(text: string | undefined): Words | undefined {
  return text === undefined ? undefined : [text];
}

function clientOf(envelope: Envelope): ClientId | undefined {
  const { payload } = envelope;
  const by = "by" in payload ? payload.by : planModeBy(envelope);
  return by !== undefined && isId("cli", by) ? by : undefined;
}

/** Returns true for a change of the level or of plan mode. */
function isModeKind(envelope: Envelope): boolean {
  return envelope.kind === "LevelChanged" || planModeOf(envelope) !== undefined;
}
