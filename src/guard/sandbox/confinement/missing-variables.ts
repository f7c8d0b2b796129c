import type { ToolContext } from "../../../tools/tool.ts";

/**
 * Returns the context with the user's secret variables in the environment of processes: for a command that a person
 * lets run outside.
 */
export function withAllVariables(context: ToolContext): ToolContext {
  const { world, workspace } = context;
  const { withheld = {} } = workspace;
  return {
    ...context,
    hasSecrets: true,
    world: { ...world, spawn: (start) => world.spawn({ ...start, env: { ...withheld, ...start.env } }) },
  };
}

export interface RunWithoutSecrets {
  readonly command: string;
  readonly output: string;
  readonly failed: boolean;
  readonly context: Pick<ToolContext, "workspace">;
}

const NAMES_MAX = 5;
const TEXT_BYTES_MAX = 65_536;
/** Error messages of programs that lack a password, key or token, or have a wrong one. */
const UNAUTHENTICATED =
  /\b(?:password|passphrase|credentials?|(?:api|access|secret)[ _-]?keys?|tokens?|unauthori[sz]ed|unauthenticated|forbidden|not logged in|log ?in (?:first|required)|(?:HTTP|status|code|error)\D{0,12}40[13])\b|\bauth(?:entication|orization)?\b.{0,40}\b(?:fail|required|denied|invalid|missing|error)/i;
/** Lines that the tool itself adds. */
const NOTES = /^(?:\[[^\n]*\]|\(no (?:new )?output\))$/gm;

/**
 * Names the variables that commands did not get and may have missed, with the remedy. Once per session.
 *
 * Needs evidence. For a failed command: its line or its output names the variable, or its output mentions a missing
 * password, key or login. For another one: its line reads the variable. Apart from that, the first failure of a
 * session that printed something names them all, without claiming that they are the cause.
 */
export class MissingVariableNotes {
  #isReported = false;

  /** Returns the note to append to the output of one command; empty if there is none. */
  after({ command, output, failed, context }: RunWithoutSecrets): readonly string[] {
    const names = Object.keys(context.workspace.withheld ?? {});
    if (names.length === 0) return [];
    const text = output.slice(-TEXT_BYTES_MAX);
    const named = names.filter((name) =>
      failed ? isWord(name, command) || isWord(name, text) : isRead(name, command),
    );
    if (named.length > 0) return this.#tell(named, failed ? ", which may be why this failed" : "");
    if (!failed) return [];
    if (UNAUTHENTICATED.test(text)) return this.#tell(names, ", which may be why this failed");
    if (this.#isReported || text.replaceAll(NOTES, "").trim() === "") return [];
    return this.#tell(names, ". If this needed one, that is why it failed");
  }

  #tell(names: readonly string[], why: string): readonly string[] {
    this.#isReported = true;
    const shown = names.slice(0, NAMES_MAX).join(", ") + (names.length > NAMES_MAX ? " …" : "");
    const them = names.length === 1 ? "it" : "them";
    const what = names.length === 1 ? "holds a secret and is" : "hold secrets and are";
    return [
      `[${shown} ${what} kept from commands${why}. A person can name ${them} in pass_env under [sandbox] in config.toml; or call Bash again with outside_sandbox: true, which asks a person.]`,
    ];
  }
}

function isWord(name: string, text: string): boolean {
  return new RegExp(`(?<![A-Za-z0-9_])${RegExp.escape(name)}(?![A-Za-z0-9_])`).test(text);
}

/** Matches `$NAME`, `${NAME…` and `printenv NAME`. */
function isRead(name: string, command: string): boolean {
  const escaped = RegExp.escape(name);
  return new RegExp(`(?:\\$\\{?[!#]?|\\bprintenv\\b[^\\n;|&]{0,400}\\s)${escaped}(?![A-Za-z0-9_])`).test(
    command,
  );
}
