import type { Envelope } from "../../protocol/events/envelope.ts";
import type { EventKind } from "../../protocol/events/events.ts";
import { isShellEvent } from "../../view/event-facts.ts";

/** Part that an event has in the blocks of an agent's answers. */
export type BlockPart =
  /** The first piece of a block. */
  | "begins"
  | "continues"
  /** A piece of a block whose first piece may not have been read. */
  | "unknown"
  /** It ends a block. */
  | "ends"
  /** It can stand between two pieces of a block. */
  | "aside";

/** Tells which pieces of text and thinking belong together. */
export class AnswerBlocks {
  #last: string | undefined;
  #isUnknown = false;
  isSettled: boolean;

  constructor(isBeginning: boolean) {
    this.isSettled = isBeginning;
  }

  settle(): void {
    this.isSettled = true;
    this.#last = undefined;
    this.#isUnknown = false;
  }

  next(event: Envelope): BlockPart {
    if (event.kind !== "TextDelta" && event.kind !== "ThinkingDelta") {
      if (ASIDES.has(event.kind) || isShellEvent(event)) return "aside";
      this.settle();
      return "ends";
    }
    const block = `${event.kind} ${event.payload.index ?? 0}`;
    const isSame = this.#last === block;
    if (!isSame) this.#isUnknown = this.#last === undefined && !this.isSettled;
    this.#last = block;
    if (this.#isUnknown) return "unknown";
    this.isSettled = true;
    return isSame ? "continues" : "begins";
  }
}

/** Events that do not come from the agent's answer: clients, tasks and servers cause them at any moment. */
const ASIDES: ReadonlySet<EventKind> = new Set<EventKind>([
  "InputQueued",
  "InputWithdrawn",
  "SessionRenamed",
  "TaskChanged",
  "ToolCallProgress",
  "ToolArgsDelta",
  "Asked",
  "Answered",
  "PermissionAnswered",
  "TokenExpiring",
  "MCPServerDown",
  "SkillRegistryChanged",
  "ModelChanged",
  "RuleRevoked",
  "RulePromoted",
  "LevelChanged",
  "InputEdited",
  "InputMoved",
]);
