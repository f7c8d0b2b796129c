import { analyse } from "./analyse.ts";
import { literalOf } from "./analysis.ts";

/** Commands that bash runs itself, and that may change its directory, or run text that does. */
const MAY_MOVE: ReadonlySet<string> = new Set([
  ...["cd", "pushd", "popd", ".", "source", "eval", "builtin", "command", "exec", "trap"],
  ...["alias", "unalias", "enable", "shopt", "set", "hash", "fc", "bind"],
  ...["mapfile", "readarray", "complete", "compgen", "compopt"],
]);

/**
 * Returns true if a shell that runs this line certainly ends in the directory in which it began.
 *
 * Only a line of the closed grammar is known so well: programs change their own directory, and the commands that bash
 * runs itself are listed. The shell must not have functions from its environment.
 */
export function staysInDirectory(line: string): boolean {
  const { commands, functions, structure, unsure, overLimit } = analyse(line);
  if (overLimit !== undefined || structure.problem !== undefined) return false;
  if (unsure.length > 0 || functions.length > 0) return false;
  return commands.every(({ name }) => {
    const word = literalOf(name);
    return word !== undefined && !MAY_MOVE.has(word);
  });
}
