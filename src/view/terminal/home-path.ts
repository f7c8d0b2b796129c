import { relativeWithin } from "../../base/files/below.ts";

/** Returns a path as people write it: with `~` for the home folder. @param home undefined or empty: not known. */
export function homePath(path: string, home: string | undefined): string {
  const rest = home === undefined || home === "" ? undefined : relativeWithin(home, path);
  if (rest === undefined) return path;
  return rest === "" ? "~" : `~/${rest}`;
}
