import { isObject, stringAt } from "../../../base/json.ts";
import type { ChangePreview } from "../../../protocol/events/shown-call.ts";

/** One change that a call makes to a file, as its arguments hold it. */
export interface ProposedChange {
  /** Path as the call writes it. */
  readonly path: string;
  /** The text that is replaced. Absent: the whole file. */
  readonly before?: string;
  readonly after: string;
  /** True if every occurrence of `before` is replaced. */
  readonly everywhere: boolean;
}

/** Returns the path of the file that a call changes; undefined if it changes none, or does not say which. */
export function changedPath(preview: ChangePreview | undefined, args: unknown): string | undefined {
  return preview === undefined ? undefined : stringAt(args, preview.path);
}

/** Reads the changes that a call makes to one file; empty if any part of them is missing or of another type. */
export function proposedChanges(
  preview: ChangePreview | undefined,
  args: unknown,
): readonly ProposedChange[] {
  if (preview === undefined || !isObject(args)) return [];
  const path = changedPath(preview, args);
  const items = preview.each === undefined ? [args] : args[preview.each];
  if (path === undefined || path === "" || !Array.isArray(items)) return [];
  const changes = items.flatMap((item: unknown) => proposedChange(preview, path, item) ?? []);
  return changes.length === items.length ? changes : [];
}

function proposedChange(preview: ChangePreview, path: string, item: unknown): ProposedChange | undefined {
  if (!isObject(item)) return undefined;
  const after = item[preview.new];
  if (typeof after !== "string") return undefined;
  if (preview.old === undefined) return { path, after, everywhere: false };
  const before = item[preview.old];
  if (typeof before !== "string") return undefined;
  return { path, before, after, everywhere: preview.all !== undefined && item[preview.all] === true };
}
