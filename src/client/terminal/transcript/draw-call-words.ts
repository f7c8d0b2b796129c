import { durationText } from "../../../base/text/duration.ts";
import { sizeText } from "../../../base/text/size-text.ts";
import { count } from "../../../base/text/text.ts";
import { displayName } from "../../../view/session/clients.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import type { CallDecision, CallItem } from "../../../view/transcript/items.ts";
import type { DrawContext } from "./draw-context.ts";
import { isOwn } from "./draw-context.ts";

/** Stands for no output in the result of a tool. */
const NO_OUTPUT = "(no output)";
const EXIT = /\[exit code (\d{1,5})\]\s*$/;

/** Returns the time that a call takes or took; empty below a second. */
export function timeText({ state, ts, endedAt, progress }: CallItem, { nowMs }: DrawContext): string {
  if (state === "asked") return "waits for an answer";
  if (state === "lost") return "its end is not known";
  const untilMs = endedAt === undefined ? nowMs : Date.parse(endedAt);
  const elapsedMs =
    endedAt === undefined && progress !== undefined ? progress.elapsedMs : untilMs - Date.parse(ts);
  if (!Number.isFinite(elapsedMs) || elapsedMs < 1_000) return "";
  return durationText(state === "running" ? Math.floor(elapsedMs / 1_000) * 1_000 : elapsedMs);
}

/** Returns the result of a call in few words: the exit code, or the size of what came back. */
export function callResultWords(call: CallItem): string {
  const { state, output, outputLeftOut = 0, progress } = call;
  if (state === "cancelled")
    return call.cancelled?.isBegun === false ? "cancelled before it ran" : "cancelled";
  if (isAnswered(call)) return "";
  if (state === "running" && progress !== undefined)
    return progress.lines > 0 ? `${count(progress.lines, "line")}, ${sizeText(progress.bytes)}` : "";
  if (state === "running" || state === "asked") return "";
  const exit = EXIT.exec(output)?.[1];
  if (exit !== undefined) return `exit ${exit}`;
  if (call.toolKind === "edit" || output === "" || output.trim() === NO_OUTPUT) return "";
  const lines = output.replace(/\n+$/, "").split("\n").length;
  return `${outputLeftOut > 0 ? "over " : ""}${count(lines, "line")}, ${sizeText(output.length + outputLeftOut)}`;
}

/** Returns who decided about a call and for how long; undefined if nobody was asked. */
export function decisionText(call: CallItem, context: DrawContext): string | undefined {
  const { decision, hunksAsked } = call;
  if (decision === undefined) return undefined;
  const { by, words } = decision;
  const who =
    by === undefined
      ? ""
      : ` by ${isOwn(by, call.event, context) ? "you" : displayName(context.clients, by)}`;
  const accepted = decision.hunks?.length;
  const part =
    accepted === undefined || hunksAsked === undefined
      ? ""
      : `, ${accepted} of ${count(hunksAsked, "change")} accepted`;
  const said = words === undefined ? "" : `: ${neutraliseLine(words)}`;
  const verb = decision.decision === "allow" ? "allowed" : "denied";
  return `${verb}${who}${reachText(decision)}${part}${said}`;
}

function reachText({ scope, rule, hosts, decision }: CallDecision): string {
  if (hosts === true) return " in the sandbox, with its hosts for this session";
  if (scope === undefined || scope === "once") return decision === "allow" ? ", once" : "";
  const what = rule === undefined ? (scope === "tool" ? "the tool" : "calls like it") : neutraliseLine(rule);
  return `, ${what} for this session`;
}

/** Returns true for a call that a person has denied: the decision says all that its result does. */
export function isAnswered({ state, decision }: CallItem): boolean {
  return state === "denied" && decision !== undefined;
}

/** Returns the words about a cancel that the first line of a call has no room for; undefined if there are none. */
export function cancelText({ cancelled }: CallItem, { clients, self }: DrawContext): string | undefined {
  const { by, affected = "" } = cancelled ?? {};
  const parts = [
    ...(by === undefined || by === self ? [] : [`cancelled by ${displayName(clients, by)}`]),
    ...(affected === "" ? [] : [`files that it may have changed: ${neutraliseLine(affected)}`]),
  ];
  return parts.length === 0 ? undefined : parts.join("; ");
}
