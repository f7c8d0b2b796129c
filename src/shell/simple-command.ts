import type { Assignment, Command, Redirection, SyntaxNode } from "unbash";
import { defined } from "../base/defined.ts";
import type { ShellAssignment, ShellCommand, ShellWord } from "./analysis.ts";
import { literalOf, SHELL_DEPTH_MAX } from "./analysis.ts";
import { afterCd, changesDirectory, DIRECTORY_VARIABLES, unionDirectories } from "./directories.ts";
import type { Findings, Mutable } from "./findings.ts";
import { OverLimit } from "./findings.ts";
import { settingDoubt } from "./settings.ts";
import type { DirectoryOutcome, ReadingLevel, Shell } from "./shell-state.ts";
import { sameDirectories } from "./shell-state.ts";
import { assignmentWord, parseWord } from "./syntax/words.ts";
import { wrappedCommands } from "./wrappers/wrappers.ts";

/** Reads nested content of a command: a script, or the expansions in a word. */
export interface InnerReader {
  script(text: string, shell: Shell, level: ReadingLevel): void;
  inside(node: SyntaxNode, shell: Shell, level: ReadingLevel): void;
}

/**
 * Reads simple commands: their words, the commands they start, their directories, and redirections of all kinds
 * of commands.
 */
export class SimpleCommands {
  readonly #found: Findings;
  readonly #reader: InnerReader;

  constructor(found: Findings, reader: InnerReader) {
    this.#found = found;
    this.#reader = reader;
  }

  /** Reads a command's words, assignments and redirections. */
  read(node: Command, shell: Shell, level: ReadingLevel): DirectoryOutcome {
    const assignments: ShellAssignment[] = [];
    for (const part of node.prefix) {
      if (part.type === "Assignment") assignments.push(this.#assignment(part, shell, level));
      else this.redirection(part, shell, level);
    }
    if (node.name !== undefined) this.#reader.inside(node.name, shell, level);
    const args: ShellWord[] = [];
    for (const part of node.suffix) {
      if (part.type === "Word") {
        this.#reader.inside(part, shell, level);
        args.push(parseWord(part));
      } else if (part.type === "Assignment") {
        this.#reader.inside(part, shell, level);
        args.push(assignmentWord(part));
        if (DIRECTORY_VARIABLES.has(part.name)) shell.directories = undefined;
      } else {
        this.redirection(part, shell, level);
      }
    }
    const text = level.source.slice(node.pos, node.end);
    if (assignments.some(({ name }) => DIRECTORY_VARIABLES.has(name))) shell.directories = undefined;
    const name = node.name === undefined ? undefined : parseWord(node.name);
    return this.#invocation({ name, args, assignments, text }, shell, level);
  }

  /** Reads one command with its words: itself, and the commands it starts. */
  #invocation(
    {
      name,
      args,
      assignments,
      text,
    }: Pick<ShellCommand, "args" | "assignments" | "text"> & { readonly name: ShellWord | undefined },
    shell: Shell,
    level: ReadingLevel,
  ): DirectoryOutcome {
    this.#found.countCommand(args.length);
    const command: Mutable<ShellCommand> = {
      ...defined({ name }),
      args,
      assignments,
      directories: shell.directories,
      text,
      ...defined({ wrappedBy: level.wrappedBy }),
    };
    this.#found.commands.push(command);
    const program = literalOf(name);
    if (program === undefined) return sameDirectories(shell);
    const plainName = program.slice(program.lastIndexOf("/") + 1);
    const setting = settingDoubt(plainName, args);
    if (setting !== undefined) this.#found.doubt(0, setting);
    const wrapped = wrappedCommands(plainName, args);
    if (wrapped.length > 0) {
      command.wraps = wrapped.every(({ plain }) => plain) ? "plain" : "opaque";
      const before = shell.directories;
      const elsewhere = changesDirectory(plainName, args);
      for (const { words, script, unknown, here } of wrapped) {
        const inner = { ...level, depth: level.depth + 1, wrappedBy: program };
        if (inner.depth > SHELL_DEPTH_MAX) throw new OverLimit("it is nested too deeply");
        const place =
          here === true || plainName === "command" || plainName === "builtin" ? shell : { ...shell };
        if (elsewhere) place.directories = undefined;
        if (script !== undefined) this.#reader.script(script, place, inner);
        if (words !== undefined) {
          const [first, ...rest] = words;
          this.#invocation(
            { name: first, args: rest, assignments: [], text: words.map((word) => word.text).join(" ") },
            place,
            inner,
          );
        }
        if (unknown === true) {
          if (here === true) shell.directories = undefined;
          this.#found.commands.push({
            name: { kind: "unknown", text: "", why: `what ${plainName} starts` },
            args: [],
            assignments: [],
            directories: place.directories,
            text,
            wrappedBy: program,
          });
        }
      }
      return { success: shell.directories, failure: unionDirectories(before, shell.directories) };
    }
    if (plainName === "cd" || plainName === "pushd") {
      const before = shell.directories;
      return { success: plainName === program ? afterCd(args, before) : undefined, failure: before };
    }
    if (plainName === "popd" || plainName === "." || plainName === "source") shell.directories = undefined;
    return sameDirectories(shell);
  }

  #assignment(node: Assignment, shell: Shell, level: ReadingLevel): ShellAssignment {
    this.#reader.inside(node, shell, level);
    const { name, value, append, index } = node;
    if (value.type !== "Word" || append === true || index !== undefined)
      return { name, value: { kind: "unknown", text: node.text, why: "an array or an appended value" } };
    return { name, value: parseWord(value) };
  }

  redirection(node: Redirection, shell: Shell, level: ReadingLevel): void {
    this.#reader.inside(node, shell, level);
    const { directories } = shell;
    if (node.type === "HereDoc") {
      if (node.closing === undefined) this.#found.doubt(node.pos, "a here-document without an end");
      this.#found.redirections.push({ operator: "<<", directories });
      return;
    }
    if (node.descriptor?.type === "FileDescriptorVariable")
      this.#found.doubt(node.pos, "a descriptor in a variable");
    const target: ShellWord =
      node.target === undefined
        ? { kind: "unknown", text: "", why: "it has no target" }
        : parseWord(node.target);
    this.#found.redirections.push({ operator: node.operator, target, directories });
  }
}
