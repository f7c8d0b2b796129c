import type { NoticeSeverity, SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { CallId, ClientId } from "../../../../base/ids.ts";
import type { InputBlock } from "../../../../protocol/content.ts";
import type { Envelope } from "../../../../protocol/events/envelope.ts";
import type { PayloadOf } from "../../../../protocol/events/events.ts";
import { withoutFenceTags } from "../../../../view/input-text.ts";
import type { OpenCalls } from "../../../../view/session/calls/open-calls.ts";
import { noticesAfter } from "../../../../view/session/notices.ts";
import { modelText } from "../../../../view/texts/model-text.ts";
import { switchedText } from "../../../../view/texts/switched-text.ts";
import type { EditorAbilities } from "../../abilities.ts";
import { CompactionUpdates } from "./compactions.ts";
import { PlanUpdates, planEntry } from "./plans.ts";
import { resultContent, shownCall, textBlock, textContent, verbatim } from "./shown-call.ts";
import { ShownTerminals } from "./terminals.ts";

/** Characters of one update of a session that is shown again. */
export const REPLAYED_CHARACTERS_MAX = 65_536;

export interface UpdatesOptions {
  /** The client whose prompts the editor shows by itself. */
  readonly self: () => ClientId;
  /** Base of the relative paths of calls. */
  readonly workingDir: string;
  readonly abilities: Pick<EditorAbilities, "notices" | "compaction" | "plans" | "terminals">;
}

/** Context of one event. */
export interface UpdateContext {
  /** Calls that run after the event. */
  readonly calls: OpenCalls;
  /** True if the event is shown again; an editor then shows none of the conversation by itself. */
  readonly isReplay: boolean;
}

/** Turns events of a session into updates for an editor. Events of sub-agents are left out. */
export class EditorUpdates {
  readonly #options: UpdatesOptions;
  /** Calls whose update shows their changes: neither output nor result replaces that. */
  readonly #changing = new Set<CallId>();
  readonly #compactions = new CompactionUpdates();
  readonly #plans = new PlanUpdates();
  readonly #terminals = new ShownTerminals();

  constructor(options: UpdatesOptions) {
    this.#options = options;
  }

  /** Returns the updates for one event. */
  of(event: Envelope, context: UpdateContext): readonly SessionUpdate[] {
    if (event.parentCall !== undefined) return [];
    const { compaction, plans } = this.#options.abilities;
    return [
      ...(compaction ? this.#compactions.of(event) : []),
      ...(plans ? this.#plans.of(event) : []),
      ...this.#conversation(event, context),
    ];
  }

  /** Returns the update for a compaction that has come to nothing. */
  compactionFailed(): readonly SessionUpdate[] {
    return this.#compactions.fail();
  }

  #conversation(event: Envelope, { calls, isReplay }: UpdateContext): readonly SessionUpdate[] {
    switch (event.kind) {
      case "TextDelta":
        return [{ sessionUpdate: "agent_message_chunk", content: textBlock(event.payload.text) }];
      case "ThinkingDelta":
        return thought(event.payload.block.text);
      case "TurnStarted": {
        const { originator, content = [] } = event.payload;
        return originator === this.#options.self() && !isReplay ? [] : content.map(userMessage);
      }
      case "ToolCallStarted": {
        const { callId } = event.payload;
        const call = shownCall(event.payload, this.#options.workingDir);
        if (call.content.length > 0) this.#changing.add(callId);
        const { abilities, workingDir } = this.#options;
        const shown = abilities.terminals ? this.#terminals.begin(event.payload, workingDir) : {};
        return [{ sessionUpdate: "tool_call", toolCallId: callId, status: "in_progress", ...call, ...shown }];
      }
      case "ToolCallProgress":
        return this.#progress(event.payload, calls);
      case "PermissionAnswered": {
        const { callId, decision, counted } = event.payload;
        if (!counted || decision !== "allow") return [];
        return [{ sessionUpdate: "tool_call_update", toolCallId: callId, status: "in_progress" }];
      }
      case "ToolResult": {
        const { callId, content, isError = false } = event.payload;
        const keepsChange = this.#changing.delete(callId) && !isError;
        const status = isError ? "failed" : "completed";
        const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
        const output = {
          ...(keepsChange ? {} : { content: resultContent(content) }),
          ...this.#terminals.end(callId, text),
        };
        return [{ sessionUpdate: "tool_call_update", toolCallId: callId, status, ...output }];
      }
      case "TodoChanged":
        if (this.#options.abilities.plans) return [];
        return [{ sessionUpdate: "plan", entries: event.payload.items.map(planEntry) }];
      case "ProfileSwitched": {
        // The session that continues reports a switch; a past switch is reported by both.
        if (event.payload.next !== undefined && !isReplay) return [];
        const content = textBlock(`${switchedText(event)}\n\n`);
        return [{ sessionUpdate: "agent_message_chunk", content }];
      }
      case "ModelChanged": {
        // Also as text: older editors show no options.
        if (event.payload.by === this.#options.self()) return [];
        const content = textBlock(`${modelText(event.payload)}\n\n`);
        return [{ sessionUpdate: "agent_message_chunk", content }];
      }
      case "LevelChanged": {
        if (event.payload.by === this.#options.self()) return [];
        const content = textBlock(`level: ${event.payload.level}\n\n`);
        return [{ sessionUpdate: "agent_message_chunk", content }];
      }
      case "TurnEnded":
        this.#changing.clear();
        this.#terminals.clear();
        return [];
      default:
        return isReplay ? [] : this.#notice(event); // a past notice is no news
    }
  }

  /** Failures of a turn are left out: the answer to its prompt says them. */
  #notice(event: Envelope): readonly SessionUpdate[] {
    if (!this.#options.abilities.notices) return [];
    return noticesAfter([], event).flatMap(({ kind, isFailure, text }) =>
      kind === "Error" && isFailure ? [] : [noticeUpdate(text, isFailure ? "warning" : "info")],
    );
  }

  #progress({ callId, partial }: PayloadOf<"ToolCallProgress">, calls: OpenCalls): readonly SessionUpdate[] {
    const inTerminal = this.#terminals.more(callId, partial);
    if (inTerminal !== undefined) return inTerminal;
    const call = calls.get(callId);
    if (call === undefined || this.#changing.has(callId)) return [];
    // The last lines are newer than the output that the log keeps.
    const content = [textContent(verbatim(call.command?.tail ?? call.output))];
    return [{ sessionUpdate: "tool_call_update", toolCallId: callId, content }];
  }
}

/** Returns a notice apart from the conversation: its first line is the title. */
export function noticeUpdate(text: string, severity: NoticeSeverity): SessionUpdate {
  const [title = "", ...more] = text.split("\n");
  const description = more.join("\n");
  return { sessionUpdate: "notice", severity, title, ...(description === "" ? {} : { description }) };
}

function thought(text: string): readonly SessionUpdate[] {
  return text === "" ? [] : [{ sessionUpdate: "agent_thought_chunk", content: textBlock(text) }];
}

/** Joins two updates that follow each other and are both text of the same kind. */
export function joinUpdates(first: SessionUpdate, second: SessionUpdate): SessionUpdate | undefined {
  const [before, after] = [chunkText(first), chunkText(second)];
  if (first.sessionUpdate !== second.sessionUpdate || before === undefined || after === undefined)
    return undefined;
  if (before.length + after.length > REPLAYED_CHARACTERS_MAX) return undefined;
  return { ...first, content: textBlock(before + after) } as SessionUpdate; // both are chunks of one kind
}

function chunkText(update: SessionUpdate): string | undefined {
  if (update.sessionUpdate !== "agent_message_chunk" && update.sessionUpdate !== "agent_thought_chunk")
    return undefined;
  return update.content.type === "text" ? update.content.text : undefined;
}

function userMessage(block: InputBlock): SessionUpdate {
  const sessionUpdate = "user_message_chunk";
  if (block.type === "text") return { sessionUpdate, content: textBlock(withoutFenceTags(block.text)) };
  const { data, media_type: mimeType } = block.source;
  if (block.type === "document")
    return {
      sessionUpdate,
      content: { type: "resource", resource: { uri: "attachment:", blob: data, mimeType } },
    };
  return { sessionUpdate, content: { type: block.type, data, mimeType } };
}
