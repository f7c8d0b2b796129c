import type { ShellWord } from "./analysis.ts";
import { literalOf } from "./analysis.ts";

const HARMLESS_OPTIONS = /^[-+](?:[euxvnfCbhma]+|o)$/;
const HARMLESS_OPTION_NAMES = new Set([
  "pipefail",
  "errexit",
  "nounset",
  "xtrace",
  "verbose",
  "noglob",
  "noclobber",
  "allexport",
  "monitor",
  "notify",
]);
const HARMLESS_SHOPT = new Set([
  "nullglob",
  "globstar",
  "dotglob",
  "failglob",
  "nocaseglob",
  "inherit_errexit",
]);

/**
 * Returns why bash may read the rest differently after a command that changes shell settings; undefined for any
 * other command.
 */
export function settingDoubt(name: string, args: readonly ShellWord[]): string | undefined {
  switch (name) {
    case "shopt":
      return isHarmlessShopt(args) ? undefined : "shopt changes how bash reads what follows";
    case "set":
      return isHarmlessSet(args) ? undefined : "set changes how bash reads what follows";
    case "enable":
      return "enable changes what a name stands for";
    case "hash":
      return args.length > 0 ? "hash changes what a name stands for" : undefined;
    default:
      return undefined;
  }
}

function isHarmlessShopt(args: readonly ShellWord[]): boolean {
  const [first, ...rest] = args.map(literalOf);
  return /^-[suqp]+$/.test(first ?? "") && rest.every((option) => HARMLESS_SHOPT.has(option ?? ""));
}

function isHarmlessSet(args: readonly ShellWord[]): boolean {
  const values = args.map(literalOf);
  if (values[0] === "--") return true; // only the arguments $1, $2 … are set
  return values.every(
    (value) =>
      value !== undefined &&
      (HARMLESS_OPTIONS.test(value) ||
        HARMLESS_OPTION_NAMES.has(value) ||
        /^-[a-z]*o$/.test(value) ||
        value === "--"),
  );
}
