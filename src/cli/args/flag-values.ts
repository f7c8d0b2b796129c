import { durationMs } from "../../base/text/duration.ts";
import type { CliFlag, FlagKind, FlagValue } from "../../session/commands/cli-command.ts";
import { parseSessionPoint, SESSION_POINT_FORM } from "../../view/session-point.ts";
import { BETWEEN_VALUES, NO_VALUE } from "./flag-words.ts";

/** The text of each flag that was given. */
export type FlagTexts = ReadonlyMap<string, string>;

/** Ends the reading of a command line. `parseArguments` catches it and returns its message as the problem. */
export class Misuse extends Error {}

/** Reads the value of a flag by its kind. @throws Misuse with flag, value and the right form. */
export function readFlag<Kind extends FlagKind>(
  flag: Pick<CliFlag, "name" | "short" | "placeholder"> & { readonly kind: Kind },
  flags: FlagTexts,
): FlagValue<Kind>;
export function readFlag(
  { name, kind, short, placeholder = "TEXT" }: Pick<CliFlag, "name" | "kind" | "short" | "placeholder">,
  flags: FlagTexts,
): FlagValue {
  const text = flags.get(name);
  if (kind === "switch") return text !== undefined;
  if (text === undefined) return undefined;
  if (kind === "texts") return text.split(BETWEEN_VALUES).map(filled);
  if (text === NO_VALUE) return true;
  if (kind === "text" || kind === "optional-text") return filled(text);
  const value =
    kind === "place" ? parseSessionPoint(text) : kind === "duration" ? positive(text) : among(kind, text);
  if (value === undefined) throw new Misuse(`--${name} ${formOf(kind)}, not "${text}"${meantBy(kind, text)}`);
  return value;

  function filled(given: string): string {
    if (given.trim() !== "") return given;
    const shown = short === undefined ? `--${name}` : `-${short}`;
    throw new Misuse(`${shown} is empty: write ${shown} ${placeholder}, or leave it out`);
  }
}

function formOf(kind: Exclude<FlagKind, "switch" | "text" | "texts" | "optional-text">): string {
  if (kind === "place") return `takes ${SESSION_POINT_FORM}`;
  if (kind === "duration") return "takes a length of time such as 90s, 10m or 2h";
  if ("oneOf" in kind) return `is one of ${kind.oneOf.join(", ")}`;
  const [name, [min, max]] =
    "whole" in kind ? (["a whole number", kind.whole] as const) : (["a number", kind.number] as const);
  return `takes ${name} from ${min} to ${max}`;
}

/** Names the word that differs only in capital letters. */
function meantBy(kind: FlagKind, text: string): string {
  if (typeof kind !== "object" || !("oneOf" in kind)) return "";
  const suggestion = kind.oneOf.find((word) => word.toLowerCase() === text.toLowerCase());
  return suggestion === undefined ? "" : `; did you mean ${suggestion}?`;
}

/** Reads a length of time with its unit: a bare number would be ambiguous. */
function positive(text: string): number | undefined {
  const ms = durationMs(text.trim());
  return ms > 0 ? ms : undefined;
}

function among(kind: Extract<FlagKind, object>, text: string): string | number | undefined {
  if ("oneOf" in kind) return kind.oneOf.find((word) => word === text);
  const [form, [min, max]] =
    "whole" in kind ? ([/^\d{1,9}$/, kind.whole] as const) : ([/^\d{1,9}(?:\.\d+)?$/, kind.number] as const);
  const value = form.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
}
