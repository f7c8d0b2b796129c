import { head } from "../../base/text/text.ts";
import type { InputBlock } from "../../protocol/content.ts";
import { withoutFenceTags } from "../input-text.ts";
import type { PromptBlock } from "./items.ts";

/** Characters of a prompt that are kept; GetItem has the rest. */
export const PROMPT_CHARACTERS_MAX = 262_144;

/** Returns the blocks of an input as a transcript keeps them: texts without fence tags, media without their bytes. */
export function keptBlocks(content: readonly InputBlock[]): readonly PromptBlock[] {
  let room = PROMPT_CHARACTERS_MAX;
  return content.map((block) => {
    if (block.type === "text") {
      const text = head(withoutFenceTags(block.text), room);
      room -= text.length;
      return { type: "text", text };
    }
    const { media_type: mediaType, data } = block.source;
    return { type: block.type, mediaType, characters: data.length };
  });
}
