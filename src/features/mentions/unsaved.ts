import type { ClientId } from "../../base/ids.ts";
import { stringAt } from "../../base/json.ts";
import { reasonText } from "../../base/reasons.ts";
import { lineRangeText } from "../../base/text/text.ts";
import type { InputBlock, UnsavedBlock } from "../../protocol/content.ts";
import { fence } from "../../safety/fence.ts";
import { visibleLine } from "../../safety/hidden.ts";
import type { SessionFeatures, SessionHost } from "../../session/host.ts";
import { readTool } from "../../tools/files/read.ts";
import { textOutput } from "../../tools/output.ts";
import type { Tool, ToolContext } from "../../tools/tool.ts";
import { ToolFailure } from "../../tools/tool.ts";
import { outputWords } from "./output-words.ts";

/** Handles with which an unsaved text is judged. */
type UnsavedJudge = Pick<SessionHost, "world" | "session" | "workspace" | "publish"> &
  Pick<SessionFeatures, "unasked"> & { readonly signal: AbortSignal };

/**
 * Returns the text of a file in an editor behind the fence, if the model could read the file without asking anybody.
 * Rules, files that may hold keys, and hooks count as for a call of Read. Else publishes a notice.
 */
export async function unsavedBlocks(
  { path, text, attached, lines }: UnsavedBlock,
  client: ClientId,
  { world, session, workspace, publish, unasked, signal }: UnsavedJudge,
): Promise<readonly InputBlock[]> {
  const callId = world.ids.next("call");
  const context: ToolContext = {
    ...{ world, signal, session, callId, workspace },
    originator: client,
    turn: 0, // none has begun
    progress: () => undefined,
    emit: publish,
  };
  // The disk is not read: a hook sees the text that the model would see, and the model has not seen the saved one.
  const tool: Tool = {
    ...readTool,
    async plan(input, at) {
      // The text is that of the one file, so no other may be judged in its place.
      if (stringAt(input, "file_path") !== path)
        throw new ToolFailure("a hook has another file read instead");
      return await readTool.plan(input, at);
    },
    run: async () => textOutput(text),
  };
  const output = await unasked({ id: callId, name: tool.name, input: { file_path: path }, tool }, context);
  const shown = visibleLine(path);
  if (output.isError === true) {
    const message = reasonText("FileNotAttached", { path: shown, why: outputWords(output) });
    publish({ kind: "Error", payload: { reason: "FileNotAttached", message, severity: "notice" } });
    return [];
  }
  const of = lines === undefined ? shown : `${shown}, ${lineRangeText(lines)}`;
  const about =
    attached === true
      ? `${of}:`
      : `${of} has unsaved changes in the editor; tools see the saved file. Its unsaved content:`;
  return [{ type: "text", text: `${about}\n${fence("attachment", outputWords(output)) ?? "(empty)"}` }];
}
