import { ToolFailure } from "../tool.ts";

const GLOB_CHARACTERS_MAX = 4_096;
/** A file name pattern with the same meaning for ripgrep, so that ripgrep can skip other files. */
const SIMPLE_NAME = /^[\w.*?-]+(?:\{[\w.,*?-]+\}[\w.*?-]*)?$/;

/** Matches a glob against paths relative to the searched directory. */
export interface NameFilter {
  /** Arguments that make ripgrep skip most other files; `.gitignore` still applies. */
  readonly args: readonly string[];
  fits(path: string): boolean;
}

/**
 * Parses a glob: `*`, `?`, `[…]`, `{a,b}`, `**` over folders, a leading `!` to negate.
 *
 * A glob without a slash matches file names at any depth, as in ripgrep. It only narrows a search: ripgrep's own
 * `--glob` would include files that `.gitignore` excludes.
 * @throws ToolFailure
 */
export async function parseNameFilter(glob: string, anyDepth = !glob.includes("/")): Promise<NameFilter> {
  if (glob.length > GLOB_CHARACTERS_MAX) {
    throw new ToolFailure(`The glob is longer than ${GLOB_CHARACTERS_MAX} characters.`);
  }
  const { default: picomatch } = await import("picomatch");
  const fits = picomatch(glob, { dot: true, basename: anyDepth, flags: "s" });
  const name = glob.slice(glob.lastIndexOf("/") + 1);
  // "s" lets `**` match line feeds in names. A name of stars alone excludes nothing.
  const helps = SIMPLE_NAME.test(name) && !/^\*+$/.test(name);
  return { args: helps ? [`--type-add=cinch:${name}`, "--type=cinch"] : [], fits: (path) => fits(path) };
}
