import type { ContentBlock, PromptResponse } from "@agentclientprotocol/sdk/unstable";
import { HarnessError } from "../../../base/errors.ts";
import type { Clock } from "../../../base/world.ts";
import type { Command } from "../../../protocol/commands/commands.ts";
import type { Connection } from "../../../protocol/connection.ts";
import { readCommand } from "../../../protocol/read.ts";
import { CANCELLED } from "../session/open-prompt.ts";
import type { AcpSession } from "../session/session.ts";
import { verbatim } from "../session/updates/shown-call.ts";
import { readPromptCommand } from "./commands.ts";
import { costText, listedCommands } from "./engine-requests.ts";
import { promptInput, withinLimits } from "./prompt.ts";
import { answerTo } from "./stands-for.ts";
import type { UnsavedFiles } from "./unsaved.ts";

/** Session that a prompt is for. */
export interface PromptedSession {
  readonly session: AcpSession;
  /** Absent: the editor does not say what is unsaved. */
  readonly unsaved: UnsavedFiles | undefined;
  readonly connection: Connection;
  readonly clock: Pick<Clock, "now">;
  /** Cancels the prompt. */
  readonly signal: AbortSignal;
}

/** Carries out a prompt: work for the model, or a command that is typed behind a slash. */
export async function carryOutPrompt(
  prompt: readonly ContentBlock[],
  prompted: PromptedSession,
): Promise<PromptResponse> {
  using preparation = prompted.session.prepare(prompted.signal);
  const { signal } = preparation;
  try {
    return await carriedOut(prompt, { ...prompted, signal });
  } catch (thrown) {
    if (signal.aborted && thrown === signal.reason) return CANCELLED;
    throw thrown;
  }
}

async function carriedOut(
  prompt: readonly ContentBlock[],
  { session, unsaved, connection, clock, signal }: PromptedSession,
): Promise<PromptResponse> {
  const list = () => listedCommands(connection, session.session);
  const asked = await readPromptCommand(prompt, session.session, list, session.options);
  signal.throwIfAborted();
  const send = async (content: readonly ContentBlock[], wants = {}) => {
    const input = async (cancelled: AbortSignal) =>
      readCommand({
        kind: "SendInput",
        sessionId: session.session,
        content: withinLimits([
          ...promptInput(content),
          ...((await unsaved?.blocks(content, cancelled)) ?? []),
        ]),
        ...wants,
      });
    return await session.prompt(input, signal);
  };
  const said = async (text: string): Promise<PromptResponse> => {
    if (text !== "") await session.say(text);
    return { stopReason: "end_turn" };
  };
  switch (asked.kind) {
    case "input":
      return await send(asked.prompt, asked.wants);
    case "prompt": {
      const { prompt: text } = await connection.query(asked.query, signal);
      return await send([{ type: "text", text }, ...asked.rest]);
    }
    case "command":
      return await said(asked.done(await session.command(asked.command)));
    case "cost": {
      const text = await costText(connection, session.session);
      signal.throwIfAborted();
      return await said(text);
    }
    case "stands-for": {
      const at = { connection, session: session.session, nowMs: clock.now() };
      const text = await answerTo(asked.info, asked.typed, at);
      signal.throwIfAborted();
      return await said(text === "" ? "" : verbatim(text));
    }
    case "refused":
      return await said(asked.why);
  }
}

/**
 * Sends a command that changes an option of a session, which takes the present values from the answer. No event need
 * come: the engine may have the value already.
 * @throws HarnessError InvalidCommand while a plan waits for an answer: leaving plan mode would approve it.
 */
export async function changeOption(session: AcpSession, command: Command | undefined): Promise<void> {
  if (command === undefined) return;
  if (command.kind === "ExitPlanMode" && session.asksAboutPlan) {
    const why = "a plan waits for your answer: approve or refuse it";
    throw new HarnessError("InvalidCommand", { kind: command.kind, why });
  }
  await session.command(command);
}
