import { HarnessError } from "../../base/errors.ts";
import type { Accepted, Command, CommandKind, CommandOf } from "../../protocol/commands/commands.ts";
import type { AttachedClient } from "../access/client.ts";
import type { SessionCommands } from "../commands/query-handlers.ts";
import type { InputWants } from "../moments.ts";

/** Names of features that a session may lack, by the command that needs them. */
const ABSENT: Readonly<Partial<Record<Command["kind"], string>>> = {
  ManageMcp: "this session has no MCP servers",
  ReloadSkills: "this session has no skills",
  StopAgent: "this session has no sub-agents",
  SteerAgent: "this session has no sub-agents",
  StopTask: "this session runs nothing in the background",
  EnterPlanMode: "this session has no plan mode",
  ExitPlanMode: "this session has no plan mode",
  RewindSession: "this session keeps no files",
};

export function notServed({ kind }: Command): HarnessError {
  return new HarnessError("InvalidCommand", {
    kind,
    why: ABSENT[kind] ?? "it is not served in this version",
  });
}

type CommandHandler = (command: Command, client: AttachedClient) => Promise<Accepted>;

/** Hands a command to the feature that handles it; returns undefined if there is none. */
export function handleByFeature(
  commands: SessionCommands,
  command: Command,
  client: AttachedClient,
): Promise<Accepted> | undefined {
  // The handler of a kind takes the commands of this kind.
  const handlers: Readonly<Partial<Record<CommandKind, unknown>>> = commands;
  const handle = handlers[command.kind] as CommandHandler | undefined;
  return handle?.(command, client);
}

/** @throws HarnessError InvalidCommand if an input has a wish that no feature in the session handles. */
export function assertWishesHandled(
  command: CommandOf<"SendInput">,
  takes: readonly (keyof InputWants)[],
): void {
  const wanted = (["skill", "agent"] as const).find((want) => command[want] !== undefined);
  if (wanted === undefined || takes.includes(wanted)) return;
  const why = `there are no ${wanted}s in this session`;
  throw new HarnessError("InvalidCommand", { kind: command.kind, why });
}
