import { Cancelled } from "../../base/errors.ts";
import type { SessionId } from "../../base/ids.ts";
import { compactHistory } from "../../engine/loop/compact.ts";
import type { Accepted, Command, CommandOf } from "../../protocol/commands/commands.ts";
import type { SessionEndReason } from "../../protocol/events/events.ts";
import type { AttachedClient } from "../access/client.ts";
import { assertHuman } from "../questions/questions.ts";
import { changeSettings } from "./change-settings.ts";
import { handleByFeature, notServed } from "./feature-commands.ts";
import { InputAcceptance } from "./inputs/input-acceptance.ts";
import { assertBlocks } from "./inputs/input-content.ts";
import type { Recovery } from "./recovery.ts";
import type { SessionDependencies } from "./session-dependencies.ts";
import { turnContext } from "./session-dependencies.ts";
import type { ShellRuns } from "./shell/shell-runs.ts";
import type { TurnScheduler } from "./turn-scheduler.ts";

export interface CommandTableOptions {
  readonly session: { readonly id: SessionId; end(reason: SessionEndReason): Promise<void> };
  readonly parts: SessionDependencies;
  readonly turns: TurnScheduler;
  readonly shell: ShellRuns;
  readonly recovery: Recovery;
  /** Aborts when the session ends. */
  readonly signal: AbortSignal;
  /** Has the session wait at its end for something that it has accepted. */
  beforeEnd<Result>(work: Promise<Result>): Promise<Result>;
  /** Called when a client has left for good. */
  left(client: AttachedClient): void;
}

/** The commands of one session: hands each to the part that carries it out. */
export class CommandTable {
  readonly #options: CommandTableOptions;
  readonly #inputs: InputAcceptance;

  constructor(options: CommandTableOptions) {
    this.#options = options;
    this.#inputs = new InputAcceptance(options);
  }

  /** Resolves once the command is accepted. @throws HarnessError if it is refused. */
  async carryOut(command: Command, client: AttachedClient): Promise<Accepted> {
    const { session, parts, turns, shell, recovery, signal } = this.#options;
    assertBlocks(command);
    switch (command.kind) {
      case "SendInput":
        return await this.#inputs.send(command, client);
      case "WithdrawInput":
        await turns.withdraw(command, client);
        return {};
      case "EditInput":
        await this.#inputs.edit(command, client);
        return {};
      case "MoveInput":
        await turns.move(command, client);
        return {};
      case "CancelTurn":
        turns.cancel(new Cancelled(client.id, "cancelled by the client"));
        return {};
      case "AnswerPermission": {
        const counted = parts.questions.answerPermission(command, client);
        await parts.bus.commit("power");
        return { result: { counted } };
      }
      case "Answer":
        parts.questions.answer(command, client);
        await parts.bus.commit("power");
        return {};
      case "SetModel":
      case "SetLevel":
      case "RevokeRule":
      case "PromoteRule":
        return await this.#options.beforeEnd(changeSettings(command, client, { parts, signal }));
      case "CompactSession":
        await recovery.settled(client);
        return await turns.runExclusive(command, client, async (turn) => {
          return { result: { compacted: await compactHistory(turn, parts.engine) } };
        });
      case "RewindSession":
        return await this.#rewind(command, client);
      case "RunShell":
      case "StopShell":
        return await shell.carryOut(command, client);
      case "EndSession":
        await session.end("user");
        return {};
      case "AttachSession":
        await recovery.settled(client, { attaches: true });
        return { sessionId: session.id };
      case "DetachSession":
        if (command.left === true) this.#options.left(client);
        return { sessionId: session.id };
      default: {
        const result = handleByFeature(parts.commands ?? {}, command, client);
        if (result === undefined) throw notServed(command);
        return await result;
      }
    }
  }

  async #rewind(command: CommandOf<"RewindSession">, client: AttachedClient): Promise<Accepted> {
    const { parts, recovery, turns } = this.#options;
    const { rewind } = parts;
    if (rewind === undefined) throw notServed(command);
    // It overwrites a person's files, so only a person may.
    assertHuman(client, command.kind);
    await recovery.settled(client);
    return await turns.runExclusive(command, client, async (turn) => ({
      result: await rewind(command, { ...turnContext(turn), history: turn.history }),
    }));
  }
}
