import type { ContentBlock } from "@agentclientprotocol/sdk/unstable";
import { defined } from "../../../base/defined.ts";
import { HarnessError } from "../../../base/errors.ts";
import { UNSAVED_CHARACTERS_MAX, UNSAVED_FILES_MAX } from "../../../protocol/commands/run-limits.ts";
import type { InputBlock, SentBlock, UnsavedBlock } from "../../../protocol/content.ts";
import { fence } from "../../../safety/fence.ts";
import { linesText, namedFile } from "./named-file.ts";

/**
 * Returns the text and attachments of an editor as input for the model. A link names its file, which the model reads
 * through its tools if that is allowed. The engine judges the embedded text of a file as a read of that file; another
 * embedded text stands behind a fence.
 * @throws HarnessError UnsupportedContent for audio, which is not advertised, and for embedded bytes.
 */
export function promptInput(prompt: readonly ContentBlock[]): readonly SentBlock[] {
  return prompt.map(sentBlock);
}

/** Returns an input whose texts of files keep the limits of an input: those above it are only named. */
export function withinLimits(blocks: readonly SentBlock[]): readonly SentBlock[] {
  let [files, characters] = [0, 0];
  return blocks.map((block) => {
    if (block.type !== "unsaved") return block;
    if (files === UNSAVED_FILES_MAX || characters + block.text.length > UNSAVED_CHARACTERS_MAX)
      return text(leftOut(block));
    files += 1;
    characters += block.text.length;
    return block;
  });
}

function sentBlock(block: ContentBlock): SentBlock {
  switch (block.type) {
    case "text":
      return text(block.text);
    case "image":
      return {
        type: "image",
        source: { type: "base64", media_type: block.mimeType, data: block.data },
      };
    case "audio":
      throw new HarnessError("UnsupportedContent", { ...UNSUPPORTED, content: "audio" });
    case "resource_link": {
      const file = namedFile(block.uri);
      const place = file?.isHere === true ? file.path : block.uri;
      return text(`[${oneLine(block.name)}](${oneLine(place)})${linesText(file ?? {})}`);
    }
    case "resource": {
      const { resource } = block;
      if (!("text" in resource)) throw new HarnessError("UnsupportedContent", UNSUPPORTED);
      const file = namedFile(resource.uri);
      if (file !== undefined) {
        const { path, lines } = file;
        return { type: "unsaved", path, ...defined({ lines }), text: resource.text, attached: true };
      }
      const attached = fence("attachment", resource.text);
      return text(`${oneLine(resource.uri)}:${attached === undefined ? " (empty)" : `\n${attached}`}`);
    }
  }
}

const UNSUPPORTED = { model: "of this session", content: "embedded resource that is not a text" };

function text(value: string): InputBlock {
  return { type: "text", text: value };
}

function leftOut({ path, lines, attached }: UnsavedBlock): string {
  const of = attached === true ? "is attached with a text" : "has unsaved changes in the editor";
  const which = attached === true ? "that is" : "that are";
  return `${oneLine(path)}${linesText(defined({ lines }))} ${of} ${which} too large to go along; tools see the saved file.`;
}

/** Returns a text without line ends and control characters. */
function oneLine(value: string): string {
  return value.replaceAll(/[\0-\x1f\x7f]+/g, " ");
}
