import { join } from "node:path";
import { isWithin, relativeWithin } from "../../../base/files/below.ts";
import type { TrustFile, TrustItem } from "../../../session/guard/trust.ts";
import type { Approvals, ApprovedFile } from "./lock-file.ts";
import { approvalKey } from "./lock-file.ts";

export type Judgement =
  | { readonly kind: "trusted" }
  /** Not yet acknowledged at this path. */
  | { readonly kind: "new" }
  /** Something else was acknowledged at this path. */
  | { readonly kind: "changed"; readonly was: readonly ApprovedFile[] };

/**
 * Checks whether exactly this content was acknowledged at exactly this path for exactly this use (TOFU-01, S37).
 *
 * An item of the user is also trusted if every file of it was in one of the user's folders when that folder
 * was trusted.
 */
export function judgeItem(item: TrustItem, approvals: Approvals): Judgement {
  const key = approvalKey(item);
  const approval = approvals.approved.find(
    (entry) => approvalKey(entry) === key && entry.scope === item.scope,
  );
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
    const place = relativeWithin(directory.path, item.path) ?? "";
    if (place === "") return false;
    // A file that was removed from a skill changes it too.
    const known = directory.files.filter(({ path }) => isWithin(place, path));
    return (
      item.files.length === known.length &&
      item.files.every((file) => isAmong({ ...file, path: join(place, file.path) }, known))
    );
  });
}
