import { Cancelled } from "../../base/errors.ts";
import type { CallId } from "../../base/ids.ts";
import { reasonText } from "../../base/reasons.ts";
import { byteLength } from "../../base/text/text.ts";
import type { InputBlock } from "../../protocol/content.ts";
import type { OpenFeature } from "../../session/feature.ts";
import type { SessionFeatures, SessionHost } from "../../session/host.ts";
import type { TurnContext } from "../../session/moments.ts";
import type { ToolCall } from "../../tools/middleware.ts";
import type { Tool, ToolContext, ToolOutput } from "../../tools/tool.ts";
import type { MentionCompleter } from "./complete-mention.ts";
import type { Mention } from "./mentions.ts";
import { outputWords } from "./output-words.ts";

/** CustomEvent of the namespace `cinch` with the files that went to the model with an input: `{turn, paths}`. */
const FILES_ATTACHED = "FilesAttached";
/** Limit for all files of one input; a larger one is only named, and the model reads what it needs of it. */
const ATTACHED_BYTES_MAX = 256 * 1_024;

/**
 * Attaches files and folders that an input names with an at sign (CTX-03), each inside the fence, as the model would
 * read them itself. A file that the model may not read unasked is not attached, and a notice says so. Words that name
 * no file stay words.
 */
export function openMentions(host: SessionHost): OpenFeature {
  const { world, session, workspace } = host;
  const end = new AbortController();
  let completer: Promise<MentionCompleter> | undefined;
  const openCompleter = async () => {
    const { MentionCompleter } = await import("./complete-mention.ts");
    return new MentionCompleter(host, end.signal);
  };
  return {
    async completes(typed, signal) {
      if (!typed.text.includes("@")) return undefined;
      completer ??= openCompleter();
      return await (await completer).complete(typed, signal);
    },
    async [Symbol.asyncDispose]() {
      end.abort(new Cancelled("engine", "the session was ended"));
      await (await completer)?.settle();
    },
    join: ({ unasked }) => ({
      async unsaved(file, client) {
        const { unsavedBlocks } = await import("./unsaved.ts");
        const publish = host.publish.bind(host);
        const judge = { world, session, workspace, publish, unasked, signal: end.signal };
        return await unsavedBlocks(file, client, judge);
      },
      async onInput(content, turn) {
        const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
        if (!text.includes("@")) return [];
        const { findMentions } = await import("./mentions.ts");
        const mentions = findMentions(text);
        return mentions.length === 0
          ? []
          : await attachments(mentions, turn, { world, session, workspace, unasked });
      },
    }),
  };
}

/** Handles with which a mention is read. */
type MentionReader = Pick<SessionHost, "world" | "session" | "workspace"> & Pick<SessionFeatures, "unasked">;

async function attachments(
  mentions: readonly Mention[],
  turn: TurnContext,
  host: MentionReader,
): Promise<readonly InputBlock[]> {
  const blocks: InputBlock[] = [];
  const attached: string[] = [];
  let bytes = 0;
  for (const mention of mentions) {
    const { path, written } = mention;
    const read = await readMention(mention, turn, host);
    if (read === undefined) continue;
    const added = read.kind === "read" ? await attachmentOf(written, read.output) : [];
    const size = added.reduce((sum, block) => sum + byteLength(JSON.stringify(block)), 0);
    if (read.kind === "read" && bytes + size <= ATTACHED_BYTES_MAX) {
      bytes += size;
      blocks.push(...added);
      attached.push(path);
      continue;
    }
    const why = read.kind === "read" ? "it is too large to go along; the model can read it" : read.why;
    const message = reasonText("FileNotAttached", { path: written, why });
    turn.emit({ kind: "Error", payload: { reason: "FileNotAttached", message, severity: "notice" } });
  }
  if (attached.length > 0) {
    const payload = { turn: turn.turn, paths: attached };
    turn.emit({ kind: "CustomEvent", payload: { namespace: "cinch", kind: FILES_ATTACHED, payload } });
  }
  return blocks;
}

type ReadMention =
  | { readonly kind: "read"; readonly output: ToolOutput }
  | { readonly kind: "left-out"; readonly why: string };

/** Resolves to undefined if the mention names nothing that exists. */
async function readMention(
  mention: Mention,
  turn: TurnContext,
  host: MentionReader,
): Promise<ReadMention | undefined> {
  const { world, session, workspace } = host;
  const { path } = mention;
  const context: ToolContext = {
    world,
    signal: turn.signal,
    session,
    callId: world.ids.next("call"),
    originator: turn.originator,
    turn: turn.turn,
    workspace,
    progress: () => undefined,
    emit: turn.emit,
  };
  const { resolvePath } = await import("../../tools/paths.ts");
  const resolved = await resolvePath(path, context).catch(() => undefined); // not a path: it was a word
  const info = resolved === undefined ? undefined : await world.files.stat(resolved.path);
  if (info === undefined) return undefined;
  const call = await callOf(mention, info.kind === "directory", context.callId);
  const output = await host.unasked(call, context);
  return output.isError === true ? { kind: "left-out", why: outputWords(output) } : { kind: "read", output };
}

async function callOf(
  { path, lines }: Pick<Mention, "path" | "lines">,
  isDirectory: boolean,
  id: CallId,
): Promise<ToolCall> {
  const tool: Tool = isDirectory
    ? (await import("../../tools/search/ls.ts")).lsTool
    : (await import("../../tools/files/read.ts")).readTool;
  const part = lines === undefined ? {} : { offset: lines.first, limit: lines.last - lines.first + 1 };
  const input = isDirectory ? { path } : { file_path: path, ...part };
  return { id, name: tool.name, input, tool };
}

/**
 * Returns the blocks for the model: a description, which is cinch's own text, and the foreign text inside the fence.
 */
async function attachmentOf(written: string, { content }: ToolOutput): Promise<readonly InputBlock[]> {
  const { fence } = await import("../../safety/fence.ts");
  return content.flatMap((block): InputBlock[] => {
    if (block.type !== "text") return block.type === "image" ? [block] : [];
    const text = fence("attachment", `${written}\n${block.text}`);
    return text === undefined ? [] : [{ type: "text", text }];
  });
}
