import type { PromptText } from "../../base/brand.ts";
import { ownWords } from "../../base/brand.ts";
import { byteLength } from "../../base/text/text.ts";
import { fence } from "../../safety/fence.ts";
import type { KeptMemory, Memory } from "./memory.ts";
import { indexLine } from "./store/index-file.ts";

/** Of the index in the system text. */
export const INDEX_BYTES_MAX = 4_096;
/** Of the memories that one turn is given. */
export const SELECTED_BYTES_MAX = 6_144;

/** What stands in front of what was remembered: useful, and still no command. */
const MEMORIES_NOTICE =
  "Memories are notes from earlier sessions: take preferences and facts from them where they serve the user's request, and check what may have changed since.";

/** How the model comes to the tools. */
const TOOLS_NOTICE =
  'What later sessions should know (a wish, a correction, a fact of the project) can be remembered: ToolSearch "memory".';

/** What the system text says of memories: how to write them, and the index of those there are, behind the fence. */
export function systemText(
  memories: readonly Memory[],
  { writes, redact }: { readonly writes: boolean; readonly redact: (text: string) => string },
): readonly PromptText[] {
  const index = fence("memory", redact(indexText(memories)));
  return [
    ...(writes ? [ownWords(TOOLS_NOTICE)] : []),
    ...(index === undefined ? [] : [ownWords(MEMORIES_NOTICE), index]),
  ];
}

/** A line for each memory, as many as fit into `INDEX_BYTES_MAX`. */
export function indexText(memories: readonly Memory[]): string {
  const lines: string[] = [];
  let bytes = 0;
  for (const memory of memories) {
    const line = indexLine(memory);
    bytes += byteLength(line) + 1;
    if (bytes > INDEX_BYTES_MAX) break;
    lines.push(line);
  }
  const more = memories.length - lines.length;
  return [...lines, ...(more > 0 ? [`[${more} more]`] : [])].join("\n");
}

/** Each memory behind a fence of its own, so that none can speak for another, within `SELECTED_BYTES_MAX` in all. */
export function memorySections(
  memories: readonly KeptMemory[],
): readonly { readonly memory: KeptMemory; readonly text: PromptText }[] {
  let room = SELECTED_BYTES_MAX;
  return memories.flatMap((memory) => {
    const text = fence("memory", withinBytes(memory, room));
    const bytes = text === undefined ? 0 : byteLength(text);
    if (text === undefined || bytes > room) return [];
    room -= bytes;
    return [{ memory, text }];
  });
}

/** What MemoryRead answers, and what a turn is given. */
export function memoryText({ name, type, description, content, modifiedMs }: KeptMemory): string {
  const day = new Date(modifiedMs).toISOString().slice(0, 10);
  return `${name} (${type}, ${day}): ${description}\n\n${content}`;
}

/** The tags, and what making a text inert may add to it. */
const FENCE_BYTES = 256;

function withinBytes(memory: KeptMemory, bytesMax: number): string {
  const text = memoryText(memory);
  if (byteLength(text) + FENCE_BYTES <= bytesMax) return text;
  const lines = text.split("\n");
  const note = `[cut: MemoryRead ${memory.name} has the rest]`;
  let room = bytesMax - FENCE_BYTES - byteLength(note);
  const kept = lines.filter((line) => {
    room -= byteLength(line) + 1;
    return room >= 0;
  });
  return kept.length < 3 ? "" : [...kept, note].join("\n");
}
