import type { NoteTone } from "../../../view/transcript/items.ts";
import type { Role } from "./span.ts";

/** Roles of sentences by their tone. */
export const TONE_ROLES: Readonly<Record<NoteTone, Role>> = {
  info: "accent",
  warning: "warning",
  failure: "failure",
};
