import type { Memory } from "../memory.ts";

/** Renders a folder's MEMORY.md: a line for each memory, sorted by name (CTX-02). */
export function renderIndex(memories: readonly Memory[]): string {
  return memories.map((memory) => `${indexLine(memory)}\n`).join("");
}

export function indexLine({ name, description }: Memory): string {
  return `- [${name}](${name}.md): ${description}`;
}
