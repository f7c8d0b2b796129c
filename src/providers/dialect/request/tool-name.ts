const NAME_UNITS_MAX = 64;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * A tool name as every model provider takes it: `[A-Za-z0-9_-]`, at most 64 characters.
 *
 * Names that fit already stay as they are. Others keep what fits and end in a checksum of the whole name, so that
 * two of them stay two, in every request the same.
 */
export function wireToolName(name: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(name)) return name;
  const mark = `_${checksum(name)}`;
  return name.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, NAME_UNITS_MAX - mark.length) + mark;
}

/** The name of the offered tool that a model meant; a name that was not offered stays as it came. */
export function canonicalToolName(wireName: string, offered: readonly string[] = []): string {
  return offered.find((name) => wireToolName(name) === wireName) ?? wireName;
}

function checksum(text: string): string {
  let hash = FNV_OFFSET;
  for (const unit of new TextEncoder().encode(text)) hash = Math.imul(hash ^ unit, FNV_PRIME) >>> 0;
  return hash.toString(16).padStart(8, "0");
}
