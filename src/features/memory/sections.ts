import type { PromptText } from "../../base/brand.ts";
import { trustedText } from "../../base/brand.ts";
import { byteLength } from "../../base/text/text.ts";
import { fence } from "../../safety/fence.ts";
import type { Memory, StoredMemory } from "./memory.ts";
import { indexLine } from "./store/index-file.ts";

/** Bytes of the index in the system text. */
export const INDEX_BYTES_MAX = 4_096;
/** Bytes of the memories added to one turn. */
export const SELECTED_BYTES_MAX = 6_144;

/** Text before the memories: useful, but not instructions. */
const MEMORIES_NOTICE =
  "Memories are notes from earlier sessions: take preferences and facts from them where they serve the user's request, and check what may have changed since.";

/** Text that leads the model to the tools. */
const TOOLS_NOTICE =
  'What later sessions should know (a wish, a correction, a fact of the project) can be remembered: ToolSearch "memory".';

/** Renders the part of the system text about memories: how to write them, and the fenced index of existing ones. */
export function memorySystemText(
  memories: readonly Memory[],
  { writes, redact }: { readonly writes: boolean; readonly redact: (text: string) => string },
): readonly PromptText[] {
  const index = fence("memory", redact(memoryIndexText(memories)));
  return [
    ...(writes ? [trustedText(TOOLS_NOTICE)] : []),
    ...(index === undefined ? [] : [trustedText(MEMORIES_NOTICE), index]),
  ];
}

/** Renders a line for each memory that fits into `INDEX_BYTES_MAX`. */
export function memoryIndexText(memories: readonly Memory[]): string {
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

/** A memory, and its text in a fence. */
export interface MemorySection {
  readonly memory: StoredMemory;
  readonly text: PromptText;
}

/**
 * Renders each memory in a separate fence, so that none can pass for another. All together take at
 * most `SELECTED_BYTES_MAX`.
 */
export function memorySections(memories: readonly StoredMemory[]): readonly MemorySection[] {
  let room = SELECTED_BYTES_MAX;
  return memories.flatMap((memory) => {
    const text = fence("memory", withinBytes(memory, room));
    const bytes = text === undefined ? 0 : byteLength(text);
    if (text === undefined || bytes > room) return [];
    room -= bytes;
    return [{ memory, text }];
  });
}

/** Renders a memory for MemoryRead and for a turn. */
export function memoryAsText({ name, type, description, content, modifiedMs }: StoredMemory): string {
  const day = new Date(modifiedMs).toISOString().slice(0, 10);
  return `${name} (${type}, ${day}): ${description}\n\n${content}`;
}

/** Bytes of the fence, and of making a text inert. */
const FENCE_BYTES = 256;

function withinBytes(memory: StoredMemory, bytesMax: number): string {
  const text = memoryAsText(memory);
  if (byteLength(text) + FENCE_BYTES <= bytesMax) return text;
  const lines = text.split("\n");
  const note = `[cut: MemoryRead ${memory.name} has the rest]`;
  let room = bytesMax - FENCE_BYTES - byteLength(note);
  const remainingLines = lines.filter((line) => {
    room -= byteLength(line) + 1;
    return room >= 0;
  });
  return remainingLines.length < 3 ? "" : [...remainingLines, note].join("\n");
}
