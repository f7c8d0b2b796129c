import type { PayloadOf } from "../../protocol/events/events.ts";
import { neutraliseLine } from "../terminal/terminal-text.ts";

/** Returns one line for a person about a model, or an effort, that another client has set. */
export function modelText({ model, previous, effort }: PayloadOf<"ModelChanged">): string {
  const isOther = previous !== undefined || effort === undefined;
  const parts = [
    ...(isOther ? [`model: ${neutraliseLine(model)}`] : []),
    ...(effort === undefined ? [] : [`effort: ${effort}`]),
  ];
  return parts.join(", ");
}
