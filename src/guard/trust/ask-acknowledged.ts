import { HarnessError } from "../../base/errors.ts";
import type { Event } from "../../protocol/events/events.ts";
import { visibleLine } from "../../safety/hidden.ts";
import type { PendingItem, TrustRecord } from "../../session/guard/trust.ts";
import type { Ask } from "../../session/questions.ts";

export interface AcknowledgeContext {
  readonly ask: Ask;
  readonly publish: (event: Event) => void;
  readonly record: Pick<TrustRecord, "approve"> | undefined;
}

const APPROVE = "approve";

/** Answers to the question if a file of the project may be used. */
export const TRUST_CHOICES = [
  { value: APPROVE, label: "I have read it: use it, until it changes" },
  { value: "deny", label: "leave it out of this session" },
] as const;

/** Shows one item to a person and records the acknowledgement; returns false if they refuse ([A] § Trust gates). */
export async function askAcknowledged(
  { item, verdict, path }: PendingItem,
  { ask, publish, record }: AcknowledgeContext,
  signal: AbortSignal,
): Promise<boolean> {
  const { describeItem } = await import("./review/describe.ts");
  const text = await describeItem(item, verdict, path);
  const details = {
    path,
    kind: item.kind,
    state: verdict.kind,
    ...(verdict.kind === "changed" ? { class: verdict.class } : {}),
    files: item.files.map(({ path: name, sha256 }) => ({ path: name, sha256 })),
  };
  const answer = await ask({ about: "trust", text, choices: [...TRUST_CHOICES], details }, signal);
  if (answer.kind !== "answered" || answer.answer !== APPROVE) return false;
  try {
    await record?.approve([item]);
    return true;
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    const message = `${thrown.message} ${visibleLine(path)} is left out of this session.`;
    publish({ kind: "Error", payload: { reason: thrown.reason, message } });
    return false;
  }
}
