import type { DrawnRow } from "../drawing/span.ts";
import { row, span } from "../drawing/span.ts";
import type { ShownSession } from "../layout/services.ts";

/** Returns the status line of the session that is shown. */
export function drawStatus({ open, view, self }: ShownSession, _columns: number): DrawnRow {
  const { session = "", profile = "", model = "" } = open ?? {};
  const state =
    self === undefined ? "starting …" : view.run?.turn === undefined ? "" : "working, Esc cancels";
  const text = [session, profile, model, state].filter((each) => each !== "").join(" · ");
  return row([span(text, { role: "dim" })]);
}
