import type { AndOr, Command, CommandNode, PipelineNode, Redirection, Script, Statement, Word } from "unbash";
import type { Structure } from "../analysis.ts";
import { parseWord } from "./words.ts";

/**
 * Classifies the syntax tree of a line by a closed grammar (PERM-04).
 *
 * Lists the node kinds known to be harmless. Any other kind is a problem, including kinds of a later parser.
 */
export function structureOf(script: Script): Structure {
  const reader = new StructureReader();
  reader.list(script.commands);
  const { problem, grouped } = reader;
  return problem === undefined ? { grouped } : { problem, grouped };
}

class StructureReader {
  problem: string | undefined;
  grouped = false;

  list(statements: readonly Statement[]): void {
    for (const { command, background } of statements) {
      if (background === true) this.#refuse("a command in the background");
      this.#node(command);
    }
  }

  #node(node: AndOr | PipelineNode): void {
    if (this.problem !== undefined) return;
    switch (node.type) {
      case "AndOr":
        for (const part of node.commands) this.#node(part);
        return;
      case "Pipeline":
        if (node.prefixes.some(({ type }) => type !== "Negation")) this.#refuse("time");
        if (node.operators.some((operator) => operator !== "|")) this.#refuse("|&");
        for (const part of node.commands) this.#node(part);
        return;
      case "Command":
        this.#command(node);
        return;
      case "Subshell":
      case "BraceGroup":
        this.grouped = true;
        this.list(node.body.commands);
        return;
      case "Redirected":
        for (const redirection of node.redirects) this.#redirection(redirection);
        this.#node(node.command);
        return;
      default:
        this.#refuse(CONSTRUCTS[node.type] ?? `the construct ${node.type}`);
    }
  }

  #command({ name, prefix, suffix }: Command): void {
    for (const part of prefix) {
      if (part.type === "Assignment") this.#refuse(`the variable ${part.name} is set`);
      else this.#redirection(part);
    }
    if (name === undefined) this.#refuse("no command");
    else this.#name(name);
    for (const part of suffix) {
      if (part.type === "Word") this.#argument(part);
      else if (part.type === "Assignment") this.#refuse(`the assignment ${part.text}`);
      else this.#redirection(part);
    }
  }

  #name(word: Word): void {
    const read = parseWord(word);
    if (!isPlain(word) || read.kind !== "known" || read.home || read.value === "")
      this.#refuse(`the name of the command, ${word.text}, is only known when it runs`);
  }

  #argument(word: Word): void {
    const read = parseWord(word);
    if (read.kind === "unknown") this.#refuse(`${word.text}: ${read.why}`);
    else if (!isPlain(word)) this.#refuse(`the expansion in ${word.text}`);
    else if (read.kind === "variables") {
      const name = read.names.find((each) => !PLAIN_VARIABLES.has(each));
      if (name !== undefined) this.#refuse(`the variable $${name}`);
      // A variable's value may be split into several words, or be a pattern.
      else if (!read.names.every((each) => NUMBERS.has(each)) && !read.whole)
        this.#refuse(`${word.text} is expanded to any number of words`);
    }
  }

  #redirection(redirection: Redirection): void {
    if (redirection.type === "HereDoc") this.#refuse("a here-document");
    else if (redirection.type === "HereString") this.#refuse("a here-string");
    else {
      const { descriptor, operator, target } = redirection;
      if (descriptor !== undefined && (descriptor.type !== "FileDescriptor" || descriptor.value > 2))
        this.#refuse("a descriptor above 2");
      const read = target === undefined ? undefined : parseWord(target);
      if (target === undefined || read?.kind !== "known" || !isPlain(target))
        this.#refuse(`a redirection to ${target?.text ?? "nothing"}`);
      else if (operator === "<>") this.#refuse("<> may create a file");
    }
  }

  #refuse(problem: string): void {
    this.problem ??= problem;
  }
}

/** Variables without secrets that no repository can set. */
const PLAIN_VARIABLES: ReadonlySet<string> = new Set([
  ...["PWD", "HOME", "USER", "LOGNAME", "HOSTNAME", "SHELL", "LANG", "TERM", "?", "#", "$"],
]);
const NUMBERS: ReadonlySet<string> = new Set(["?", "#", "$"]);

/**
 * Returns true for literal text, quoted or not, plain patterns and plain variables: each part's kind must be listed.
 */
function isPlain({ parts = [] }: Word): boolean {
  return parts.every((part) => {
    switch (part.type) {
      case "Literal":
      case "SingleQuoted":
      case "AnsiCQuoted": // `parseWord` accepts those whose escapes every bash reads alike, and no others
      case "Glob":
      case "SimpleExpansion":
        return true;
      case "DoubleQuoted":
        return part.parts.every(({ type }) => type === "Literal" || type === "SimpleExpansion");
      default:
        return false;
    }
  });
}

const CONSTRUCTS: Partial<Record<CommandNode["type"], string>> = {
  If: "an if",
  For: "a for loop",
  ArithmeticFor: "a for loop",
  Select: "a select loop",
  While: "a while or until loop",
  Case: "a case",
  Function: "it defines a function",
  Coproc: "a coproc",
  TestCommand: "[[ evaluates its words",
  ArithmeticCommand: "(( evaluates its words",
};
