import type { SessionId } from "../base/ids.ts";
import type { McpServerInfo, SkillText, SlashCommandInfo, ToolInfo } from "../protocol/resources.ts";
import type { ToolRegistry } from "../tool/registry.ts";
import type { SessionOffers } from "./session-part.ts";

/** Of one session alone, or of these; absent: of all. */
type Asked = SessionId | readonly SessionId[];

/**
 * What the live sessions of one engine have to show beside their events, for whoever asks the engine without naming a
 * session (CTL-15). What several of them have alike is told once.
 */
export class OfferedBySessions {
  readonly #profiles: () => Promise<readonly string[]>;
  readonly #sessions = new Map<SessionId, OfferedBySession>();

  /** @param profiles the names of those that a session can go on under. */
  constructor(profiles: () => Promise<readonly string[]>) {
    this.#profiles = profiles;
  }

  add(session: SessionId, offers: Required<SessionOffers>, tools: () => ListedTools): void {
    this.#sessions.set(session, { ...offers, tools });
  }

  remove(session: SessionId): void {
    this.#sessions.delete(session);
  }

  /** Those that they have now, and of lazy ones what is known by now. */
  tools(of?: Asked): readonly ToolInfo[] {
    return firstOfEachName(this.#among(of).flatMap(({ tools }) => toolInfos(tools())));
  }

  skills(of?: Asked): readonly SkillText[] {
    return firstOfEachName(this.#among(of).flatMap(({ skills }) => skills()));
  }

  mcpServers(of?: Asked): readonly McpServerInfo[] {
    return firstOfEachName(this.#among(of).flatMap(({ mcpServers }) => mcpServers()));
  }

  /** With the profiles of the engine, which any session can go on under. */
  async slashCommands(of?: Asked): Promise<readonly SlashCommandInfo[]> {
    const [profiles, ...listed] = await Promise.all([
      this.#profiles(),
      ...this.#among(of).map(async (offers) => await offers.slashCommands()),
    ]);
    return firstOfEachName([...profiles.map(profileCommand), ...listed.flat()]);
  }

  /** Why alias files of a session bring none of their aliases. */
  async aliasProblems(session: SessionId): Promise<readonly string[]> {
    return (await Promise.all(this.#among(session).map((offers) => offers.aliasProblems()))).flat();
  }

  #among(of: Asked | undefined): readonly OfferedBySession[] {
    if (of === undefined) return [...this.#sessions.values()];
    const sessions = typeof of === "string" ? [of] : of;
    return sessions.flatMap((session) => this.#sessions.get(session) ?? []);
  }
}

interface OfferedBySession extends Required<SessionOffers> {
  readonly tools: () => ListedTools;
}

type ListedTools = ReturnType<ToolRegistry["list"]>;

/** Tools as clients are shown them. */
export function toolInfos(listed: ListedTools): readonly ToolInfo[] {
  return listed.map(
    ({ tool: { name, description, inputSchema, level, mutating, lazy = false }, source }) => ({
      name,
      description,
      input_schema: { ...inputSchema },
      level,
      mutating,
      lazy,
      source,
    }),
  );
}

function profileCommand(profile: string): SlashCommandInfo {
  const name = `profiles:${profile}`;
  const usage = `/${name} [--import N] [--in-place]`;
  return { name, usage, help: `go on under the profile ${profile}`, command: "SwitchProfile" };
}

export function firstOfEachName<Item extends { readonly name: string }>(
  items: readonly Item[],
): readonly Item[] {
  const named = new Map<string, Item>();
  for (const item of items) if (!named.has(item.name)) named.set(item.name, item);
  return [...named.values()];
}
