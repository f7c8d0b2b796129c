import { isBelow } from "../../../base/files/below.ts";
import type { Tree } from "../../../base/files/tree.ts";

const STICKY = 0o1000;

/**
 * Part of a workspace that is recorded. `all`: everything in it. `named`: only files that a call names, since other
 * programs work there too, and their changes during a command would be taken for the command's. `nothing`: it holds
 * whole homes or the whole machine.
 */
export type RecordingScope = "all" | "named" | "nothing";

/** @param home folder of the user's own files, with every link resolved. */
export function recordingScope(
  root: string,
  home: string | undefined,
  tree: Pick<Tree, "stat">,
): RecordingScope {
  if (!root.startsWith("/") || root === "/" || (home !== undefined && isBelow(root, home))) return "nothing";
  if (root === home) return "named";
  // Files in a folder where everybody may make files, such as /tmp, are everybody's.
  return ((tree.stat(root, "")?.mode ?? 0) & STICKY) === 0 ? "all" : "named";
}
