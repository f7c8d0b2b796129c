/** A place in a session, as a person names it: a turn by its number, or an event. */
export type Place =
  | { readonly kind: "turn"; readonly turn: number }
  | { readonly kind: "event"; readonly event: number };

/** What a place is written as, for whoever wrote something else. */
export const PLACE_FORM = "the number of a turn, or of an event behind an e such as e120";

/** "3" is a turn, "e120" an event; undefined for anything else. */
export function parsePlace(text: string): Place | undefined {
  const [, e, digits] = /^(e)?([1-9]\d{0,14})$/i.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const number = Number(digits);
  return e === undefined ? { kind: "turn", turn: number } : { kind: "event", event: number };
}
