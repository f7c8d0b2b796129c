/** A typed line that is a command for the shell. */
export interface ShellLine {
  readonly command: string;
  /** True if the model sees the command and its output. */
  readonly toModel: boolean;
}

/**
 * Parses a line of the form `!command`, or `!!command`, which the model does not see. Returns undefined for any other
 * line: a blank in front makes a text of it.
 */
export function parseShellLine(text: string): ShellLine | undefined {
  if (!text.startsWith("!")) return undefined;
  const toModel = !text.startsWith("!!");
  return { command: text.slice(toModel ? 1 : 2).trim(), toModel };
}
