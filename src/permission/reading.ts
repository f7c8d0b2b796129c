import type { Analysis, ShellCommand, ShellRedirection } from "../shell/analysis.ts";
import { literalOf } from "../shell/analysis.ts";
import type { Known, Use } from "./commands/grammar.ts";
import { reads, textProblem, unknown } from "./commands/grammar.ts";
import { knowledgeOf } from "./commands/table.ts";

/** A line with more commands or more files is nothing that only reads and goes unasked. */
const READS_MAX = 256;
const WRITERS_MAX = 16;
/** Nor is a command with more words. */
const WORDS_MAX = 1_024;

/**
 * Tells whether a whole line is known to only read: each of its commands, each of its redirections (PERM-04).
 *
 * What it would read is still to be looked at on the disk.
 */
export function readsOnly(analysis: Analysis): Known {
  const { commands, redirections, functions, unsure, overLimit } = analysis;
  if (overLimit !== undefined) return unknown(overLimit);
  const [doubt] = unsure;
  if (doubt !== undefined) return unknown(doubt.why);
  if (functions.length > 0) return unknown("it defines a function");
  if (commands.length === 0) return unknown("it holds no command");
  if (commands.length + redirections.length > READS_MAX) return unknown("it holds too many commands");
  const uses: Use[] = [];
  for (const part of [
    ...commands.map((command) => knownCommand(command, commands)),
    ...redirections.map(knownRedirection),
  ]) {
    if (part.kind === "unknown") return part;
    uses.push(...part.uses);
  }
  return uses.length > READS_MAX ? unknown("it reads too many places") : reads(uses);
}

const judged = new WeakMap<ShellCommand, Known>();

/**
 * Tells whether one command of a line is known to only read. What a plain wrapper starts is one of the others. Several
 * looks at a line ask for it: its words are read once.
 */
export function knownCommand(command: ShellCommand, all: readonly ShellCommand[]): Known {
  let known = judged.get(command);
  if (known === undefined) {
    known = knowledge(command, all);
    judged.set(command, known);
  }
  return known;
}

function knowledge(command: ShellCommand, all: readonly ShellCommand[]): Known {
  const { name, args, assignments, directories, wraps, wrappedBy } = command;
  // What is known of xargs is known of it together with what it starts.
  if (wrappedBy !== undefined && /^(?:(?:\/usr)?\/bin\/)?xargs$/.test(wrappedBy)) return reads();
  const [assignment] = assignments;
  if (assignment !== undefined) return unknown(`it sets the variable ${assignment.name}`);
  if (name === undefined) return reads(); // redirections alone: they are judged by themselves
  const program = literalOf(name);
  if (program === undefined)
    return unknown(
      name.kind === "unknown" && name.text === ""
        ? name.why
        : `the name of the command, ${name.text}, is only known when it runs`,
    );
  if (wraps === "plain") return reads();
  if (args.length > WORDS_MAX) return unknown(`${program} with more than ${WORDS_MAX} words`);
  const known = knowledgeOf({ name: program, args, directories, writers: writersOf(command, all) });
  const tellsMore = known.kind === "unknown" && /^(?:find|fd|fdfind)$/.test(program);
  if (wraps === "opaque" && program !== "xargs" && !tellsMore)
    return unknown(`what ${program} starts is not known to only read`);
  return known.kind === "reads" ? known : unknown(whole(program, known.why));
}

/** As a sentence that stands alone: of which command, and what is missing. */
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

/** Where what is written changes no file: nowhere, or what stands behind a descriptor that is open already. */
const NO_FILE: readonly string[] = ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/fd/1", "/dev/fd/2"];

/** Nothing is written but to /dev/null, and to a descriptor that is open already. */
export function knownRedirection({ operator, target, directories }: ShellRedirection): Known {
  if (operator === "<<") return reads();
  if (target === undefined) return unknown("a redirection without a target");
  const value = literalOf(target);
  switch (operator) {
    case "<<<": {
      const problem = textProblem(target);
      return problem === undefined ? reads() : unknown(problem);
    }
    case "<":
      return value === "/dev/null" ? reads() : reads([{ kind: "path", word: target, directories }]);
    case ">&":
    case "<&":
      return value !== undefined && (/^\d{1,2}$/.test(value) || value === "-" || NO_FILE.includes(value))
        ? reads()
        : unknown(`${operator} ${target.text} writes a file`);
    case ">":
    case ">>":
    case ">|":
    case "&>":
    case "&>>":
      return value !== undefined && NO_FILE.includes(value)
        ? reads()
        : unknown(`it writes to ${target.text}`);
    case "<>":
      return unknown(`<> ${target.text} may create a file`);
  }
}
