import { REFUSALS, TEXTS } from "./reason-texts.ts";

/**
 * Declares the errors of one module: each reason with its text for people. A `<name>` in a text is a field that the
 * throwing code must fill.
 *
 * The tables are in the modules' `errors.ts`; `npm run generate` joins them to `reason-texts.ts`, which gives
 * `HarnessError` its texts and types without loading a module.
 */
export function errorsOf<const Table extends Readonly<Record<string, string>>>(table: Table): Table {
  return table;
}

/**
 * Answers to a refusal. Default: HTTP status 500, exit code 1.
 *
 * `Query` is the kinds of queries that its module may name: `QueryKind` of `protocol/`, which this layer cannot import.
 */
export interface Refusal<Query extends string = string> {
  readonly status?: number;
  /** True if only another command line or configuration helps: exit code 2. */
  readonly isUsage?: true;
  /** End of the turn that it ends. Default: `error`. */
  readonly endsTurn?: "budget" | "no_progress";
  /** True if another model may answer the request: a route takes its next one. */
  readonly isOfModel?: true;
  /** Queries that it can refuse, by kind, for the documents. */
  readonly queries?: readonly Query[];
}

/** Refusals of one module, beside its errors. Exported as `REFUSALS`. A module that names no `Query` refuses none. */
export type RefusalsOf<Table, Query extends string = never> = {
  readonly [R in keyof Table]?: Refusal<Query>;
};

const BY_REASON: Readonly<Record<string, Refusal>> = REFUSALS;

/** Returns the answers that the module of a reason declares; undefined if it declares none. */
export function refusalOf(reason: string): Refusal | undefined {
  return Object.hasOwn(BY_REASON, reason) ? BY_REASON[reason] : undefined;
}

export type Reason = keyof typeof TEXTS;

/** Returns the reasons whose modules declare that they refuse a query of this kind. */
export function reasonsOfQuery(kind: string): readonly Reason[] {
  const declared = Object.entries(BY_REASON).filter(([, { queries }]) => queries?.includes(kind) === true);
  return declared.map(([reason]) => reason as Reason);
}

/** Returns true if an untrusted text is a reason of cinch. */
export function isReason(text: string): text is Reason {
  return Object.hasOwn(TEXTS, text);
}

/** A reason that a plugin introduced ([A] § User-facing errors). */
export type CustomReason = `Custom:${string}:${string}`;

/** Returns true if an untrusted text is a reason that a plugin introduced. */
export function isCustomReason(text: string): text is CustomReason {
  return /^Custom:[a-z0-9-]{1,32}:[A-Za-z0-9_.-]{1,64}$/.test(text);
}

/** The names in angle brackets of one text. */
export type Slots<Text extends string> = Text extends `${string}<${infer Slot}>${infer Rest}`
  ? Slot | Slots<Rest>
  : never;

export type Fields<R extends Reason> = { readonly [Slot in Slots<(typeof TEXTS)[R]>]: string };

/**
 * Renders the text of a reason with every placeholder filled.
 *
 * @throws TypeError if the table has no such reason, which a program without types can give.
 */
export function reasonText<R extends Reason>(reason: R, fields: Fields<R>): string {
  if (!Object.hasOwn(TEXTS, reason))
    throw new TypeError(`there is no reason "${String(reason)}"; docs/protocol/errors.md lists them`);
  return fill(TEXTS[reason], fields);
}

function fill(text: string, fields: Readonly<Record<string, string>>): string {
  return text.replaceAll(/<([a-z_-]+)>/gi, (slot, name: string) => fields[name] ?? slot);
}
