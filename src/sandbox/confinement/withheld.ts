import type { ToolContext } from "../../tool/tool.ts";

/** The same surroundings, whose processes get the user's variables that hold secrets too: for what a person lets run outside. */
export function withAllVariables(context: ToolContext): ToolContext {
  const { world, workspace } = context;
  const { withheld = {} } = workspace;
  return {
    ...context,
    world: { ...world, spawn: (start) => world.spawn({ ...start, env: { ...withheld, ...start.env } }) },
  };
}

export interface RanWithout {
  readonly command: string;
  readonly output: string;
  readonly context: Pick<ToolContext, "workspace">;
}

const NAMES_MAX = 5;

/**
 * Names the variables that a command was not given and may have missed, with the remedy.
 *
 * Evidence is needed: of a command that failed, its line or its output names the variable; of another one, its line reads it.
 */
export function withheldNotes(
  { command, output, context }: RanWithout,
  failed: boolean | undefined,
): readonly string[] {
  const names = Object.keys(context.workspace.withheld ?? {}).filter((name) =>
    failed === true ? isWord(name, command) || isWord(name, output) : isRead(name, command),
  );
  if (names.length === 0) return [];
  const shown = names.slice(0, NAMES_MAX).join(", ") + (names.length > NAMES_MAX ? " …" : "");
  const what = names.length === 1 ? "holds a secret and is" : "hold secrets and are";
  const why = failed === true ? ", which may be why this failed" : "";
  return [
    `[${shown} ${what} kept from commands${why}. A person can name it in pass_env under [sandbox] in config.toml; or call Bash again with outside_sandbox: true, which asks a person.]`,
  ];
}

function isWord(name: string, text: string): boolean {
  return new RegExp(`(?<![A-Za-z0-9_])${RegExp.escape(name)}(?![A-Za-z0-9_])`).test(text);
}

/** `$NAME`, `${NAME…`, `printenv NAME`. */
function isRead(name: string, command: string): boolean {
  const escaped = RegExp.escape(name);
  return new RegExp(`(?:\\$\\{?[!#]?|\\bprintenv\\b[^\\n;|&]{0,400}\\s)${escaped}(?![A-Za-z0-9_])`).test(
    command,
  );
}
