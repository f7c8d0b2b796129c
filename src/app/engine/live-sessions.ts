import { defined } from "../../base/defined.ts";
import type { SessionId } from "../../base/ids.ts";
import type { McpServerInfo, SkillText, SlashCommandInfo, ToolInfo } from "../../protocol/resources.ts";
import type { PrepareOpened } from "../../server/hub/profile-switch.ts";
import type { SessionLists } from "../../session/commands/lists.ts";
import type { ToolRegistry } from "../../tools/registry.ts";

/** One session, several, or all when omitted. */
type SessionSelection = SessionId | readonly SessionId[];

/** A live session: its lists, and its switch to another profile. */
export interface LiveSession {
  readonly lists: Required<SessionLists>;
  readonly registry: Pick<ToolRegistry, "list">;
  /** Absent: it keeps its profile. */
  readonly prepareSwitch?: PrepareOpened;
}

/**
 * The live sessions of one engine: their data for clients that ask the engine without naming a session (CTL-15). Data
 * that several of them share is listed once.
 */
export class LiveSessions {
  readonly #profiles: () => Promise<readonly string[]>;
  readonly #sessions = new Map<SessionId, LiveSession>();

  /** @param profiles returns the names of those that a session can switch to. */
  constructor(profiles: () => Promise<readonly string[]>) {
    this.#profiles = profiles;
  }

  add(session: SessionId, live: LiveSession): void {
    this.#sessions.set(session, live);
  }

  find(session: SessionId): LiveSession | undefined {
    return this.#sessions.get(session);
  }

  remove(session: SessionId): void {
    this.#sessions.delete(session);
  }

  /** Returns their current tools, and those of lazy sources as far as they are known. */
  tools(of?: SessionSelection): readonly ToolInfo[] {
    return firstOfEachName(this.#among(of).flatMap(({ registry }) => toolInfos(registry.list())));
  }

  skills(of?: SessionSelection): readonly SkillText[] {
    return firstOfEachName(this.#among(of).flatMap(({ lists }) => lists.skills()));
  }

  /** Returns each server once, with the sessions that use it: servers of one name may be different ones. */
  mcpServers(of?: SessionSelection): readonly McpServerInfo[] {
    const users = new Map<object, McpServerInfo & { readonly sessions: SessionId[] }>();
    for (const session of this.#named(of)) {
      for (const { of: server, name, state, tools } of this.#sessions.get(session)?.lists.mcpServers() ??
        []) {
        const known = users.get(server);
        if (known === undefined) users.set(server, { name, state, tools, sessions: [session] });
        else known.sessions.push(session);
      }
    }
    return [...users.values()];
  }

  /** Returns their commands with the profiles of the engine, which any session can switch to. */
  async slashCommands(of?: SessionSelection): Promise<readonly SlashCommandInfo[]> {
    const [profiles, ...listed] = await Promise.all([
      this.#profiles(),
      ...this.#among(of).map(async ({ lists }) => await lists.slashCommands()),
    ]);
    return firstOfEachName([...profiles.map(profileCommand), ...listed.flat()]);
  }

  /** Returns why alias files of a session bring none of their aliases. */
  async aliasProblems(session: SessionId): Promise<readonly string[]> {
    return (await Promise.all(this.#among(session).map(({ lists }) => lists.aliasProblems()))).flat();
  }

  #among(of: SessionSelection | undefined): readonly LiveSession[] {
    return this.#named(of).flatMap((session) => this.#sessions.get(session) ?? []);
  }

  #named(of: SessionSelection | undefined): readonly SessionId[] {
    if (of === undefined) return [...this.#sessions.keys()];
    return typeof of === "string" ? [of] : of;
  }
}

type ListedTools = ReturnType<ToolRegistry["list"]>;

/** Returns tools in the form for clients. */
export function toolInfos(listed: ListedTools): readonly ToolInfo[] {
  return listed.map(({ tool, source }) => {
    const { name, description, inputSchema, level, mutating, lazy = false, spelled = name } = tool;
    const personOnly = tool.personOnly?.();
    return {
      name,
      description,
      input_schema: { ...inputSchema },
      level,
      mutating,
      lazy,
      source,
      ...(spelled === name ? {} : { spelled }),
      ...defined({ person_only: personOnly }),
    };
  });
}

function profileCommand(profile: string): SlashCommandInfo {
  const name = `profiles:${profile}`;
  const usage = `/${name} [--import N] [--in-place]`;
  return { name, usage, help: `continue under the profile ${profile}`, command: "SwitchProfile" };
}

export function firstOfEachName<Item extends { readonly name: string }>(
  items: readonly Item[],
): readonly Item[] {
  const named = new Map<string, Item>();
  for (const item of items) if (!named.has(item.name)) named.set(item.name, item);
  return [...named.values()];
}
