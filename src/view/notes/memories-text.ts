import type { MemoryUse, UsedMemories } from "../session/memories.ts";
import { neutraliseLine } from "../terminal/terminal-text.ts";

const WORDS: Readonly<Record<MemoryUse, string>> = {
  written: "written",
  removed: "removed",
  given: "given to the model",
};

/** Returns the output of `/memory`: how the session used memories so far. */
export function memoriesText(memories: UsedMemories): string {
  const lines = [...memories].map(
    ([name, uses]) => `  ${neutraliseLine(name)}: ${uses.map((use) => WORDS[use]).join(", ")}`,
  );
  const none = "No memory was given to the model, written or removed in this session.";
  const heading = lines.length === 0 ? none : "Memories in this session:";
  return [heading, ...lines, "cinch memory list shows all of them, with where their files are."].join("\n");
}
