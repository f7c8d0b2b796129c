import { join } from "node:path";
import { InOrder } from "../../base/async/in-order.ts";
import { HarnessError } from "../../base/errors.ts";
import type { AttachmentId } from "../../base/ids.ts";
import { shortened } from "../../base/text/text.ts";
import { codeOf, FileTooLarge } from "../../base/world.ts";
import { ATTACHMENT_BYTES_MAX } from "../../protocol/commands/run-limits.ts";
import type { AttachedFile, AttachmentInfo, InputBlock } from "../../protocol/content.ts";
import { splitModel } from "../../providers/choosing/route.ts";
import { fence } from "../../safety/fence.ts";
import { showControls, visibleLine } from "../../safety/hidden.ts";
import type { SessionHost } from "../../session/host.ts";
import type { Attachments } from "../../session/moments.ts";
import { openBytes, SealBroken, sealBytes, subKey } from "../../session/store/seal.ts";
import { attachmentsFolder } from "./attachments-folder.ts";
import type { FileForm } from "./media-type.ts";
import { formOf } from "./media-type.ts";

/** Bytes of all attachments that a session keeps, sealed. */
export const ATTACHMENTS_BYTES_MAX = 209_715_200;
const NAME_CHARACTERS_MAX = 200;
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
/** Added to the bytes of a file: its head and its seal. */
const AROUND_BYTES_MAX = 65_536;
const LENGTH_BYTES = 4;

/** Uploads of all sessions, one after the other: two at once cannot exceed the limit together. */
const writing = new InOrder<string>();

/**
 * Opens the attachments of a session: one sealed file each, below the data folder of cinch (SES-04). They expire and
 * are deleted with the session's log.
 */
export async function openAttachmentStore(host: SessionHost): Promise<Attachments> {
  const { world, paths, logId, models } = host;
  const { files, ids, random } = world;
  const key = subKey(await models.logKey(), `cinch attachments v1 ${logId}`);
  const folder = attachmentsFolder(paths.data, logId);
  const contextOf = (id: AttachmentId) => `cinch attachment v1 ${logId} ${id}`;

  async function keptBytes(): Promise<number> {
    if ((await files.stat(folder)) === undefined) return 0;
    let sum = 0;
    for (const { name } of await files.list(folder))
      sum += (await files.lstat(join(folder, name)))?.size ?? 0;
    return sum;
  }

  async function write({ bytes, ...sent }: AttachedFile): Promise<AttachmentInfo> {
    const name = plainName(sent.name);
    if (bytes.length > ATTACHMENT_BYTES_MAX)
      throw new HarnessError("AttachmentRefused", {
        name,
        why: `it is larger than ${ATTACHMENT_BYTES_MAX} bytes`,
      });
    const form = formOf(bytes, sent.mediaType);
    if (form.kind === "refused") throw new HarnessError("AttachmentRefused", { name, why: form.why });
    const usedBytes = await keptBytes();
    if (usedBytes + bytes.length > ATTACHMENTS_BYTES_MAX)
      throw new HarnessError("AttachmentsFull", {
        kept: String(usedBytes),
        limit: String(ATTACHMENTS_BYTES_MAX),
      });
    const attachment = ids.next("att");
    const head = new TextEncoder().encode(JSON.stringify({ name, media_type: form.mediaType }));
    const length = new Uint8Array(LENGTH_BYTES);
    new DataView(length.buffer).setUint32(0, head.length);
    const sealer = { key, random: (count: number) => random.bytes(count) };
    const sealed = sealBytes(sealer, contextOf(attachment), Buffer.concat([length, head, bytes]));
    await files.makeDirectory(folder, FOLDER_MODE);
    await files.writeAtomic(join(folder, attachment), sealed, FILE_MODE);
    return { attachment, name, media_type: form.mediaType, bytes: bytes.length };
  }

  async function read(id: AttachmentId): Promise<Uint8Array> {
    try {
      const sealed = await files.read(join(folder, id), ATTACHMENT_BYTES_MAX + AROUND_BYTES_MAX);
      return openBytes(key, contextOf(id), sealed);
    } catch (cause) {
      const isUnusable = cause instanceof SealBroken || cause instanceof FileTooLarge;
      if (!isUnusable && codeOf(cause) !== "ENOENT") throw cause;
      throw new HarnessError("AttachmentMissing", { id }, { cause });
    }
  }

  return {
    store: (file) => writing.run(folder, () => write(file)),
    async storedBytes(id) {
      const info = await files.lstat(join(folder, id));
      if (info === undefined) throw new HarnessError("AttachmentMissing", { id });
      return info.size;
    },
    async blocks(id) {
      const { name, bytes } = fileIn(await read(id));
      const form = formOf(bytes, undefined);
      if (form.kind === "image" || form.kind === "pdf") await assertTaken(host, name, form.kind);
      return blocksOf(name, bytes, form);
    },
  };
}

/** Returns a file and its name from what is stored: the length of a head in JSON, the head, the file. */
function fileIn(opened: Uint8Array): { readonly name: string; readonly bytes: Uint8Array } {
  const headLength = new DataView(opened.buffer, opened.byteOffset).getUint32(0);
  const headBytes = opened.subarray(LENGTH_BYTES, LENGTH_BYTES + headLength);
  const { name } = JSON.parse(new TextDecoder().decode(headBytes)) as { readonly name: string };
  return { name, bytes: opened.subarray(LENGTH_BYTES + headLength) };
}

/** Refuses a file that the session's model is known not to accept; an unknown model decides by itself. */
async function assertTaken(
  { model, models }: Pick<SessionHost, "model" | "models">,
  name: string,
  kind: "image" | "pdf",
): Promise<void> {
  const { provider, model: id } = splitModel(model.name);
  if (!(await models.refuses(provider, id, kind))) return;
  const content = kind === "pdf" ? "PDFs" : "images";
  const instead = kind === "pdf" ? "attach its text, or pick another model" : "pick another model";
  const why = `the model ${model.name} takes no ${content}; ${instead}`;
  throw new HarnessError("AttachmentRefused", { name, why });
}

/** Returns the blocks that stand for a file in an input. Its text is foreign, its name too. */
function blocksOf(name: string, bytes: Uint8Array, form: FileForm): readonly InputBlock[] {
  if (form.kind === "image" || form.kind === "pdf") {
    const source = {
      type: "base64",
      media_type: form.mediaType,
      data: Buffer.from(bytes).toString("base64"),
    } as const;
    if (form.kind === "image") return [{ type: "image", source }];
    const named = fence("attachment", name) ?? "";
    return [
      { type: "text", text: `The user attached a PDF:\n${named}` },
      { type: "document", source },
    ];
  }
  const text = form.kind === "text" ? form.text : "";
  return [
    { type: "text", text: `The user attached a file:\n${fence("attachment", `${name}\n\n${text}`) ?? ""}` },
  ];
}

/** Returns the last part of a name, with every control character made visible. */
function plainName(name: string): string {
  const last = name.split(/[\\/]/u).at(-1)?.trim() ?? "";
  const shown = shortened(visibleLine(showControls(last.toWellFormed())), NAME_CHARACTERS_MAX);
  return shown === "" || shown === "." || shown === ".." ? "attachment" : shown;
}
