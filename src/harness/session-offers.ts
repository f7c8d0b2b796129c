import type { SessionId } from "../base/ids.ts";
import type { McpServerInfo, SkillText, SlashCommandInfo } from "../protocol/resources.ts";
import type { SessionOffers } from "./session-part.ts";

/**
 * What the live sessions of one engine have to show beside their events, for whoever asks the engine without naming a
 * session (CTL-15). What several of them have alike is told once.
 */
export class OfferedBySessions {
  readonly #offers = new Map<SessionId, Required<SessionOffers>>();

  add(session: SessionId, offers: Required<SessionOffers>): void {
    this.#offers.set(session, offers);
  }

  remove(session: SessionId): void {
    this.#offers.delete(session);
  }

  /** @param session of that one alone; absent: of all. */
  skills(session?: SessionId): readonly SkillText[] {
    return once(this.#of(session).flatMap(({ skills }) => skills()));
  }

  mcpServers(session?: SessionId): readonly McpServerInfo[] {
    return once(this.#of(session).flatMap(({ mcpServers }) => mcpServers()));
  }

  slashCommands(session?: SessionId): readonly SlashCommandInfo[] {
    return once(this.#of(session).flatMap(({ slashCommands }) => slashCommands()));
  }

  #of(session: SessionId | undefined): readonly Required<SessionOffers>[] {
    if (session === undefined) return [...this.#offers.values()];
    const offers = this.#offers.get(session);
    return offers === undefined ? [] : [offers];
  }
}

/** The first of each name. */
function once<Item extends { readonly name: string }>(items: readonly Item[]): readonly Item[] {
  const named = new Map<string, Item>();
  for (const item of items) if (!named.has(item.name)) named.set(item.name, item);
  return [...named.values()];
}
