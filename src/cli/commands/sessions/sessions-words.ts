import { near } from "../../../base/text/near.ts";
import type { Place } from "../../../view/place.ts";
import { PLACE_FORM, parsePlace } from "../../../view/place.ts";
import type { FlagName } from "../../args/flags.ts";
import type { Verb, VerbName } from "./sessions-verbs.ts";
import { SESSIONS_FLAGS, VERBS } from "./sessions-verbs.ts";

/** What `cinch sessions …` asks for. */
export interface SessionsWords {
  readonly kind: "sessions";
  readonly verb: Exclude<VerbName, "resume">;
  /** The session or the file; empty where the verb takes none. */
  readonly target: string;
  readonly json: boolean;
  readonly all: boolean;
  readonly limit: number;
  readonly cost: boolean;
  readonly at?: Place;
  readonly from?: Place;
  /** For rewind; absent: the beginning. */
  readonly to?: Place;
  readonly what: "files" | "conversation" | "both";
  readonly preview: boolean;
  readonly force: boolean;
  readonly speed?: number;
  readonly step: boolean;
  readonly format: ExportFormat;
  readonly output?: string;
  readonly unverified: boolean;
  readonly yes: boolean;
  readonly olderThanDays?: number;
}

export const EXPORT_FORMATS = ["jsonl", "markdown"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

type Read =
  | SessionsWords
  | { readonly kind: "resume"; readonly id: string }
  | { readonly kind: "problem"; readonly problem: string };

type Flags = ReadonlyMap<string, string>;

const LIMIT = 20;

/** How the reading of a value ends early; never leaves this file. */
class Misuse extends Error {}

/** Reads what follows `cinch sessions`. */
export function readSessions(flags: Flags, words: readonly string[]): Read {
  try {
    return read(flags, words);
  } catch (thrown) {
    if (thrown instanceof Misuse) return { kind: "problem", problem: thrown.message };
    throw thrown;
  }
}

function read(flags: Flags, [name = "", ...words]: readonly string[]): Read {
  const verb = VERBS.find((known) => known.name === name);
  if (verb === undefined) throw new Misuse(unknownVerb(name));
  checkFlags(flags, verb);
  const target = targetOf(flags, words, verb);
  if (verb.name === "resume") return { kind: "resume", id: target };
  const [at, from] = [placeOf(flags, "at"), placeOf(flags, "from")];
  if (verb.name === "rewind" && !flags.has("to"))
    throw new Misuse("cinch sessions rewind needs --to TURN or --to eN");
  const to = /^e?0$/i.test(flags.get("to") ?? "") ? undefined : placeOf(flags, "to");
  const speed = numberOf(flags, "speed", { min: 0.01, max: 1_000, whole: false });
  const olderThanDays = numberOf(flags, "older-than", { min: 0, max: 100_000, whole: true });
  const output = flags.get("output");
  if (speed !== undefined && flags.has("step")) throw new Misuse("--speed and --step exclude each other");
  return {
    kind: "sessions",
    verb: verb.name,
    target,
    json: flags.has("json"),
    all: flags.has("all"),
    limit: numberOf(flags, "limit", { min: 1, max: 1_000_000, whole: true }) ?? LIMIT,
    cost: flags.has("cost"),
    ...(at === undefined ? {} : { at }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    what: whatOf(flags),
    preview: flags.has("preview"),
    force: flags.has("force"),
    ...(speed === undefined ? {} : { speed }),
    step: flags.has("step"),
    format: formatOf(flags),
    ...(output === undefined ? {} : { output }),
    unverified: flags.has("unverified"),
    yes: flags.has("yes"),
    ...(olderThanDays === undefined ? {} : { olderThanDays }),
  };
}

function unknownVerb(name: string): string {
  const names = VERBS.map((verb) => verb.name);
  const [meant] = near(name, names);
  const hint = meant === undefined ? "" : `did you mean cinch sessions ${meant}? `;
  return `${hint}cinch sessions is followed by one of ${names.join(", ")}; cinch sessions --help tells more`;
}

function checkFlags(flags: Flags, verb: Verb): void {
  const known: readonly string[] = [...SESSIONS_FLAGS.map((flag) => flag.name), "all", "json", "orphans"];
  const takes: readonly string[] = verb.flags;
  for (const name of flags.keys()) {
    if (known.includes(name) && !takes.includes(name))
      throw new Misuse(`--${name} does not go with cinch sessions ${verb.name}`);
  }
}

function targetOf(flags: Flags, words: readonly string[], { name, takes }: Verb): string {
  const named = flags.get("session");
  const all = [...(named === undefined ? [] : [named]), ...words];
  const [target = "", second] = all;
  if (takes === "nothing") {
    if (target !== "") throw new Misuse(`cinch sessions ${name} takes no "${target}"`);
    return "";
  }
  if (second !== undefined)
    throw new Misuse(`cinch sessions ${name} takes one ${takes}; "${second}" is one more`);
  if (target.trim() !== "") return target;
  const hint = takes === "session" ? "an id, the beginning of one, or last" : "an export";
  throw new Misuse(`cinch sessions ${name} needs a ${takes}: ${hint}`);
}

function whatOf(flags: Flags): "files" | "conversation" | "both" {
  const named = (["files", "conversation", "both"] as const).filter((what) => flags.has(what));
  if (named.length > 1) throw new Misuse(`--${named.join(" and --")} exclude each other`);
  return named[0] ?? "both";
}

function placeOf(flags: Flags, name: "at" | "from" | "to"): Place | undefined {
  const text = flags.get(name);
  if (text === undefined) return undefined;
  const found = parsePlace(text);
  if (found !== undefined) return found;
  throw new Misuse(`--${name} takes ${PLACE_FORM}, not "${text}"`);
}

function formatOf(flags: Flags): ExportFormat {
  const text = flags.get("format") ?? "jsonl";
  const format = EXPORT_FORMATS.find((known) => known === text || (known === "markdown" && text === "md"));
  if (format === undefined)
    throw new Misuse(`--format is one of ${EXPORT_FORMATS.join(", ")}, not "${text}"`);
  return format;
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly whole: boolean;
}

function numberOf(flags: Flags, name: FlagName, { min, max, whole }: Bounds): number | undefined {
  const text = flags.get(name);
  if (text === undefined) return undefined;
  const value = (whole ? /^\d{1,9}$/ : /^\d{1,9}(?:\.\d+)?$/).test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new Misuse(
    `--${name} takes a ${whole ? "whole number" : "number"} from ${min} to ${max}, not "${text}"`,
  );
}
