/** Model id after aliases and retired ids are resolved. */
export interface ResolvedModel {
  readonly id: string;
  /** One sentence for the user. Set if another model than the named one is used. */
  readonly note?: string;
}

type Line = "haiku" | "sonnet" | "opus";

/** Models of the short names when no catalogue is available. */
const CURRENT: Readonly<Record<Line, string>> = {
  haiku: "claude-haiku-5-5",
  sonnet: "claude-sonnet-5-5",
  opus: "claude-opus-5-5",
};

/** Ids of [B] § Available Models. All are retired; their successor is used. */
const RETIRED: readonly string[] = [
  "claude-3-haiku-20240307",
  "claude-3-5-sonnet-20241022",
  "claude-3-opus-20240229",
];

/**
 * Resolves an id or a short name of an Anthropic model (LIB-08).
 *
 * `haiku`, `sonnet` and `opus` resolve to the newest model of their line in the catalogue. An id that the catalogue
 * lists, with or without its date, stays as it is. An older id of a line that is no longer listed becomes the newest
 * of its line, with a note. Any other id passes unchanged, and the provider accepts or rejects it. With an empty
 * catalogue only the short names and the retired ids of the documents are replaced.
 */
export function resolveModelId(id: string, catalogue: readonly string[]): ResolvedModel {
  if (isLine(id)) return { id: newestOf(id, catalogue) ?? CURRENT[id] };
  if (catalogue.includes(id)) return { id };
  const version = versionOf(id);
  if (version === undefined) return { id };
  const newest = newestOf(version.line, catalogue);
  if (newest === undefined) return RETIRED.includes(id) ? replaced(id, CURRENT[version.line]) : { id };
  const isListed = catalogue.some((listed) => isSame(versionOf(listed), version));
  return isListed || !isOlder(version, versionOf(newest)) ? { id } : replaced(id, newest);
}

function replaced(id: string, successor: string): ResolvedModel {
  return { id: successor, note: `The model ${id} is retired; its successor ${successor} is used.` };
}

interface Version {
  readonly line: Line;
  readonly major: number;
  readonly minor: number;
  readonly date: number;
}

/** Reads `claude-3-5-sonnet-20241022` as well as `claude-opus-4-5-20251101` and `claude-haiku-5-5`. */
function versionOf(id: string): Version | undefined {
  const match =
    /^claude-(?<major>\d)(-(?<minor>\d))?-(?<line>haiku|sonnet|opus)(-(?<date>\d{8}|latest))?$/.exec(id) ??
    /^claude-(?<line>haiku|sonnet|opus)-(?<major>\d+)(-(?<minor>\d{1,2}))?(-(?<date>\d{8}|latest))?$/.exec(
      id,
    );
  const { line = "", major = "0", minor = "0", date = "0" } = match?.groups ?? {};
  if (!isLine(line)) return undefined;
  return { line, major: Number(major), minor: Number(minor), date: date === "latest" ? 0 : Number(date) };
}

function newestOf(line: Line, catalogue: readonly string[]): string | undefined {
  return catalogue
    .filter((id) => versionOf(id)?.line === line)
    .reduce<string | undefined>((best, id) => {
      const isBetter = best === undefined || isOlder(versionOf(best), versionOf(id));
      return isBetter ? id : best;
    }, undefined);
}

function isSame(one: Version | undefined, other: Version): boolean {
  return one?.line === other.line && one.major === other.major && one.minor === other.minor;
}

function isOlder(one: Version | undefined, other: Version | undefined): boolean {
  if (one === undefined || other === undefined) return one === undefined && other !== undefined;
  if (one.major !== other.major) return one.major < other.major;
  if (one.minor !== other.minor) return one.minor < other.minor;
  return one.date < other.date;
}

function isLine(text: string): text is Line {
  return text === "haiku" || text === "sonnet" || text === "opus";
}
