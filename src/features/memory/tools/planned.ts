import { byteLength } from "../../../base/text/text.ts";
import { showHidden } from "../../../safety/hidden.ts";
import { scanForInjection } from "../../../safety/injection/injection-scan.ts";
import { addedMarker } from "../../../tools/chain/redaction-marker.ts";
import { ToolFailure } from "../../../tools/tool.ts";
import type { Memory } from "../memory.ts";
import {
  CONTENT_BYTES_MAX,
  DESCRIPTION_CHARACTERS_MAX,
  isIndexName,
  NAME,
  TAG_CHARACTERS_MAX,
  TAGS_MAX,
} from "../memory.ts";
import { oneLine } from "../store/memory-file.ts";

/** Fields of a memory as the model sends them. They have passed the schema. */
type WrittenInput = Pick<Memory, "name" | "type" | "description" | "content"> & Partial<Pick<Memory, "tags">>;

export interface Planned {
  readonly memory: Memory;
  /** Why its words look like somebody's who wants to command a model; a half sentence. */
  readonly suspicion?: string;
}

/**
 * The memory that a call asks for, in the form that will be kept: characters that only a model sees are made visible.
 * @throws ToolFailure for what is too long, has no name that can be kept, or holds a secret (SES-05).
 */
export function planned(input: WrittenInput, redact: (text: string) => string): Planned {
  const { name, type, tags = [] } = input;
  if (!NAME.test(name)) throw new ToolFailure("A memory's name is 1 to 64 letters, digits, - and _.");
  if (isIndexName(name)) throw new ToolFailure(`${name} is the index of all memories; choose another name.`);
  const description = oneLine(showHidden(input.description.toWellFormed()));
  const content = showHidden(input.content.toWellFormed()).replaceAll(/\r\n?/g, "\n").trim();
  if (input.description.length > DESCRIPTION_CHARACTERS_MAX || description === "")
    throw new ToolFailure(`A description is one line of at most ${DESCRIPTION_CHARACTERS_MAX} characters.`);
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
    tags: tags.map((tag) => oneLine(showHidden(tag.toWellFormed()))).filter((tag) => tag !== ""),
  };
  refuseSecrets(memory, redact);
  const [finding] = [description, content, ...memory.tags].flatMap((text) => scanForInjection(text));
  return finding === undefined ? { memory } : { memory, suspicion: `${finding.what} (${finding.excerpt})` };
}

function refuseSecrets({ name, description, content, tags }: Memory, redact: (text: string) => string): void {
  // Also as one text: a secret may be told by the word before it.
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
