import { join } from "node:path";
import { below, isWithin } from "../../../base/files/below.ts";
import type { TrustFile, TrustItem } from "../../../session/guard/trust.ts";
import type { Approvals, ApprovedFile } from "./lock-file.ts";
import { keyOf } from "./lock-file.ts";

export type Judgement =
  | { readonly kind: "trusted" }
  /** Nobody has seen it at this place. */
  | { readonly kind: "new" }
  /** Something else was acknowledged at this place. */
  | { readonly kind: "changed"; readonly was: readonly ApprovedFile[] };

/**
 * Whether this very content was acknowledged at this very place for this very use (TOFU-01, S37).
 *
 * An item of the user's own is also trusted where every file of it was in a folder of theirs when that was trusted.
 */
export function judge(item: TrustItem, approvals: Approvals): Judgement {
  const key = keyOf(item);
  const approval = approvals.approved.find((entry) => keyOf(entry) === key && entry.scope === item.scope);
  if (approval !== undefined && same(item.files, approval.files)) return { kind: "trusted" };
  if (item.scope === "user" && inTrustedDirectory(item, approvals)) return { kind: "trusted" };
  return approval === undefined ? { kind: "new" } : { kind: "changed", was: approval.files };
}

function same(files: readonly TrustFile[], approved: readonly ApprovedFile[]): boolean {
  return files.length === approved.length && files.every((file) => isAmong(file, approved));
}

function isAmong(file: TrustFile | ApprovedFile, approved: readonly ApprovedFile[]): boolean {
  const { path, sha256: hash, executable } = file;
  return approved.some(
    (known) => known.path === path && known.sha256 === hash && known.executable === executable,
  );
}

function inTrustedDirectory(item: TrustItem, { directories }: Approvals): boolean {
  return directories.some((directory) => {
    const place = below(directory.path, item.path) ?? "";
    if (place === "") return false;
    // A file that has gone from a skill is a change of it too.
    const known = directory.files.filter(({ path }) => isWithin(place, path));
    return (
      item.files.length === known.length &&
      item.files.every((file) => isAmong({ ...file, path: join(place, file.path) }, known))
    );
  });
}
