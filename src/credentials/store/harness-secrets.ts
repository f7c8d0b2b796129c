import { realpathSync } from "node:fs";
import { relative } from "node:path";
import { messageOf } from "../../base/errors.ts";
import { readPrivateFile } from "../../safety/private-file.ts";
import { isTrackedByGit } from "./git-index.ts";
import { enclosingRepository, harnessSecretsPath } from "./harness-secrets-path.ts";

const FILE_BYTES_MAX = 65_536;

export interface HarnessSecrets {
  /** Values of the known variables that it sets. */
  readonly variables: Readonly<Record<string, string>>;
  /** Reason why it was ignored, as a sentence. */
  readonly problem?: string;
}

/**
 * Reads `.harness-secrets/env`. Only lines `NAME=value` with the name of a known key have an effect (CRED-02).
 *
 * The file must belong to the user, be private and no link, and not be tracked by git: a file that came with a
 * repository is not the user's.
 */
export async function readHarnessSecrets(
  workingDir: string,
  known: readonly string[],
): Promise<HarnessSecrets> {
  const path = harnessSecretsPath(workingDir);
  if (path === undefined) return { variables: {} };
  const leftOut = (problem: string) => ({ variables: {}, problem: `${path} was left out: it ${problem}.` });
  try {
    const root = enclosingRepository(workingDir);
    if (root !== undefined) {
      const real = realpathSync(path);
      const inside = relative(realpathSync(root), real);
      if (inside !== relative(root, path)) return leftOut("is reached through a link");
      if (isTrackedByGit(root, inside))
        return leftOut("is tracked by git, so everybody who has the repository has it");
    }
    const found = await readPrivateFile(path, FILE_BYTES_MAX);
    if (found.kind === "missing") return { variables: {} };
    if (found.kind === "refused") return leftOut(found.problem);
    const variables = parseVariables(new TextDecoder().decode(found.bytes), known);
    found.bytes.fill(0);
    return { variables };
  } catch (thrown) {
    return leftOut(`cannot be read (${messageOf(thrown)})`);
  }
}

/** Reads the known variables of `NAME=value` lines; removes `export` before and quotes around a value. */
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
