import type { Command, Redirection } from "unbash";

/** Returns true if a command reads from the pipe: none of its redirections changes its standard input. */
export function readsPipe(command: Command): boolean {
  return redirectionsOf(command).every(({ operator, descriptor }) => {
    if (operator.startsWith("<")) return false;
    return descriptor === undefined || (descriptor.type === "FileDescriptor" && descriptor.value !== 0);
  });
}

/** Returns true if a command writes its standard output, and nothing else, to the pipe. */
export function writesPipe(command: Command): boolean {
  return redirectionsOf(command).every(
    (each) =>
      each.type === "Redirect" &&
      (each.operator === ">" || each.operator === ">>") &&
      each.descriptor?.type === "FileDescriptor" &&
      each.descriptor.value === 2 &&
      each.target?.text === "/dev/null",
  );
}

function redirectionsOf({ prefix, suffix }: Command): readonly Redirection[] {
  return [...prefix, ...suffix].filter((part) => part.type !== "Assignment" && part.type !== "Word");
}
