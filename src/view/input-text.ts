import type { InputBlock } from "../protocol/content.ts";

/** Matches the tags of the fence (`safety/fence.ts`), each on a line of its own, which foreign text cannot write. */
const TAGS = /^<untrusted-[a-z-]{1,32}>(?:\n|$)|(?:\n|^)<\/untrusted-[a-z-]{1,32}>$/gm;

/** Returns a text as people read it: foreign content stands in it without the tags that the model sees. */
export function withoutFenceTags(text: string): string {
  return text.includes("untrusted-") ? text.replaceAll(TAGS, "") : text;
}

/** Returns true for a text that holds foreign content: a file, standard input, the text of a page. */
function holdsFenced(text: string): boolean {
  return withoutFenceTags(text) !== text;
}

/** Returns the texts of an input for people, block by block; `other` gives the text of any other block. */
export function inputTexts(
  content: readonly InputBlock[],
  other: (type: Exclude<InputBlock["type"], "text">) => string,
): readonly string[] {
  return content.map((block) => (block.type === "text" ? withoutFenceTags(block.text) : other(block.type)));
}

/** Returns the text that names an input: the first words of a person, else the first content that they attached. */
export function inputTitle(content: readonly InputBlock[]): string | undefined {
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const named = [...texts.filter((text) => !holdsFenced(text)), ...texts.filter(holdsFenced)];
  return named
    .map((text) => withoutFenceTags(text).replaceAll(/\s+/g, " ").trim())
    .find((text) => text !== "");
}
