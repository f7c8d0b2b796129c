import { fileURLToPath } from "node:url";
import type { ContentBlock } from "@agentclientprotocol/sdk/unstable";
import { HarnessError } from "../../../base/errors.ts";
import type { CommandOf } from "../../../protocol/commands/commands.ts";
import type { InputBlock } from "../../../protocol/content.ts";
import { fence } from "../../../safety/fence.ts";

/**
 * Returns the text and attachments of an editor as input for the model. A link names its file, which the model reads
 * through its tools if that is allowed; embedded content of a resource stands behind a fence.
 * @throws HarnessError UnsupportedContent for audio, which is not advertised, and for embedded bytes.
 */
export function promptInput(prompt: readonly ContentBlock[]): CommandOf<"SendInput">["content"] {
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
      throw new HarnessError("UnsupportedContent", { ...UNSUPPORTED, content: "audio" });
    case "resource_link":
      return text(`[${oneLine(block.name)}](${placeOf(block.uri)})${linesOf(block.uri)}`);
    case "resource": {
      const { resource } = block;
      if (!("text" in resource)) throw new HarnessError("UnsupportedContent", UNSUPPORTED);
      const attached = fence("attachment", resource.text);
      return text(
        `${placeOf(resource.uri)}${linesOf(resource.uri)}:${attached === undefined ? " (empty)" : `\n${attached}`}`,
      );
    }
  }
}

const UNSUPPORTED = { model: "of this session", content: "embedded resource that is not a text" };

function text(value: string): InputBlock {
  return { type: "text", text: value };
}

/** Returns the path of a file, as tools take it; any other address as it is. */
function placeOf(uri: string): string {
  try {
    if (uri.startsWith("file:")) return oneLine(fileURLToPath(uri));
  } catch {
    // no path of this machine: it stays as it is
  }
  return oneLine(uri);
}

/** `#L5:15`, `#L5-15` and `#L5-L15` as editors write a selection, `#L5` for one line. */
const SELECTION = /^#L(\d{1,9})(?:[:-]L?(\d{1,9}))?$/;

/** Returns the lines that a link to a file selects, in words: the path of a file has no part for them. */
function linesOf(uri: string): string {
  const url = uri.startsWith("file:") ? URL.parse(uri) : null;
  const [, from, to = from] = SELECTION.exec(url?.hash ?? "") ?? [];
  if (from === undefined) return "";
  return from === to ? `, line ${from}` : `, lines ${from} to ${to}`;
}

function oneLine(value: string): string {
  return value.replaceAll(/[\0-\x1f\x7f]+/g, " ");
}
