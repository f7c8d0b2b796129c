import { InOrder } from "../../../base/async/in-order.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { Accepted, CommandOf } from "../../../protocol/commands/commands.ts";
import { isMediaBlock } from "../../../safety/media/media-block.ts";
import type { AttachedClient } from "../../access/client.ts";
import type { Resolved } from "../../moments.ts";
import { assertWishesHandled } from "../feature-commands.ts";
import type { Recovery } from "../recovery.ts";
import type { SessionDependencies } from "../session-dependencies.ts";
import type { TurnScheduler } from "../turn-scheduler.ts";
import { refersToFiles, resolvedInput } from "./input-content.ts";

export interface InputAcceptanceOptions {
  readonly parts: Pick<SessionDependencies, "attachments" | "unsaved" | "takes" | "leftOut" | "engine">;
  readonly turns: TurnScheduler;
  readonly recovery: Recovery;
}

/**
 * Accepts the inputs of clients, with the files that they refer to. Files are read or judged for one input at a time,
 * and only if it can still be accepted. A cancel that arrives while an input is examined, or its files are read, stops
 * it.
 */
export class InputAcceptance {
  readonly #options: InputAcceptanceOptions;
  /** Inputs whose files are read. */
  readonly #reading = new InOrder<"files">();

  constructor(options: InputAcceptanceOptions) {
    this.#options = options;
  }

  /** @throws HarnessError if the input is refused. */
  async send(command: CommandOf<"SendInput">, client: AttachedClient): Promise<Accepted> {
    const { turns, recovery, parts } = this.#options;
    assertWishesHandled(command, parts.takes ?? []);
    const { cancels } = turns;
    await recovery.settled(client);
    const resolved = async () => await this.#resolved(command, client);
    if (!hasMedia(command)) return await turns.send(await resolved(), client, cancels);
    const { accepted } = await this.#reading.run("files", async () => {
      turns.assertTakes(command, cancels);
      // `send` takes the slot, or its place in the queue, before the next input is examined.
      return { accepted: turns.send(await resolved(), client, cancels) };
    });
    return await accepted;
  }

  /**
   * Replaces the content of a waiting input: its references are those of the new content. Edits stay in the order in
   * which they come, also behind one whose files are read.
   * @throws HarnessError if the edit is refused; the input then waits as it was.
   */
  async edit(command: CommandOf<"EditInput">, client: AttachedClient): Promise<void> {
    const { turns } = this.#options;
    const { cancels } = turns;
    await this.#reading.run("files", async () => {
      turns.assertEdits(command, client, cancels);
      await turns.edit(await this.#resolved(command, client), client, cancels);
    });
  }

  /** @throws HarnessError UnsupportedContent if the model in use cannot take the input, before anything is logged. */
  async #resolved<Sent extends CommandOf<"SendInput" | "EditInput">>(
    command: Sent,
    { id }: AttachedClient,
  ): Promise<Resolved<Sent>> {
    const { parts } = this.#options;
    const { leftOut, engine } = parts;
    const resolved = await resolvedInput(command, id, parts);
    if (leftOut === undefined || !resolved.content.some(isMediaBlock)) return resolved;
    const [content] = await leftOut(resolved.content);
    if (content === undefined) return resolved;
    throw new HarnessError("UnsupportedContent", { model: engine.model().id, content });
  }
}

/** Returns true for an input with files, images, sounds or documents. */
function hasMedia(command: CommandOf<"SendInput" | "EditInput">): boolean {
  return refersToFiles(command) || command.content.some(isMediaBlock);
}
