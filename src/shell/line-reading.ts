import type {
  AndOr,
  CommandNode,
  CompoundList,
  PipelineNode,
  Script,
  Statement,
  SyntaxNode,
  Word,
} from "unbash";
import { forEachChild, parse } from "unbash";
import { defined } from "../base/defined.ts";
import type { Analysis, Directories, ShellWord } from "./analysis.ts";
import { SHELL_DEPTH_MAX } from "./analysis.ts";
import { DIRECTORY_VARIABLES, unionDirectories } from "./directories.ts";
import { Findings, OverLimit } from "./findings.ts";
import { readsPipe, writesPipe } from "./pipe-ends.ts";
import type { DirectoryOutcome, ReadingLevel, Shell } from "./shell-state.ts";
import { sameDirectories } from "./shell-state.ts";
import { SimpleCommands } from "./simple-command.ts";
import { uncoveredPosition } from "./syntax/coverage.ts";
import { expansionsIn } from "./syntax/expansions.ts";
import { structureOf } from "./syntax/structure.ts";
import { suspiciousCharacter } from "./syntax/suspicious.ts";
import { parseWord } from "./syntax/words.ts";

const BROKEN_CHARACTERS_MAX = 4_096;

type NodeOf<Type extends CommandNode["type"]> = Extract<CommandNode, { type: Type }>;

/** One pass over a line: statements, pipelines and compound commands, and the directory of each part. */
export class LineReading {
  readonly #found = new Findings();
  readonly #simple = new SimpleCommands(this.#found, {
    script: (text, shell, level) => this.#script(text, shell, level),
    inside: (node, shell, level) => this.#inside(node, shell, level),
  });

  result(): Analysis {
    return this.#found.result();
  }

  line(text: string): void {
    this.#script(text, { directories: [""] }, { source: text, depth: 0 });
  }

  #script(text: string, shell: Shell, level: ReadingLevel): void {
    this.#found.countCharacters(text.length);
    this.#found.countHereDocuments(text);
    const odd = suspiciousCharacter(text);
    if (odd !== undefined) this.#found.doubt(odd.at, odd.why);
    const script = parse(text);
    for (const { message, pos } of script.errors ?? []) this.#found.doubt(pos, message);
    // A broken line is never allowed, so scanning all of a long one would only take time.
    if (script.errors !== undefined && script.errors.length > 0 && text.length > BROKEN_CHARACTERS_MAX)
      return;
    if (level.depth === 0) this.#found.structure = structureOf(script);
    this.#parsed(script, shell, { ...level, source: text });
  }

  #parsed(script: Script, shell: Shell, level: ReadingLevel): void {
    if (level.depth > SHELL_DEPTH_MAX) throw new OverLimit("it is nested too deeply");
    this.#found.countScript();
    const unread = uncoveredPosition(script, level.source);
    if (unread !== undefined) this.#found.doubt(unread, "a place that could not be read");
    for (const statement of script.commands) this.#statement(statement, shell, level);
  }

  #list({ commands }: CompoundList, shell: Shell, level: ReadingLevel): void {
    for (const statement of commands) this.#statement(statement, shell, level);
  }

  #statement({ command, background }: Statement, shell: Shell, level: ReadingLevel): void {
    if (background === true) {
      this.#pipelineOrList(command, { ...shell }, level);
      return;
    }
    const { success, failure } = this.#pipelineOrList(command, shell, level);
    shell.directories = unionDirectories(success, failure);
  }

  #pipelineOrList(node: PipelineNode | AndOr, shell: Shell, level: ReadingLevel): DirectoryOutcome {
    if (node.type !== "AndOr") return this.#pipeline(node, shell, level);
    let { success, failure }: DirectoryOutcome = { success: undefined, failure: undefined };
    for (const [at, part] of node.commands.entries()) {
      const operator = at === 0 ? undefined : node.operators[at - 1];
      if (operator !== undefined) shell.directories = operator === "&&" ? success : failure;
      const outcome = this.#pipeline(part, shell, level);
      if (operator === undefined) ({ success, failure } = outcome);
      else if (operator === "&&") {
        failure = unionDirectories(failure, outcome.failure);
        ({ success } = outcome);
      } else {
        success = unionDirectories(success, outcome.success);
        ({ failure } = outcome);
      }
    }
    return { success, failure };
  }

  #pipeline(node: PipelineNode, shell: Shell, level: ReadingLevel): DirectoryOutcome {
    if (node.type !== "Pipeline") return this.#command(node, shell, level);
    // Two negations cancel each other.
    const negated = node.prefixes.filter((prefix) => prefix.type === "Negation").length % 2 === 1;
    if (node.commands.length === 1) {
      const [only] = node.commands;
      if (only === undefined) return sameDirectories(shell);
      const { success, failure } = this.#command(only, shell, level);
      return negated ? { success: failure, failure: success } : { success, failure };
    }
    let writer: number | undefined;
    for (const part of node.commands) {
      const first = this.#found.commands.length;
      this.#command(part, { ...shell }, level);
      const reader = this.#found.commands[first];
      // The input is known only if both sides are one simple command each.
      if (part.type === "Command" && readsPipe(part) && reader !== undefined && writer !== undefined) {
        for (const behind of this.#found.commands.slice(first)) behind.reads = writer;
      }
      const writes = part.type === "Command" && this.#found.commands.length === first + 1 && writesPipe(part);
      writer = writes ? first : undefined;
    }
    return sameDirectories(shell);
  }

  #command(node: CommandNode, shell: Shell, level: ReadingLevel): DirectoryOutcome {
    if (level.depth > SHELL_DEPTH_MAX) throw new OverLimit("it is nested too deeply");
    const deeper = { ...level, depth: level.depth + 1 };
    switch (node.type) {
      case "Command":
        return this.#simple.read(node, shell, level);
      case "Redirected":
        for (const redirect of node.redirects) this.#simple.redirection(redirect, shell, level);
        return this.#command(node.command, shell, deeper);
      case "Subshell":
        this.#list(node.body, { ...shell }, deeper);
        return sameDirectories(shell);
      case "BraceGroup":
        this.#list(node.body, shell, deeper);
        return sameDirectories(shell);
      case "If":
        return this.#if(node, shell, deeper);
      case "While":
        return this.#loop(shell, () => {
          this.#list(node.clause, shell, deeper);
          this.#list(node.body, shell, deeper);
        });
      case "For":
      case "Select":
        for (const word of node.wordlist ?? []) this.#inside(word, shell, deeper);
        if (DIRECTORY_VARIABLES.has(node.name.value)) shell.directories = undefined;
        return this.#loop(shell, () => this.#list(node.body, shell, deeper));
      case "ArithmeticFor":
        for (const part of [node.initialize, node.test, node.update])
          if (part !== undefined) this.#inside(part, shell, deeper);
        return this.#loop(shell, () => this.#list(node.body, shell, deeper));
      case "Case":
        return this.#case(node, shell, deeper);
      case "Function": {
        this.#found.functions.add(node.name.value);
        const body = { directories: undefined };
        if (node.body.type === "CompoundList") this.#list(node.body, body, deeper);
        else this.#command(node.body, body, deeper);
        shell.directories = undefined; // the time and effect of its calls are not followed
        return sameDirectories(shell);
      }
      case "Coproc": {
        const copy = { ...shell };
        if (node.body.type === "CompoundList") this.#list(node.body, copy, deeper);
        else this.#command(node.body, copy, deeper);
        return sameDirectories(shell);
      }
      case "TestCommand":
      case "ArithmeticCommand":
        return this.#expression(node, shell, deeper);
    }
  }

  #if(node: NodeOf<"If">, shell: Shell, level: ReadingLevel): DirectoryOutcome {
    const clauses = [node, ...node.elif];
    let after: Directories;
    for (const [at, { clause, then }] of clauses.entries()) {
      this.#list(clause, shell, level);
      const branch = { ...shell };
      this.#list(then, branch, level);
      after = at === 0 ? branch.directories : unionDirectories(after, branch.directories);
    }
    if (node.else !== undefined) this.#list(node.else, shell, level);
    shell.directories = unionDirectories(after, shell.directories);
    return sameDirectories(shell);
  }

  #case(node: NodeOf<"Case">, shell: Shell, level: ReadingLevel): DirectoryOutcome {
    this.#inside(node.word, shell, level);
    let after = shell.directories;
    for (const { pattern, body } of node.items) {
      for (const word of pattern) this.#inside(word, shell, level);
      // With ;& one body follows another, so each may begin where any body before it ended.
      const branch = { directories: after };
      this.#list(body, branch, level);
      after = unionDirectories(after, branch.directories);
    }
    shell.directories = after;
    return sameDirectories(shell);
  }

  /** Reads `[[ … ]]` and `(( … ))`, each as a command of that name. */
  #expression(
    node: NodeOf<"TestCommand" | "ArithmeticCommand">,
    shell: Shell,
    level: ReadingLevel,
  ): DirectoryOutcome {
    if (node.type === "ArithmeticCommand" && node.expression === undefined && node.body.trim() !== "")
      this.#found.doubt(node.pos, "an expression that could not be read");
    forEachChild(node, (child) => this.#inside(child, shell, level));
    this.#found.commands.push({
      name: { kind: "known", text: "[[", value: node.type === "TestCommand" ? "[[" : "((", home: false },
      args: wordsBelow(node),
      assignments: [],
      directories: shell.directories,
      text: level.source.slice(node.pos, node.end),
      ...defined({ wrappedBy: level.wrappedBy }),
    });
    return sameDirectories(shell);
  }

  /** Handles a body that runs more than once: if it ends in another directory, it may run in any. */
  #loop(shell: Shell, body: () => void): DirectoryOutcome {
    const before = shell.directories;
    const [firstCommand, firstRedirection] = [this.#found.commands.length, this.#found.redirections.length];
    body();
    const after = shell.directories;
    if (after !== before && String(after) !== String(before)) {
      for (const command of this.#found.commands.slice(firstCommand)) command.directories = undefined;
      for (const redirection of this.#found.redirections.slice(firstRedirection))
        redirection.directories = undefined;
      shell.directories = undefined;
    }
    return sameDirectories(shell);
  }

  /** Reads the commands in the expansions of a word, an assignment, a redirection or an expression. */
  #inside(node: SyntaxNode, shell: Shell, level: ReadingLevel): void {
    for (const expansion of expansionsIn(node)) {
      if (expansion.kind === "doubt") this.#found.doubt(expansion.at, expansion.why);
      else this.#substitution(expansion.node.script, expansion.node, shell, level);
    }
  }

  #substitution(
    script:
      | (Script & { readonly errors?: readonly { message: string; pos: number }[] | undefined })
      | undefined,
    node: { readonly pos: number; readonly text: string },
    shell: Shell,
    level: ReadingLevel,
  ): void {
    if (script === undefined) {
      this.#found.doubt(node.pos, "a substitution that could not be read");
      return;
    }
    if (node.text.startsWith("${"))
      this.#found.doubt(node.pos, "a substitution that only newer versions of bash know");
    for (const { message, pos } of script.errors ?? []) this.#found.doubt(pos, message);
    const source = script.source ?? level.source;
    this.#parsed(script, { ...shell }, { ...level, source, depth: level.depth + 1 });
  }
}

function wordsBelow(node: SyntaxNode): readonly ShellWord[] {
  const words: ShellWord[] = [];
  const gather = (inner: SyntaxNode) => {
    if (inner.type === "Word") words.push(parseWord(inner as Word));
    else forEachChild(inner, gather);
  };
  forEachChild(node, gather);
  return words;
}
