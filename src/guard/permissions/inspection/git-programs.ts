import type { RunGit } from "./find-git-repository.ts";
import type { SearchPath } from "./search-path.ts";
import { hasOpenFolder, startedProgramProblem } from "./search-path.ts";

/**
 * Settings for programs that git starts even if it only reads. Its pager needs a terminal; `readingEnvironment`
 * disables others.
 */
const KEYS = "^(filter\\..*\\.(clean|smudge|process)|diff\\.(.*\\.)?(textconv|command|external))$";
/** Words that mean the same to every shell. */
const PLAIN = /^[\w./@%+=:-]+(?: +[\w./@%+=:-]+)*$/;

/**
 * Returns why git, in a directory, may start a program of the workspace. The user's configuration names such a
 * program without a path, for example `git-lfs`. Undefined if it starts none, or if the workspace can fill no folder
 * of PATH (PERM-04).
 */
export async function gitProgramProblem(
  directory: string,
  says: RunGit | undefined,
  search: SearchPath,
): Promise<string | undefined> {
  if (says === undefined || !(await hasOpenFolder(search))) return undefined;
  const answer = await says(directory, ["config", "--null", "--get-regexp", KEYS]);
  if (typeof answer === "string") return answer;
  if (answer.code === 1) return undefined; // none is set
  if (answer.code !== 0) return `git does not tell which programs it starts in ${directory}`;
  for (const entry of answer.output.split("\0")) {
    const [key = "", ...rest] = entry.split("\n");
    const value = rest.join("\n");
    if (value === "") continue;
    if (!PLAIN.test(value)) return `git obeys ${key}, and PATH names a folder of the workspace`;
    for (const word of value.split(/ +/).filter((each, at) => at === 0 || /^\w[\w.+-]*$/.test(each))) {
      const isRelative = word.includes("/") && !word.startsWith("/");
      const problem = isRelative
        ? `git obeys ${key}, which starts ${word}`
        : await startedProgramProblem(word, directory, search);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}
