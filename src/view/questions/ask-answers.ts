import type { PayloadOf } from "../../protocol/events/events.ts";

type Ask = PayloadOf<"Asked">;

/** One choice of a question that is no permission. */
export interface AskAnswer {
  /** Sent as the answer. */
  readonly value: string;
  /** For people, as the engine wrote it. */
  readonly label: string;
  /** The letter that a person may type for it. */
  readonly letter?: "y" | "n";
  /** Denies, breaks off, or reports a failure. */
  readonly denies: boolean;
}

const DENIALS: ReadonlySet<string> = new Set(["deny", "abort", "failed"]);

/** Returns the choices of a question in the order in which they are shown; none if it takes a text. */
export function askAnswers(ask: Ask): readonly AskAnswer[] {
  return (ask.choices ?? []).map(({ value, label }) => {
    const letter = letterOf(value, ask);
    return { value, label, denies: DENIALS.has(value), ...(letter === undefined ? {} : { letter }) };
  });
}

/** Returns the number of the choice that may carry a note, counted from 1. */
export function notedNumber({ choices = [], noteFor }: Ask): number | undefined {
  const at = choices.findIndex(({ value }) => value === noteFor);
  return at < 0 ? undefined : at + 1;
}

/** Letters are only for questions where they can mean one choice. */
function letterOf(value: string, { choices = [], about }: Ask): "y" | "n" | undefined {
  const values = choices.map((choice) => choice.value);
  const isYesNo = values.toSorted().join() === "approve,deny";
  if (value === "deny") return isYesNo || about === "outside-sandbox" ? "n" : undefined;
  return isYesNo ? "y" : undefined;
}
