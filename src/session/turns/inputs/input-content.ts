import { HarnessError } from "../../../base/errors.ts";
import type { AttachmentId, ClientId } from "../../../base/ids.ts";
import { isVisible } from "../../../base/text/hidden.ts";
import type { Command, CommandOf } from "../../../protocol/commands/commands.ts";
import {
  ATTACHMENT_BYTES_MAX,
  ATTACHMENTS_PER_INPUT_BYTES_MAX,
  ATTACHMENTS_PER_INPUT_MAX,
  INPUT_BLOCKS_MAX,
  UNSAVED_CHARACTERS_MAX,
  UNSAVED_FILES_MAX,
} from "../../../protocol/commands/run-limits.ts";
import type { AttachedFile, AttachmentInfo, InputBlock, SentBlock } from "../../../protocol/content.ts";
import { isMediaBlock, mediaProblem } from "../../../safety/media/media-block.ts";
import type { Attachments, Resolved } from "../../moments.ts";
import type { SessionDependencies } from "../session-dependencies.ts";

const NO_FILES = "this session takes no attachments";
const NO_UNSAVED = "this session takes no unsaved texts";
const ALL_LEFT_OUT = "nothing is left of it: the model may not read the files whose unsaved texts it has";

/**
 * Checks the content of an input, edit or steer, whatever it came over: the number of its blocks, and of each image,
 * sound and document its type, base64, size and first bytes.
 * @throws HarnessError InvalidCommand for content that no model could take, which would stay in the history, and for
 * blank text alone, which no request would have.
 */
export function assertBlocks(command: Command): void {
  if (!("content" in command)) return;
  const { kind, content } = command;
  if (content.length > INPUT_BLOCKS_MAX) {
    const why = `it has ${content.length} blocks of content, and an input may have ${INPUT_BLOCKS_MAX}`;
    throw new HarnessError("InvalidCommand", { kind, why });
  }
  const hasSkill = kind === "SendInput" && command.skill !== undefined;
  if (!hasSkill && content.every((block) => block.type === "text" && !isVisible(block.text)))
    throw new HarnessError("InvalidCommand", { kind, why: "its text is blank, and it has nothing else" });
  for (const [at, block] of content.entries()) {
    const problem = isMediaBlock(block) ? mediaProblem(block, ATTACHMENT_BYTES_MAX) : undefined;
    if (problem !== undefined)
      throw new HarnessError("InvalidCommand", { kind, why: `content[${at}]: ${problem}` });
  }
}

/** Returns true for an input whose attachments or unsaved texts are examined before it is accepted. */
export function refersToFiles({ content }: CommandOf<"SendInput" | "EditInput">): boolean {
  return content.some(({ type }) => type === "attachment" || type === "unsaved");
}

/**
 * Returns an input with the contents of its attachments, and the unsaved texts that the model may read. Each attachment
 * counts with its stored size before any is read.
 * @throws HarnessError if one is refused, or they are too many or too large together.
 */
export async function resolvedInput<Sent extends CommandOf<"SendInput" | "EditInput">>(
  command: Sent,
  client: ClientId,
  { attachments, unsaved }: Pick<SessionDependencies, "attachments" | "unsaved">,
): Promise<Resolved<Sent>> {
  const { kind } = command;
  const refusal = (why: string) => new HarnessError("InvalidCommand", { kind, why });
  assertUnsavedFit(command.content, refusal);
  const ids = command.content.flatMap((block) => (block.type === "attachment" ? [block.id] : []));
  if (ids.length > 0) {
    if (attachments === undefined) throw refusal(NO_FILES);
    await assertReadable(kind, ids, attachments);
  }
  const content: InputBlock[] = [];
  for (const block of command.content) {
    if (block.type === "unsaved") {
      if (unsaved === undefined) throw refusal(NO_UNSAVED);
      content.push(...(await unsaved(block, client)));
    } else if (block.type !== "attachment") content.push(block);
    else if (attachments !== undefined) content.push(...(await attachments.blocks(block.id)));
  }
  if (content.length === 0) throw refusal(ALL_LEFT_OUT);
  return { ...command, content };
}

function assertUnsavedFit(content: readonly SentBlock[], refusal: (why: string) => HarnessError): void {
  const texts = content.flatMap((block) => (block.type === "unsaved" ? [block.text] : []));
  if (texts.length > UNSAVED_FILES_MAX)
    throw refusal(`it has ${texts.length} unsaved texts; ${UNSAVED_FILES_MAX} are the most`);
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  if (characters > UNSAVED_CHARACTERS_MAX)
    throw refusal(`its unsaved texts have ${characters} characters; ${UNSAVED_CHARACTERS_MAX} are the most`);
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
