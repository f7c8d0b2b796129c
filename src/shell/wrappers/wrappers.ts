import type { ShellWord } from "../analysis.ts";
import { literalOf } from "../analysis.ts";
import type { Wrapper } from "./wrapper-table.ts";
import { DASH_C_COMMANDS, JOINING_COMMANDS, SHELLS, WRAPPERS } from "./wrapper-table.ts";

/** A command that another command would start. */
export interface Wrapped {
  /** Its words; the first is its name. */
  readonly words?: readonly ShellWord[];
  /** A script that a shell reads. */
  readonly script?: string;
  /** True if it is started unchanged: same environment and user, no further arguments. */
  readonly plain: boolean;
  /** True if it is unknown. */
  readonly unknown?: boolean;
  /** True if the shell itself reads the script, so that a directory change persists. */
  readonly here?: boolean;
}

/** Returns the commands that a command starts, by its name and arguments; empty if they name none. */
export function wrappedCommands(name: string, args: readonly ShellWord[]): readonly Wrapped[] {
  if (SHELLS.has(name)) return shellScript(args);
  if (JOINING_COMMANDS.has(name)) return joined(name, args);
  if (name === "find") return execOfFind(args);
  if (name === "fd" || name === "fdfind") return behind(args, /^-(?:x|X|-exec|-exec-batch)$/);
  if (name === "trap") return trapped(args);
  if (name === "mapfile" || name === "readarray") return scriptBehind(args, /^-[a-zA-Z]*C$/);
  if (name === "complete" || name === "compgen") return scriptBehind(args, /^-[a-zA-Z]*[CF]$/);
  if (DASH_C_COMMANDS.has(name)) {
    const script = scriptBehind(args, /^(?:-[a-zA-Z]*c|--command)$/);
    if (script.length > 0) return script;
  }
  if ((name === "command" || name === "exec") && isLookup(args)) return [];
  const wrapper = WRAPPERS.get(name);
  if (wrapper === undefined) return [];
  const found = behindFlags(wrapper, args);
  return name === "xargs" ? withInput(found, args) : found;
}

/** xargs appends its input to the words, or inserts it at a mark in them: even into a script. */
function withInput(found: readonly Wrapped[], args: readonly ShellWord[]): readonly Wrapped[] {
  const [first] = found;
  if (first === undefined) return [{ words: [ECHO, READ_LATER], plain: false }];
  if (first.words === undefined) return found;
  const marks = args.some((arg) => /^(?:-[A-Za-z0-9]*[IiJ]|--replace)/.test(arg.text));
  const words = marks ? first.words.map((word) => (isMarked(word, args) ? READ_LATER : word)) : first.words;
  return [{ words: [...words, READ_LATER], plain: false }];
}

/** The mark is a separate word, or directly follows the flag; any part of that text found in a word counts. */
function isMarked(word: ShellWord, args: readonly ShellWord[]): boolean {
  return args.some((arg, at) => {
    const flag = /^(?:-[A-Za-z0-9]*?[IiJ]|--replace=?)(.*)$/s.exec(arg.text)?.[1];
    if (flag === undefined) return false;
    const next = args[at + 1];
    const marks = flag === "" ? [literalOf(next) ?? "{}", next?.text ?? "{}", "{}"] : [flag];
    return marks.some((mark) => word.text.includes(mark) || literalOf(word)?.includes(mark) === true);
  });
}

const READ_LATER: ShellWord = { kind: "unknown", text: "…", why: "it is read when it runs" };

const ECHO: ShellWord = { kind: "known", text: "echo", value: "echo", home: false };

function isLookup(args: readonly ShellWord[]): boolean {
  return args.length === 0 || /^-p?[vV]/.test(literalOf(args[0]) ?? "");
}

function behindFlags(wrapper: Wrapper, args: readonly ShellWord[]): readonly Wrapped[] {
  let at = 0;
  let plain = wrapper.plain === true;
  const unknown: readonly Wrapped[] = [{ plain: false, unknown: true }];
  for (; at < args.length; at++) {
    const word = literalOf(args[at]);
    if (word === undefined) return unknown;
    if (word === "--") {
      at++;
      break;
    }
    if (!word.startsWith("-") || word === "-") {
      if (word !== "-") break;
      continue; // `env -`
    }
    const read = readFlag(wrapper, word);
    if (read === "split") return unknown;
    if (read === "unknown") plain = false;
    if (read === "takes-next") at++;
  }
  for (let remainingWords = wrapper.own ?? 0; remainingWords > 0 && at < args.length; remainingWords--) at++;
  if (wrapper.assignments === true) {
    while (at < args.length && /^[^=/]+=/.test(args[at]?.text ?? "")) {
      plain = false;
      at++;
    }
  }
  const words = args.slice(at);
  return words.length === 0 ? [] : [{ words, plain }];
}

/** Reads a flag. `split`: its value is a command in another syntax. */
function readFlag(wrapper: Wrapper, word: string): "alone" | "takes-next" | "unknown" | "split" {
  if (word.startsWith("--")) {
    const [name = ""] = word.slice(2).split("=");
    if (name === "split-string") return "split";
    if (wrapper.long?.includes(name) === true && !word.includes("=")) return "alone";
    if (wrapper.longValues?.includes(name) === true) return word.includes("=") ? "alone" : "takes-next";
    return "unknown";
  }
  for (let at = 1; at < word.length; at++) {
    const letter = word[at] ?? "";
    if (wrapper.values?.includes(letter) === true) {
      if (letter === "S" && wrapper.assignments === true && wrapper.values.includes("C")) return "split";
      return at === word.length - 1 ? "takes-next" : "alone";
    }
    if (wrapper.flags?.includes(letter) !== true) return "unknown";
  }
  return "alone";
}

/**
 * Reads `bash -c script`, also in a cluster of flags. A shell with a file, or without arguments, reads an
 * unknown script.
 */
function shellScript(args: readonly ShellWord[]): readonly Wrapped[] {
  for (const [at, arg] of args.entries()) {
    const word = literalOf(arg);
    if (word === undefined) return [{ plain: false, unknown: true }];
    if (/^-[A-Za-z]*c[A-Za-z]*$/.test(word)) {
      const rest = args.slice(at + 1);
      // Further flags may stand between -c and the script.
      const script = rest.find((next) => !/^[-+]/.test(literalOf(next) ?? ""));
      const text = literalOf(script);
      return [text === undefined ? { plain: false, unknown: true } : { script: text, plain: false }];
    }
    if (/^(?:--(?:rcfile|init-file)|[-+][oO])$/.test(word)) return [{ plain: false, unknown: true }];
    if (!/^[-+]/.test(word)) return [];
  }
  return [{ plain: false, unknown: true }];
}

function joined(name: string, args: readonly ShellWord[]): readonly Wrapped[] {
  const words = args.map((arg) => literalOf(arg));
  if (words.length === 0) return [];
  if (words.includes(undefined)) return [{ plain: false, unknown: true, here: name === "eval" }];
  const start = name === "eval" ? (words[0] === "--" ? 1 : 0) : firstOperand(words);
  return [{ script: words.slice(start).join(" "), plain: false, here: name === "eval" }];
}

function firstOperand(words: readonly (string | undefined)[]): number {
  const at = words.findIndex(
    (word, index) => word?.startsWith("-") === false && !/^-[nq]$/.test(words[index - 1] ?? ""),
  );
  return at === -1 ? words.length : at;
}

/** Reads every `-exec … ;`, `-execdir … {} +`, `-ok …`, `-okdir …` of find. */
function execOfFind(args: readonly ShellWord[]): readonly Wrapped[] {
  const found: Wrapped[] = [];
  for (let at = 0; at < args.length; at++) {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(literalOf(args[at]) ?? "")) continue;
    let end = at + 1;
    while (end < args.length && !endsExec(args, end)) end++;
    const words = args.slice(at + 1, end).map((word) => (word.text.includes("{}") ? READ_LATER : word));
    if (words.length > 0) found.push({ words, plain: false });
    at = end;
  }
  return found;
}

function endsExec(args: readonly ShellWord[], at: number): boolean {
  const word = literalOf(args[at]);
  return word === ";" || (word === "+" && literalOf(args[at - 1]) === "{}");
}

function behind(args: readonly ShellWord[], flag: RegExp): readonly Wrapped[] {
  const at = args.findIndex((arg) => flag.test(literalOf(arg) ?? ""));
  return at === -1 || at === args.length - 1
    ? []
    : [
        {
          words: [
            ...args.slice(at + 1).map((word) => (word.text.includes("{") ? READ_LATER : word)),
            READ_LATER,
          ],
          plain: false,
        },
      ];
}

function trapped(args: readonly ShellWord[]): readonly Wrapped[] {
  const script = args.find((arg) => !literalOf(arg)?.startsWith("-"));
  if (script === undefined || args.length < 2) return [];
  const text = literalOf(script);
  return [text === undefined ? { plain: false, unknown: true } : { script: text, plain: false }];
}

function scriptBehind(args: readonly ShellWord[], flag: RegExp): readonly Wrapped[] {
  const at = args.findIndex((arg) => flag.test(literalOf(arg) ?? ""));
  if (at === -1) return [];
  const text = literalOf(args[at + 1]);
  return [text === undefined ? { plain: false, unknown: true } : { script: text, plain: false }];
}
