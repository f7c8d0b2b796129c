import type { Command, Redirection } from "unbash";

/** Tells whether a command reads what the pipe brings: no redirection of it leads its standard input elsewhere. */
export function readsPipe(command: Command): boolean {
  return redirectionsOf(command).every(({ operator, descriptor }) => {
    if (operator.startsWith("<")) return false;
    return descriptor === undefined || (descriptor.type === "FileDescriptor" && descriptor.value !== 0);
  });
}

/** Tells whether a command writes its standard output to the pipe, and nothing beside that. */
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
