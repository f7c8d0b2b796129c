import { join } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import { relativeWithin } from "../../base/files/below.ts";
import { decode } from "../../base/text/text.ts";
import { visibleLine } from "../../safety/hidden.ts";
import type { JudgedItems, PendingItem, TrustItem, TrustKind } from "../../session/guard/trust.ts";
import type { EngineOptions } from "../../session/options.ts";
import type { SessionWishes } from "../../session/plan.ts";
import { kindName } from "./ledger/item.ts";
import { TrustLedger } from "./ledger/ledger.ts";

/** Rules of one judgement. */
export interface TrustRules {
  /** Root of the project, resolved: a lock file names paths below it. */
  readonly root: string;
  /** True to accept a harmless change of words with a notice (TOFU-03). */
  readonly promoteProse: boolean;
  /** Record each change that is accepted without a question as acknowledged. */
  readonly records: boolean;
}

/** Returns the path of this user's approvals. */
export function approvalsPath({ paths }: Pick<EngineOptions, "paths">): string {
  return join(paths.config, "approved.lock");
}

/**
 * Judges items by the user's approvals and a named lock file (TOFU-01).
 * @throws HarnessError TrustLedgerInvalid, PathMissing: then nothing is known to be trusted.
 */
export async function judgeItems(
  options: Pick<EngineOptions, "world" | "paths"> & Pick<SessionWishes, "lockfile">,
  items: readonly TrustItem[],
  { root, promoteProse, records }: TrustRules,
): Promise<JudgedItems> {
  const { world, lockfile } = options;
  const named = lockfile === undefined ? undefined : { path: lockfile, root };
  const ledger = await TrustLedger.open(world, approvalsPath(options), named);
  const pending: PendingItem[] = [];
  const accepted: PendingItem[] = [];
  for (const item of items) {
    const verdict = await ledger.judge(item);
    if (verdict.kind === "trusted") continue;
    const found = { item, verdict, path: shownPath(root, item.path) };
    const quiet = named === undefined && (await needsNoQuestion(found, promoteProse));
    (quiet ? accepted : pending).push(found);
  }
  if (records && accepted.length > 0) await ledger.approve(accepted.map(({ item }) => item));
  return { record: ledger, pending, notices: accepted.map(noticeOf) };
}

/** Returns the path relative to the project's root, or absolute if it lies elsewhere. */
function shownPath(root: string, path: string): string {
  return relativeWithin(root, path) ?? path;
}

/**
 * Returns true for a change that is accepted without a question. With a named lock file, any difference is a
 * question, or ends the run (TOFU-05).
 */
async function needsNoQuestion({ item, verdict }: PendingItem, promoteProse: boolean): Promise<boolean> {
  if (verdict.kind !== "changed") return false;
  if (verdict.class === "metadata-only") return true;
  if (verdict.class !== "prose" || !promoteProse) return false;
  const { scanForInjection } = await import("../../safety/injection/injection-scan.ts");
  return item.files.every(({ bytes }) => scanForInjection(decode(bytes)).length === 0);
}

function noticeOf({ path, verdict }: PendingItem): string {
  const what = verdict.kind === "changed" ? verdict.class : verdict.kind;
  return `${visibleLine(path)} has changed since you acknowledged it (${what}), and is used as it is now.`;
}

/** Returns the error that ends a run in which nobody can be asked ([A] § User-facing errors, TOFU-04). */
export function unacknowledgedError(
  pending: readonly PendingItem[],
): HarnessError<"NonInteractiveAckRefused" | "HookHashChanged"> {
  const changed = pending.filter(({ item, verdict }) => item.kind === "hook" && verdict.kind === "changed");
  if (changed.length === pending.length) {
    return new HarnessError("HookHashChanged", {
      path: changed.map(({ path }) => visibleLine(path)).join(", "),
    });
  }
  const kinds = new Map<TrustKind, string[]>();
  for (const { item, path, verdict } of pending) {
    const state = verdict.kind === "changed" ? ` has changed: ${verdict.class}` : "";
    kinds.set(item.kind, [...(kinds.get(item.kind) ?? []), visibleLine(path) + state]);
  }
  const kind = [...kinds].map(([name, paths]) => `${kindName(name)} (${paths.join(", ")})`).join(" and ");
  return new HarnessError("NonInteractiveAckRefused", { kind });
}
