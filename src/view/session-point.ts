/** A point in a session, as a person names it: a turn by its number, or an event. */
export type SessionPoint =
  | { readonly kind: "turn"; readonly turn: number }
  | { readonly kind: "event"; readonly event: number };

/** Description of the form, for error messages. */
export const SESSION_POINT_FORM = "the number of a turn, or of an event behind an e such as e120";

/** Reads "3" as a turn and "e120" as an event; undefined for anything else. */
export function parseSessionPoint(text: string): SessionPoint | undefined {
  const [, e, digits] = /^(e)?([1-9]\d{0,14})$/i.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const number = Number(digits);
  return e === undefined ? { kind: "turn", turn: number } : { kind: "event", event: number };
}
