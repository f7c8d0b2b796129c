import { count } from "./text.ts";

/** Returns a size for people: "812 bytes", "1.4 MB". */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return count(bytes, "byte");
  const power = Math.min(4, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** power).toFixed(1)} ${["", "KB", "MB", "GB", "TB"][power]}`;
}
