import { codeOf } from "../world.ts";

/** Errors of the system about a path that stands there and cannot be resolved or read, with what a person can do. */
const PROBLEMS: Readonly<Record<string, string>> = {
  ELOOP: "its symbolic links lead in a circle; remove the link",
  EACCES: "access is refused; change its permissions, or remove it",
  EPERM: "access is refused; change its permissions, or remove it",
  ENAMETOOLONG: "its name, or that of the target of a link, is too long; rename it, or remove the link",
  ENOTDIR: "a part of it is not a folder; remove the link or file in its way",
  EIO: "the disk reports an error; check the disk",
  ENXIO: "nothing answers at the device that it names; remove it",
  EINVAL: "its name is not valid; rename it",
};

/**
 * Describes an error of the file system as "PATH cannot be read: why; remedy (CODE)", without a final stop. Returns
 * undefined for an error that is not about a path.
 */
export function unreadableText(thrown: unknown): string | undefined {
  const problem = unreadableProblem(thrown);
  if (problem === undefined || !(thrown instanceof Error)) return undefined;
  const path: unknown = Reflect.get(thrown, "path");
  return typeof path === "string" ? `${path} ${problem}` : undefined;
}

/** Returns the same without the path; undefined for any other error. */
export function unreadableProblem(thrown: unknown): string | undefined {
  const code = codeOf(thrown);
  const problem = code === undefined ? undefined : PROBLEMS[code];
  return problem === undefined ? undefined : `cannot be read: ${problem} (${code})`;
}
