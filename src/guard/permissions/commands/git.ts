import { posix } from "node:path";
import type { Directories, ShellWord } from "../../../shell/analysis.ts";
import { literalOf } from "../../../shell/analysis.ts";
import { mayHoldCredentials } from "../judge/sensitive.ts";
import type { Subcommand } from "./git-table.ts";
import { NESTED_SUBCOMMANDS, SUBCOMMANDS } from "./git-table.ts";
import type { CheckRead, ParsedFlags, ReadCheck, Use } from "./grammar.ts";
import { knownRead, notKnown, parseFlags } from "./grammar.ts";

const CONFIG_KEYS =
  /^(?:user\.(?:name|email)|init\.defaultbranch|core\.(?:autocrlf|eol|filemode|ignorecase|bare)|branch\.[\w./-]+\.(?:remote|merge|rebase)|pull\.rebase|push\.default)$/i;

/**
 * Checks `git`: known if it only reads and the configuration of the repository, which git obeys, names no program.
 * The configuration is checked on disk (S34).
 */
export function checkGit({ args, directories }: Parameters<CheckRead>[0]): ReadCheck {
  if (args.length === 1 && /^(?:--version|-v)$/.test(literalOf(args[0]) ?? "")) return knownRead();
  const globals = readGlobals(args, directories);
  if (typeof globals === "string") return notKnown(globals);
  const { rest, at } = globals;
  const name = literalOf(rest[0]);
  if (name === undefined) return notKnown(`git ${rest[0]?.text ?? ""}`);
  const uses = globals.uses;
  if (name === "config") return config(rest.slice(1), at, uses);
  if (name === "symbolic-ref") return symbolicRef(rest.slice(1), at, uses);
  const second = literalOf(rest[1]) ?? "";
  const nested = Object.hasOwn(NESTED_SUBCOMMANDS, name) ? NESTED_SUBCOMMANDS[name] : undefined;
  const inner = nested !== undefined && Object.hasOwn(nested, second) ? nested[second] : undefined;
  if (inner !== undefined) return subcommand(`${name} ${second}`, inner, rest.slice(2), at, uses);
  if (nested !== undefined && rest.length > 1 && !second.startsWith("-"))
    return notKnown(`git ${name} ${second}`);
  const found = Object.hasOwn(SUBCOMMANDS, name) ? SUBCOMMANDS[name] : undefined;
  return found === undefined ? notKnown(`git ${name}`) : subcommand(name, found, rest.slice(1), at, uses);
}

/** `..` leads above the target of a folder that is a link, also if an earlier -C or cd has led there. */
const UPWARDS = /(?:^|\/)\.\.(?:\/|$)/;

function readGlobals(
  args: readonly ShellWord[],
  before: Directories,
): { readonly rest: readonly ShellWord[]; readonly at: Directories; readonly uses: readonly Use[] } | string {
  let at = before;
  const uses: Use[] = [];
  for (let index = 0; index < args.length; index++) {
    const text = literalOf(args[index]);
    if (text === "-C") {
      const word = args[++index];
      const path = literalOf(word);
      if (word === undefined || path === undefined || path.startsWith("~") || UPWARDS.test(path))
        return "git -C of a place that is not known";
      uses.push({ kind: "path", word, directories: at });
      at = at?.map((directory) => (path.startsWith("/") ? path : posix.join(directory, path)));
    } else if (
      !/^(?:--no-pager|-P|--no-optional-locks|--literal-pathspecs|--no-replace-objects)$/.test(text ?? "")
    ) {
      if (text === undefined || text.startsWith("-")) return `git ${args[index]?.text ?? ""}`;
      return { rest: args.slice(index), at, uses };
    }
  }
  return "git without a command";
}

function subcommand(
  name: string,
  { flags: known, operands: kind, tree = false }: Subcommand,
  args: readonly ShellWord[],
  at: Directories,
  uses: readonly Use[],
): ReadCheck {
  const read = parseFlags(known, args);
  if (typeof read === "string") return notKnown(`git ${name}: ${read}`);
  const { operands, flags } = read;
  const format = args.map((word) => literalOf(word) ?? "").find((text) => /%G|signature/i.test(text));
  if (format !== undefined) return notKnown(`git ${name}: ${format} starts gpg`);
  if (kind === "none" && operands.length > 0) return notKnown(`git ${name} ${operands[0]?.text}`);
  if (typeof kind === "object" && operands.length > 0 && !kind.onlyWith.some((flag) => flags.has(flag)))
    return notKnown(`git ${name} ${operands[0]?.text}`);
  const odd = oddOperand(read);
  if (odd !== undefined) return notKnown(`git ${name} ${odd}`);
  const secret = operands.find((word) => mayHoldCredentials((literalOf(word) ?? "").replace(/^.*:/s, "")));
  if (secret !== undefined) return notKnown(`git ${name} ${secret.text}, which may hold a key or password`);
  // If a path lies outside, or there is no repository, git diff compares any two files or folders.
  const compared =
    name === "diff" ? operands.filter((word) => literalOf(word)?.startsWith(":") !== true) : [];
  const deep = compared.length > 1 ? ({ deep: "all" } as const) : {};
  const elsewhere = name === "diff" ? compared : operands.filter((word) => leadsOut(literalOf(word) ?? ""));
  return knownRead([
    ...uses,
    ...elsewhere.map((word): Use => ({ kind: "path", word, directories: at, ...deep })),
    { kind: "repository", directories: at, tree },
  ]);
}

/** Operands are fixed words. A pattern is allowed only after `--`, where it cannot become a flag. */
function oddOperand({ operands, behindDashes }: ParsedFlags): string | undefined {
  return operands.find((word, at) => {
    if (word.kind === "glob") return at < operands.length - behindDashes || leadsOut(word.pattern);
    return literalOf(word) === undefined;
  })?.text;
}

/** With a path outside the repository, git diff compares any two files. */
function leadsOut(text: string): boolean {
  return text.startsWith("/") || text.startsWith("~") || /(?:^|\/)\.\.(?:\/|$)/.test(text);
}

function config(args: readonly ShellWord[], at: Directories, uses: readonly Use[]): ReadCheck {
  const [first, key, ...more] = args.map(literalOf);
  if (
    (first === "--get" || first === "get") &&
    key !== undefined &&
    more.length === 0 &&
    CONFIG_KEYS.test(key)
  )
    return knownRead([...uses, { kind: "repository", directories: at, tree: false }]);
  if (first !== undefined && key === undefined && args.length === 1 && CONFIG_KEYS.test(first))
    return knownRead([...uses, { kind: "repository", directories: at, tree: false }]);
  return notKnown("git config: it may show a secret, or change something");
}

function symbolicRef(args: readonly ShellWord[], at: Directories, uses: readonly Use[]): ReadCheck {
  const words = args.map(literalOf);
  const operands = words.filter((word) => word === undefined || !/^(?:-q|--quiet|--short)$/.test(word));
  if (operands.length !== 1 || operands[0]?.startsWith("-") !== false) return notKnown("git symbolic-ref");
  return knownRead([...uses, { kind: "repository", directories: at, tree: false }]);
}
