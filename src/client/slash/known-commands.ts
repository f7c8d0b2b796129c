import { HarnessError } from "../../base/errors.ts";
import type { SessionId } from "../../base/ids.ts";
import { SLASH_COMMANDS } from "../../protocol/commands/own-commands.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { SlashCommandInfo } from "../../protocol/resources.ts";
import type { Sender } from "./sender.ts";

/** Events after which the commands may differ: an acknowledged file or a server that a turn started may add some. */
const RENEWS = new Set<Envelope["kind"]>([
  "SkillRegistryChanged",
  "Answered",
  "ProfileSwitched",
  "TurnEnded",
]);

/**
 * Cache of a session's commands as its engine lists them. Queried again after the skills changed, a file was
 * acknowledged or a turn ended ([A] § Tab-completion contract).
 */
export class KnownCommands {
  readonly #sender: Pick<Sender, "query">;
  readonly #session: SessionId;
  #listed: Promise<readonly SlashCommandInfo[]> | undefined;

  constructor(sender: Pick<Sender, "query">, session: SessionId) {
    this.#sender = sender;
    this.#session = session;
  }

  list(): Promise<readonly SlashCommandInfo[]> {
    this.#listed ??= this.#ask();
    return this.#listed;
  }

  /** Returns a command that the engine lists, or one of cinch that it does not offer and answers all the same. */
  async find(isMeant: (info: SlashCommandInfo) => boolean): Promise<SlashCommandInfo | undefined> {
    const shipped: readonly SlashCommandInfo[] = SLASH_COMMANDS;
    return (await this.list()).find(isMeant) ?? shipped.find(isMeant);
  }

  /** Drops the cache after an event that may have changed the commands. */
  add({ kind }: Envelope): void {
    if (RENEWS.has(kind)) this.#listed = undefined;
  }

  async #ask(): Promise<readonly SlashCommandInfo[]> {
    const answer = await this.#sender.query({ kind: "ListSlashCommands", sessionId: this.#session });
    if (!(answer instanceof HarnessError)) return answer.slash_commands;
    this.#listed = undefined; // the next call queries again
    return SLASH_COMMANDS;
  }
}
