import { messageOf } from "../errors.ts";
import { codeOf } from "../world.ts";

const CAUSES: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "there is no such file"],
  ["ENOTDIR", "a part of the path is not a directory"],
  ["EISDIR", "it is a directory"],
  ["EACCES", "permission denied by the system"],
  ["EPERM", "not permitted by the system"],
  ["EROFS", "the disk is read-only"],
  ["ELOOP", "too many symbolic links, or links in a circle"],
  ["ENAMETOOLONG", "the name is too long"],
  ["ENOSPC", "the disk is full"],
  ["EDQUOT", "the disk quota is used up"],
  ["EIO", "the disk failed"],
]);

/** Explains why a file operation failed: system codes by their meaning, other errors by their message. */
export function fileCause(thrown: unknown): string {
  return CAUSES.get(codeOf(thrown) ?? "") ?? messageOf(thrown);
}
