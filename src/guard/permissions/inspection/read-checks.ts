import type { Analysis, ShellCommand, ShellRedirection } from "../../../shell/analysis.ts";
import { literalOf } from "../../../shell/analysis.ts";
import type { ReadCheck, Use } from "../commands/grammar.ts";
import { knownRead, notKnown } from "../commands/grammar.ts";
import { checkInvocation } from "../commands/table.ts";

/** Limit for the commands and for the files of a line that may run unasked. */
const READS_MAX = 256;
const WRITERS_MAX = 16;
/** Limit for the words of such a command. */
const WORDS_MAX = 1_024;

/**
 * Checks whether a whole line is known to only read: its structure, each of its commands, each of its
 * redirections (PERM-04).
 *
 * What it would read still has to be checked on disk.
 */
export function checkLine(analysis: Analysis): ReadCheck {
  const { commands, redirections, structure, unsure, overLimit } = analysis;
  if (overLimit !== undefined) return notKnown(overLimit);
  const [doubt] = unsure;
  if (doubt !== undefined) return notKnown(doubt.why);
  if (structure.problem !== undefined) return notKnown(structure.problem);
  if (structure.grouped) return notKnown("a group of commands");
  if (commands.length === 0) return notKnown("it holds no command");
  if (commands.length + redirections.length > READS_MAX) return notKnown("it holds too many commands");
  const uses: Use[] = [];
  for (const part of [
    ...commands.map((command) => checkCommand(command, commands)),
    ...redirections.map(checkRedirection),
  ]) {
    if (part.kind === "unknown") return part;
    uses.push(...part.uses);
  }
  return uses.length > READS_MAX ? notKnown("it reads too many places") : knownRead(uses);
}

const judged = new WeakMap<ShellCommand, ReadCheck>();

/**
 * Checks whether one command of a line is known to only read. Caches the result, since several checks of a line
 * need it.
 *
 * Valid only if the structure of the line is known: otherwise a name may stand for another program.
 */
export function checkCommand(command: ShellCommand, all: readonly ShellCommand[]): ReadCheck {
  let known = judged.get(command);
  if (known === undefined) {
    known = knowledge(command, all);
    judged.set(command, known);
  }
  return known;
}

function knowledge(command: ShellCommand, all: readonly ShellCommand[]): ReadCheck {
  const { name, args, assignments, directories, wrappedBy } = command;
  const program = literalOf(name);
  // A program that starts others is known by its whole argv, or not at all.
  if (wrappedBy !== undefined) {
    const launcher = all
      .slice(0, all.indexOf(command))
      .findLast((each) => literalOf(each.name) === wrappedBy);
    const known = launcher === undefined ? undefined : checkCommand(launcher, all);
    return known?.kind === "reads" ? knownRead() : notKnown(`${wrappedBy} starts ${program ?? "a program"}`);
  }
  const [assignment] = assignments;
  if (assignment !== undefined) return notKnown(`it sets the variable ${assignment.name}`);
  if (program === undefined)
    return notKnown(`the name of the command, ${name?.text ?? ""}, is only known when it runs`);
  if (args.length > WORDS_MAX) return notKnown(`${program} with more than ${WORDS_MAX} words`);
  const known = checkInvocation({ name: program, args, directories, writers: writersOf(command, all) });
  return known.kind === "reads" ? known : notKnown(whole(program, known.why));
}

/** Renders a reason as a complete sentence: which command, and what is missing. */
function whole(program: string, why: string): string {
  const flag = /^the (?:flag|operand) \S+$/.test(why);
  if (flag) return `${program}: ${why} is not known to only read`;
  return /^(?:git [^:]*|git [^:]*: the flag \S+|-\S+ of find)$/.test(why) && !/ known/.test(why)
    ? `${why} is not known to only read`
    : why;
}

function writersOf({ reads: first }: ShellCommand, all: readonly ShellCommand[]): readonly ShellCommand[] {
  const writers: ShellCommand[] = [];
  for (let at = first; at !== undefined && writers.length < WRITERS_MAX; at = all[at]?.reads) {
    const writer = all[at];
    if (writer !== undefined) writers.push(writer);
  }
  return writers;
}

/** Allows writing only to /dev/null, and to a descriptor that is open already. */
export function checkRedirection({ operator, target, directories }: ShellRedirection): ReadCheck {
  const value = literalOf(target);
  if (target === undefined) return notKnown(`the redirection ${operator}`);
  switch (operator) {
    case "<<":
    case "<<<":
      return notKnown(`the redirection ${operator}`);
    case "<":
      return value === "/dev/null" ? knownRead() : knownRead([{ kind: "path", word: target, directories }]);
    case ">&":
    case "<&":
      return value !== undefined && /^[0-2]$/.test(value)
        ? knownRead()
        : notKnown(`${operator} ${target.text} is not a copy of a descriptor from 0 to 2`);
    case ">":
    case ">>":
    case ">|":
    case "&>":
    case "&>>":
      return value === "/dev/null" ? knownRead() : notKnown(`it writes to ${target.text}`);
    case "<>":
      return notKnown(`<> ${target.text} may create a file`);
  }
}
