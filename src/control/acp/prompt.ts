import { fileURLToPath } from "node:url";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import { HarnessError } from "../../base/errors.ts";
import type { CommandOf } from "../../protocol/commands.ts";
import type { InputBlock } from "../../protocol/content.ts";
import { fence } from "../../trust/fence.ts";

/**
 * What a person wrote and attached in their editor, as input for the model. A link names its file, which the model reads
 * through its tools where that is allowed; what an editor embeds of a resource stands behind a fence.
 * @throws HarnessError UnsupportedContent for what is neither text nor an image.
 */
export function inputOf(prompt: readonly ContentBlock[]): CommandOf<"SendInput">["content"] {
  return prompt.map(inputBlock);
}

function inputBlock(block: ContentBlock): InputBlock {
  switch (block.type) {
    case "text":
      return text(block.text);
    case "image":
      return {
        type: "image",
        source: { type: "base64", media_type: block.mimeType, data: block.data },
      };
    case "audio":
      return {
        type: "audio",
        source: { type: "base64", media_type: block.mimeType, data: block.data },
      };
    case "resource_link":
      return text(`[${oneLine(block.name)}](${placeOf(block.uri)})`);
    case "resource": {
      const { resource } = block;
      if (!("text" in resource)) throw new HarnessError("UnsupportedContent", UNSUPPORTED);
      const attached = fence("attachment", resource.text);
      return text(`${placeOf(resource.uri)}:${attached === undefined ? " (empty)" : `\n${attached}`}`);
    }
  }
}

const UNSUPPORTED = { model: "of this session", content: "embedded resource that is no text" };

function text(value: string): InputBlock {
  return { type: "text", text: value };
}

/** The path of a file, as tools take it; any other address as it is. */
function placeOf(uri: string): string {
  try {
    if (uri.startsWith("file:")) return oneLine(fileURLToPath(uri));
  } catch {
    // no path of this machine: it stays what it is
  }
  return oneLine(uri);
}

function oneLine(value: string): string {
  return value.replaceAll(/[\0-\x1f\x7f]+/g, " ");
}
