import { HarnessError } from "../../base/errors.ts";
import type { SessionId } from "../../base/ids.ts";
import { arrayAt, isObject } from "../../base/json.ts";
import type { Envelope } from "../../protocol/envelope.ts";
import type { SlashCommandInfo } from "../../protocol/resources.ts";
import { SLASH_COMMANDS } from "../../protocol/slash-commands.ts";
import type { Sender } from "./sender.ts";

/**
 * The commands of a session as its engine lists them: asked for once, and again after its skills have changed
 * ([A] § Tab-completion contract).
 */
export class KnownCommands {
  readonly #sender: Pick<Sender, "answerTo">;
  readonly #session: SessionId;
  #listed: Promise<readonly SlashCommandInfo[]> | undefined;

  constructor(sender: Pick<Sender, "answerTo">, session: SessionId) {
    this.#sender = sender;
    this.#session = session;
  }

  list(): Promise<readonly SlashCommandInfo[]> {
    this.#listed ??= this.#ask();
    return this.#listed;
  }

  /** Takes note of what may have changed them. */
  add({ kind }: Envelope): void {
    // A file that was acknowledged may bring some.
    if (kind === "SkillRegistryChanged" || kind === "Answered" || kind === "ProfileSwitched")
      this.#listed = undefined;
  }

  async #ask(): Promise<readonly SlashCommandInfo[]> {
    const asked = { kind: "CustomCommand", namespace: "engine", verb: "commands", payload: {} } as const;
    const answer = await this.#sender.answerTo({ ...asked, sessionId: this.#session });
    const listed =
      answer instanceof HarnessError ? [] : arrayAt(answer.result, "slash_commands").filter(isInfo);
    if (answer instanceof HarnessError) this.#listed = undefined; // another time it may be told
    return listed.length === 0 ? SLASH_COMMANDS : listed; // one that lists none has the common ones all the same
  }
}

/** What an engine answers with may be a stranger's. */
function isInfo(value: unknown): value is SlashCommandInfo {
  const texts = ["name", "usage", "help", "command"];
  return isObject(value) && texts.every((key) => typeof value[key] === "string");
}
