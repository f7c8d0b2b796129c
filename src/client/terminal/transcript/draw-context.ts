import type { ClientId, EventSeq } from "../../../base/ids.ts";
import { isId } from "../../../base/ids.ts";
import type { KnownClients } from "../../../view/session/clients.ts";
import type { SubAgents } from "../../../view/session/sub-agents.ts";
import type { NoteItem, TranscriptItem } from "../../../view/transcript/items.ts";
import type { DiffLayout } from "../diff/diff-layout.ts";
import type { DrawnRow } from "../drawing/span.ts";
import type { Services } from "../layout/services.ts";
import { TERMINAL_LABEL } from "../options.ts";
import type { Unfolded } from "./folds.ts";

/** Values that drawing an item depends on besides the item. */
export interface DrawContext {
  readonly columns: number;
  /** Items that are unfolded, by their events. */
  readonly unfolded: Unfolded;
  readonly clients: KnownClients;
  readonly self: ClientId | undefined;
  /** All ids that this client has had. Default: the present one. */
  readonly selves?: ReadonlySet<string>;
  /** The last event from before this client was in the session. Default: none. */
  readonly past?: EventSeq;
  /** Wall clock in milliseconds, for the time of what runs. */
  readonly nowMs: number;
  /** Last lines of output that a folded call shows. */
  readonly lastLines: number;
  /** Key that unfolds all blocks, for rows about what is left out. Absent: no key does. */
  readonly unfoldKey?: string;
  /** Sub-agents by the calls that run them: their cost and state. Default: none. */
  readonly subAgents?: SubAgents;
  readonly diffLayout: DiffLayout;
}

/** Returns the values for a frame, from the session that is shown and the settings. */
export function drawContext(
  { session, clock, settings, keys }: Pick<Services, "session" | "clock" | "settings" | "keys">,
  { columns, unfolded }: Pick<DrawContext, "columns" | "unfolded">,
): DrawContext {
  const [unfoldKey] = keys.keysOf("transcript.unfoldAll");
  const { self, selves, view } = session;
  const { lastLines, diffLayout } = settings.values;
  return {
    ...{ columns, unfolded, lastLines, diffLayout },
    ...(unfoldKey === undefined ? {} : { unfoldKey }),
    clients: view.clients,
    self: self !== undefined && isId("cli", self) ? self : undefined,
    selves,
    ...(session.open === undefined ? {} : { past: session.open.past }),
    nowMs: clock.now(),
    ...(view.run === undefined ? {} : { subAgents: view.run.subAgents }),
  };
}

/** Draws the items of a sub-agent. */
export type DrawNested = (items: readonly TranscriptItem[], context: DrawContext) => readonly DrawnRow[];

/** Facts that tell the doings of this client from those of others. */
export type OwnFacts = Pick<DrawContext, "clients" | "self" | "selves" | "past">;

/**
 * Returns true if a client is this one, or one like it that the person used before: then its name says nothing. What a
 * client of another kind, an agent, or anybody beside this client has done keeps its name.
 */
export function isOwn(
  client: string,
  event: EventSeq,
  { clients, self, selves, past = 0 }: OwnFacts,
): boolean {
  if (client === self || selves?.has(client) === true) return true;
  if (event > past || !isId("cli", client)) return false;
  const { label, identityClass } = clients.get(client) ?? {};
  return label === TERMINAL_LABEL && identityClass === "human";
}

/** Returns true for a change of the mode by the person: the status line has said it. */
export function isOwnMode({ isMode, by, event }: NoteItem, facts: OwnFacts): boolean {
  return isMode === true && by !== undefined && isOwn(by, event, facts);
}
