import { byteLength } from "../../../base/text/text.ts";
import { showHidden } from "../../../safety/hidden.ts";
import { scanForInjection } from "../../../safety/injection/injection-scan.ts";
import { addedMarker } from "../../../tools/chain/redaction-marker.ts";
import { ToolFailure } from "../../../tools/tool.ts";
import type { Memory } from "../memory.ts";
import {
  CONTENT_BYTES_MAX,
  isIndexName,
  MEMORY_DESCRIPTION_CHARACTERS_MAX,
  MEMORY_NAME,
  TAG_CHARACTERS_MAX,
  TAGS_MAX,
} from "../memory.ts";
import { descriptionLine } from "../store/memory-file.ts";

/** A memory as the model sends it, after validation by the schema. */
type WrittenInput = Pick<Memory, "name" | "type" | "description" | "content"> & Partial<Pick<Memory, "tags">>;

export interface PreparedMemory {
  readonly memory: Memory;
  /** A half sentence if the text looks like instructions to a model. */
  readonly suspicion?: string;
}

/**
 * Prepares the memory of a call in the form that will be stored, with hidden characters made visible.
 * @throws ToolFailure for text that is too long, an invalid name, or a secret (SES-05).
 */
export function prepareMemory(input: WrittenInput, redact: (text: string) => string): PreparedMemory {
  const { name, type, tags = [] } = input;
  if (!MEMORY_NAME.test(name)) throw new ToolFailure("A memory's name is 1 to 64 letters, digits, - and _.");
  if (isIndexName(name)) throw new ToolFailure(`${name} is the index of all memories; choose another name.`);
  const description = descriptionLine(showHidden(input.description.toWellFormed()));
  const content = showHidden(input.content.toWellFormed()).replaceAll(/\r\n?/g, "\n").trim();
  if (input.description.length > MEMORY_DESCRIPTION_CHARACTERS_MAX || description === "")
    throw new ToolFailure(
      `A description is one line of at most ${MEMORY_DESCRIPTION_CHARACTERS_MAX} characters.`,
    );
  const bytes = byteLength(content);
  if (bytes > CONTENT_BYTES_MAX)
    throw new ToolFailure(
      `It has ${bytes} bytes; a memory has at most ${CONTENT_BYTES_MAX}. Keep what matters.`,
    );
  if (tags.length > TAGS_MAX || tags.some((tag) => tag.length > TAG_CHARACTERS_MAX))
    throw new ToolFailure(`There can be ${TAGS_MAX} tags of ${TAG_CHARACTERS_MAX} characters.`);
  const memory = {
    name,
    type,
    description,
    content,
    tags: tags.map((tag) => descriptionLine(showHidden(tag.toWellFormed()))).filter((tag) => tag !== ""),
  };
  refuseSecrets(memory, redact);
  const [finding] = [description, content, ...memory.tags].flatMap((text) => scanForInjection(text));
  return finding === undefined ? { memory } : { memory, suspicion: `${finding.what} (${finding.excerpt})` };
}

function refuseSecrets({ name, description, content, tags }: Memory, redact: (text: string) => string): void {
  // Also as one text, because the word before a secret may be needed to detect it.
  const whole = [name, description, ...tags, content].join("\n");
  for (const text of [whole, name, description, content, ...tags]) {
    const kind = addedMarker(text, redact(text));
    if (kind !== undefined)
      throw new ToolFailure(
        `It holds what looks like a secret (${kind}); nothing was kept. A memory says where a secret is, never what it is.`,
      );
  }
  if (addedMarker("", whole) !== undefined)
    throw new ToolFailure("It holds a mark that stands for a secret; nothing was kept. Leave it out.");
}
