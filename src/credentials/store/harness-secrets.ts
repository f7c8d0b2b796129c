import { realpathSync } from "node:fs";
import { relative } from "node:path";
import { messageOf } from "../../base/errors.ts";
import { readPrivate } from "../../safety/private-file.ts";
import { isTracked } from "./git-index.ts";
import { harnessSecretsPath, repositoryRoot } from "./harness-secrets-path.ts";

const FILE_BYTES_MAX = 65_536;

export interface HarnessSecrets {
  /** The values of the known variables that it sets. */
  readonly variables: Readonly<Record<string, string>>;
  /** Why it was left out, in a sentence. */
  readonly problem?: string;
}

/**
 * Reads `.harness-secrets/env`: of its lines `NAME=value` only those whose name is a known key's count, and nothing
 * else in it has an effect (CRED-02).
 *
 * It counts only where it is the user's own, for nobody else to read, no link, and not tracked by git: a file that
 * came with a repository is not the user's word.
 */
export async function readHarnessSecrets(
  workingDir: string,
  known: readonly string[],
): Promise<HarnessSecrets> {
  const path = harnessSecretsPath(workingDir);
  if (path === undefined) return { variables: {} };
  const leftOut = (problem: string) => ({ variables: {}, problem: `${path} was left out: it ${problem}.` });
  try {
    const root = repositoryRoot(workingDir);
    if (root !== undefined) {
      const real = realpathSync(path);
      const inside = relative(realpathSync(root), real);
      if (inside !== relative(root, path)) return leftOut("is reached through a link");
      if (isTracked(root, inside))
        return leftOut("is tracked by git, so everybody who has the repository has it");
    }
    const found = await readPrivate(path, FILE_BYTES_MAX);
    if (found.kind === "missing") return { variables: {} };
    if (found.kind === "refused") return leftOut(found.problem);
    const variables = parseVariables(new TextDecoder().decode(found.bytes), known);
    found.bytes.fill(0);
    return { variables };
  } catch (thrown) {
    return leftOut(`cannot be read (${messageOf(thrown)})`);
  }
}

/** The known variables of a text of lines `NAME=value`; `export` before and quotes around a value are dropped. */
export function parseVariables(text: string, known: readonly string[]): Readonly<Record<string, string>> {
  const variables: Record<string, string> = {};
  for (const line of text.split(/\r?\n/)) {
    const [, name, value = ""] = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(line) ?? [];
    if (name === undefined || !known.includes(name)) continue;
    const unquoted = /^\s*(?:"([^"]*)"|'([^']*)')\s*$/.exec(value);
    variables[name] = unquoted === null ? value.trim() : (unquoted[1] ?? unquoted[2] ?? "");
  }
  return variables;
}
