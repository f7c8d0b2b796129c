import { HarnessError } from "../../base/errors.ts";
import type { AttachmentId } from "../../base/ids.ts";
import type { Accepted, Command, CommandKind, CommandOf } from "../../protocol/commands/commands.ts";
import {
  ATTACHMENT_BYTES_MAX,
  ATTACHMENTS_PER_INPUT_BYTES_MAX,
  ATTACHMENTS_PER_INPUT_MAX,
  INPUT_BLOCKS_MAX,
} from "../../protocol/commands/run-limits.ts";
import type { AttachedFile, AttachmentInfo, InputBlock } from "../../protocol/content.ts";
import { isMediaBlock, mediaProblem } from "../../safety/media/media-block.ts";
import type { AttachedClient } from "../access/client.ts";
import type { SessionCommands } from "../commands/query-handlers.ts";
import type { Attachments, InputWants, Resolved } from "../moments.ts";

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

/**
 * Checks the content of an input, edit or steer, whatever it came over: the number of its blocks, and of each image,
 * sound and document its type, base64, size and first bytes.
 * @throws HarnessError InvalidCommand for content that no model could take: in a history it would stay for good.
 */
export function assertBlocks(command: Command): void {
  if (!("content" in command)) return;
  const { kind, content } = command;
  if (content.length > INPUT_BLOCKS_MAX) {
    const why = `it has ${content.length} blocks of content, and an input may have ${INPUT_BLOCKS_MAX}`;
    throw new HarnessError("InvalidCommand", { kind, why });
  }
  for (const [at, block] of content.entries()) {
    const problem = isMediaBlock(block) ? mediaProblem(block, ATTACHMENT_BYTES_MAX) : undefined;
    if (problem !== undefined)
      throw new HarnessError("InvalidCommand", { kind, why: `content[${at}]: ${problem}` });
  }
}

const NO_FILES = "this session takes no attachments";

/**
 * Returns an input with the contents of its attachments. Each counts with its stored size before any is read.
 * @throws HarnessError if one is refused, or they are too many or too large together.
 */
export async function resolvedInput<Sent extends CommandOf<"SendInput" | "EditInput">>(
  command: Sent,
  attachments: Attachments | undefined,
): Promise<Resolved<Sent>> {
  const { kind } = command;
  const ids = command.content.flatMap((block) => (block.type === "attachment" ? [block.id] : []));
  if (ids.length > 0) {
    if (attachments === undefined) throw new HarnessError("InvalidCommand", { kind, why: NO_FILES });
    await assertReadable(kind, ids, attachments);
  }
  const content: InputBlock[] = [];
  for (const block of command.content) {
    if (block.type !== "attachment") content.push(block);
    else if (attachments !== undefined) content.push(...(await attachments.blocks(block.id)));
  }
  return { ...command, content };
}

/** @throws HarnessError InvalidCommand if one input refers to more files, or to more bytes, than it may. */
async function assertReadable(
  kind: "SendInput" | "EditInput",
  ids: readonly AttachmentId[],
  attachments: Attachments,
): Promise<void> {
  const tooMuch = (what: string) =>
    new HarnessError("InvalidCommand", {
      kind,
      why: `it refers to ${what}; send the files in several inputs`,
    });
  if (ids.length > ATTACHMENTS_PER_INPUT_MAX)
    throw tooMuch(`${ids.length} attachments, and an input may refer to ${ATTACHMENTS_PER_INPUT_MAX}`);
  let bytes = 0;
  for (const id of ids) bytes += await attachments.storedBytes(id);
  if (bytes > ATTACHMENTS_PER_INPUT_BYTES_MAX)
    throw tooMuch(`${bytes} bytes of attachments, and an input may have ${ATTACHMENTS_PER_INPUT_BYTES_MAX}`);
}

/** Stores a file for inputs. @throws HarnessError if it is refused. */
export async function storeAttachment(
  file: AttachedFile,
  attachments: Attachments | undefined,
): Promise<AttachmentInfo> {
  if (attachments === undefined)
    throw new HarnessError("InvalidCommand", { kind: "SendInput", why: NO_FILES });
  return await attachments.store(file);
}
