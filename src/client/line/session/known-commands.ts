import { HarnessError } from "../../../base/errors.ts";
import type { SessionId } from "../../../base/ids.ts";
import { SLASH_COMMANDS } from "../../../protocol/commands/own-commands.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { SlashCommandInfo } from "../../../protocol/resources.ts";
import type { Sender } from "../input/sender.ts";

/** A file that was acknowledged may bring some, and so may servers that a turn has started, or that have changed in it. */
const RENEWS = new Set<Envelope["kind"]>([
  "SkillRegistryChanged",
  "Answered",
  "ProfileSwitched",
  "TurnEnded",
]);

/**
 * The commands of a session as its engine lists them: asked for once, and again after its skills have changed,
 * a file was acknowledged or a turn has ended ([A] § Tab-completion contract).
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

  /** Takes note of what may have changed them. */
  add({ kind }: Envelope): void {
    if (RENEWS.has(kind)) this.#listed = undefined;
  }

  async #ask(): Promise<readonly SlashCommandInfo[]> {
    const answer = await this.#sender.query({ kind: "ListSlashCommands", sessionId: this.#session });
    if (!(answer instanceof HarnessError)) return answer.slash_commands;
    this.#listed = undefined; // it may be answered another time
    return SLASH_COMMANDS;
  }
}
