import { analyse } from "./analyse.ts";
import { literalOf } from "./analysis.ts";

/**
 * Commands that bash runs itself and that neither change its directory, nor set a variable, nor run text. A variable
 * can be as good as a `cd`: with POSIXLY_CORRECT and BASH_ALIASES the next word is an alias.
 */
const STAYING_BUILTINS = [
  ...[":", "[", "echo", "exit", "false", "help", "kill", "pwd", "test", "times", "true", "type"],
  ...["ulimit", "umask"],
];

/** Usual programs: a program changes only its own directory. Any name with a slash is one, too. */
const USUAL_PROGRAMS = [
  ...["awk", "basename", "cat", "chmod", "cmp", "comm", "cp", "curl", "cut", "date", "df", "diff", "dirname"],
  ...["du", "egrep", "env", "expr", "fd", "fgrep", "file", "find", "gh", "grep", "gunzip", "gzip", "head"],
  ...["hostname", "id", "install", "jq", "ln", "ls", "md5sum", "mkdir", "mktemp", "mv", "nl", "od", "paste"],
  ...["patch", "ps", "readlink", "realpath", "rg", "rm", "rmdir", "sed", "seq", "sha256sum", "sleep", "sort"],
  ...["stat", "sqlite3", "strings", "tac", "tail", "tar", "tee", "timeout", "touch", "tr", "tree", "uname"],
  ...["uniq", "unzip", "wc", "wget", "which", "whoami", "xargs", "xxd", "yes", "zip"],
  ...["bash", "bun", "bunx", "bundle", "cargo", "clang", "cmake", "composer", "ctest", "deno", "docker"],
  ...["dotnet", "eslint", "g++", "gcc", "git", "go", "gofmt", "gradle", "java", "javac", "jest", "just"],
  ...["make", "mvn", "mypy", "ninja", "node", "npm", "npx", "perl", "php", "pip", "pip3", "pnpm", "poetry"],
  ...["prettier", "pytest", "python", "python3", "rake", "ruby", "ruff", "rustc", "rustfmt", "sh", "swift"],
  ...["tox", "tsc", "uv", "vitest", "yarn"],
];

const STAYING: ReadonlySet<string> = new Set([...STAYING_BUILTINS, ...USUAL_PROGRAMS]);

/**
 * Returns true if a shell that runs this line certainly ends in the directory in which it began.
 *
 * Only a line of the closed grammar is known so well, and only with commands of a closed list: a name that is not on
 * it may be one that another bash runs itself. The shell must have no functions from its environment.
 */
export function staysInDirectory(line: string): boolean {
  const { commands, functions, structure, unsure, overLimit } = analyse(line);
  if (overLimit !== undefined || structure.problem !== undefined) return false;
  if (unsure.length > 0 || functions.length > 0) return false;
  return commands.every(({ name }) => {
    const word = literalOf(name);
    return word !== undefined && (word.includes("/") || STAYING.has(word));
  });
}
