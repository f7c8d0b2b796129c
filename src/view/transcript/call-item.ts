import { defined } from "../../base/defined.ts";
import { isObject } from "../../base/json.ts";
import type { TextHunk } from "../../base/text/diff/hunks.ts";
import { unifiedHunks } from "../../base/text/diff/hunks.ts";
import { tail } from "../../base/text/text.ts";
import type { EnvelopeOf } from "../../protocol/events/envelope.ts";
import { isShellEvent } from "../event-facts.ts";
import { withoutFenceTags } from "../input-text.ts";
import { NAME_CHARACTERS_MAX, shortenedJson } from "../session/limits.ts";
import { cancelledAt } from "../texts/ending-text.ts";
import type { CallItem, CallMedia } from "./items.ts";

/** Characters of the arguments of a call that are kept: a written file is seen whole up to this size. */
const ARGS_CHARACTERS_MAX = 262_144;
/** Characters of the output of a call that are kept, its end. GetItem has the rest. */
export const ITEM_OUTPUT_CHARACTERS_MAX = 131_072;
/** Characters of a diff; a longer one is left out, and GetChanges has it. */
const DIFF_CHARACTERS_MAX = 524_288;

/** Returns the item of a call that has begun. */
export function newCall(envelope: EnvelopeOf<"ToolCallStarted">): CallItem {
  const { id: event, ts, payload } = envelope;
  const { callId, tool, args, toolKind, preview, toModel = false } = payload;
  const shortArgs = shortenedJson(args, ARGS_CHARACTERS_MAX);
  return {
    kind: "call",
    event,
    ts,
    callId,
    tool: tool.slice(0, NAME_CHARACTERS_MAX),
    args: shortArgs,
    ...(shortArgs === args ? {} : { areArgsCut: true as const }),
    ...defined({ toolKind, preview }),
    ...(isShellEvent(envelope) ? { shell: { toModel } } : {}),
    state: "running",
    output: "",
    media: [],
    items: [],
  };
}

/** Returns a call after a report of its progress. */
export function callInProgress(call: CallItem, { payload }: EnvelopeOf<"ToolCallProgress">): CallItem {
  const { partial, tail: newest = call.progress?.tail, bytes, lines, elapsedMs } = payload;
  const isReport = bytes !== undefined && lines !== undefined && elapsedMs !== undefined;
  const progress = isReport ? { ...defined({ tail: newest }), bytes, lines, elapsedMs } : call.progress;
  return { ...call, ...defined({ progress }), ...keptOutput(call.output + partial, call.outputLeftOut) };
}

/** Returns a call that waits for a person. */
export function callWithQuestion(call: CallItem, { payload }: EnvelopeOf<"PermissionRequested">): CallItem {
  const { diff, hunks } = payload;
  return { ...call, state: "asked", ...keptDiff(diff), ...defined({ hunksAsked: hunks?.length, hunks }) };
}

/** Returns a call after the answer of a person. One that came after the first changes nothing. */
export function decidedCall(call: CallItem, { payload }: EnvelopeOf<"PermissionAnswered">): CallItem {
  const { callId: _, who: __, counted, ...decision } = payload;
  if (!counted) return call;
  const { hunks: asked = [], ...rest } = call;
  const state = payload.decision === "allow" ? "running" : "denied";
  if (decision.hunks === undefined || asked.length === 0) return { ...rest, state, decision };
  return { ...rest, state, decision, ...keptDiff(unifiedHunks(acceptedHunks(asked, decision.hunks))) };
}

/** Returns the accepted hunks, at the places that they have without the others. */
function acceptedHunks(asked: readonly TextHunk[], accepted: readonly string[]): readonly TextHunk[] {
  const ids = new Set(accepted);
  let left = 0;
  return asked.flatMap((hunk) => {
    if (ids.has(hunk.id)) return [{ ...hunk, new_start: hunk.new_start - left }];
    left += hunk.new_lines - hunk.old_lines;
    return [];
  });
}

/** Returns a call with its result. */
export function endedCall(call: CallItem, { ts, payload }: EnvelopeOf<"ToolResult">): CallItem {
  const { content, isError = false } = payload;
  const text = content
    .flatMap((block) => (block.type === "text" ? [withoutFenceTags(block.text)] : []))
    .join("\n");
  const media = content.flatMap((block) => (block.type === "text" ? [] : [mediaOf(block)]));
  const { outputLeftOut: _, ...rest } = call;
  const stopped = isError ? cancelledAt(text) : undefined;
  if (stopped !== undefined) {
    const cancelled = { ...call.cancelled, isBegun: stopped === "begun" };
    // Its result says nothing else: what it had printed until then stays.
    const output = call.progress?.tail ?? call.output;
    return { ...rest, state: "cancelled", cancelled, ...keptOutput(output), media, endedAt: ts };
  }
  return {
    ...rest,
    state: call.state === "denied" ? "denied" : isError ? "failed" : "done",
    ...keptOutput(text),
    media,
    endedAt: ts,
  };
}

/** Returns the call that was cancelled in the middle of its command, with the files that it may have changed. */
export function callCutOff(call: CallItem, affected: string): CallItem {
  return { ...call, cancelled: { ...call.cancelled, affected: affected === NONE_AFFECTED ? "" : affected } };
}

/** Stands for no file in the report about a cancelled command. */
const NONE_AFFECTED = "none seen";

function keptOutput(text: string, leftOutBefore = 0): Pick<CallItem, "output" | "outputLeftOut"> {
  const output = tail(text, ITEM_OUTPUT_CHARACTERS_MAX);
  const leftOut = leftOutBefore + text.length - output.length;
  return leftOut === 0 ? { output } : { output, outputLeftOut: leftOut };
}

function mediaOf(block: { readonly type: string }): CallMedia {
  const source: unknown = "source" in block ? block.source : undefined;
  const data = isObject(source) ? source["data"] : undefined;
  // Four characters of base64 are three bytes.
  return { type: block.type, ...(typeof data === "string" ? { bytes: Math.floor(data.length * 0.75) } : {}) };
}

function keptDiff(diff: string | undefined): Pick<CallItem, "diff"> {
  return diff === undefined || diff.length > DIFF_CHARACTERS_MAX ? {} : { diff };
}
