import type { CallId, SessionId } from "../../base/ids.ts";
import { reasonText } from "../../base/reasons.ts";
import { byteLength } from "../../base/text/text.ts";
import type { Permitting } from "../../guard/permissions/permitting.ts";
import type { InputBlock } from "../../protocol/content.ts";
import type { TurnContext } from "../../session/moments.ts";
import type { RunDefaults } from "../../session/plan/run-parts.ts";
import type { SessionPart } from "../../session/session-part.ts";
import type { ToolCall, ToolMiddleware } from "../../tools/middleware.ts";
import type { Tool, ToolContext, ToolOutput, Workspace } from "../../tools/tool.ts";

/** The CustomEvent of the namespace `cinch` that tells which files went to the model with an input: `{turn, paths}`. */
const FILES_ATTACHED = "FilesAttached";
/** Of all files of one input; a larger one is named, and the model reads what it wants of it. */
const ATTACHED_BYTES_MAX = 256 * 1_024;

export interface MentionSources {
  readonly session: SessionId;
  readonly workspace: Workspace;
  readonly permission: Pick<Permitting, "goesUnasked">;
  /** What looks at every call before it is judged: a guard is asked about a file that was named, too. */
  readonly hooks?: readonly ToolMiddleware[];
  readonly defaults: Pick<RunDefaults, "world">;
}

/**
 * Files and folders that an input names with an at sign go to the model with it (CTX-03), each behind the fence, as the
 * model would read them itself: what it may not read unasked is not attached, and that is told. Words that name no file
 * are words.
 */
export function mentioning(sources: MentionSources): SessionPart {
  return {
    async onInput(content, turn) {
      const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
      if (!text.includes("@")) return [];
      const { mentionsIn } = await import("./mentions.ts");
      const mentions = mentionsIn(text);
      return mentions.length === 0 ? [] : await attachments(mentions, turn, sources);
    },
  };
}

async function attachments(
  mentions: readonly { readonly path: string; readonly written: string }[],
  turn: TurnContext,
  sources: MentionSources,
): Promise<readonly InputBlock[]> {
  const blocks: InputBlock[] = [];
  const attached: string[] = [];
  let bytes = 0;
  for (const { path, written } of mentions) {
    const read = await readMention(path, turn, sources);
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

/** Undefined where it names nothing that is there. */
async function readMention(
  path: string,
  turn: TurnContext,
  { session, workspace, permission, hooks = [], defaults }: MentionSources,
): Promise<ReadMention | undefined> {
  const { world } = defaults;
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
  const [{ resolvePath }, { prepareCall }, { catchFailures }, { chainTool }, { ToolFailure }] =
    await Promise.all([
      import("../../tools/paths.ts"),
      import("../../tools/chain/validate.ts"),
      import("../../tools/chain/catch.ts"),
      import("../../tools/middleware.ts"),
      import("../../tools/tool.ts"),
    ]);
  const resolved = await resolvePath(path, context).catch(() => undefined); // no path at all: it was a word
  const info = resolved === undefined ? undefined : await world.files.stat(resolved.path);
  if (info === undefined) return undefined;
  const call = await callOf(path, info.kind === "directory", context.callId);
  const prepared = await prepareCall(call, context);
  if (prepared.kind === "refused") return { kind: "left-out", why: wordsOf(prepared.output) };
  const run = chainTool([catchFailures(), ...hooks], async (judged, at) => {
    if (judged.plan === undefined || !(await permission.goesUnasked(judged, at)))
      throw new ToolFailure("it is not read unasked; the model can ask for it");
    return await judged.tool.run(judged.plan, at);
  });
  const output = await run(prepared.call, context);
  return output.isError === true ? { kind: "left-out", why: wordsOf(output) } : { kind: "read", output };
}

async function callOf(path: string, isDirectory: boolean, id: CallId): Promise<ToolCall> {
  const tool: Tool = isDirectory
    ? (await import("../../tools/search/ls.ts")).ls
    : (await import("../../tools/files/read.ts")).read;
  const input = isDirectory ? { path } : { file_path: path };
  return { id, name: tool.name, input, tool };
}

/** What the model is given: words that say what it is, which are ours, and the foreign text behind the fence. */
async function attachmentOf(written: string, { content }: ToolOutput): Promise<readonly InputBlock[]> {
  const { fence } = await import("../../safety/fence.ts");
  return content.flatMap((block): InputBlock[] => {
    if (block.type !== "text") return block.type === "image" ? [block] : [];
    const text = fence("attachment", `${written}\n${block.text}`);
    return text === undefined ? [] : [{ type: "text", text }];
  });
}

function wordsOf({ content }: ToolOutput): string {
  return content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join(" ");
}
