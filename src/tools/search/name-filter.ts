import { ToolFailure } from "../tool.ts";

const GLOB_CHARACTERS_MAX = 4_096;
/** A file name pattern that ripgrep and we read alike, so that ripgrep can pass over what does not fit. */
const SIMPLE_NAME = /^[\w.*?-]+(?:\{[\w.,*?-]+\}[\w.*?-]*)?$/;

/** Tells which files a glob means, by their paths relative to the searched directory. */
export interface NameFilter {
  /** Arguments with which ripgrep leaves out most of what does not fit, `.gitignore` still counting. */
  readonly args: readonly string[];
  fits(path: string): boolean;
}

/**
 * Reads a glob: `*`, `?`, `[…]`, `{a,b}`, `**` over folders, `!` in front for all others.
 *
 * One without a slash is compared with file names at any depth, as ripgrep does. It only narrows a search: ripgrep's own
 * `--glob` would bring back what `.gitignore` leaves out.
 * @throws ToolFailure
 */
export async function nameFilter(glob: string, anyDepth = !glob.includes("/")): Promise<NameFilter> {
  if (glob.length > GLOB_CHARACTERS_MAX) {
    throw new ToolFailure(`The glob is longer than ${GLOB_CHARACTERS_MAX} characters.`);
  }
  const { default: picomatch } = await import("picomatch");
  const fits = picomatch(glob, { dot: true, basename: anyDepth, flags: "s" });
  const name = glob.slice(glob.lastIndexOf("/") + 1);
  // "s" lets `**` pass over line feeds in names. A name of stars alone leaves nothing out.
  const helps = SIMPLE_NAME.test(name) && !/^\*+$/.test(name);
  return { args: helps ? [`--type-add=cinch:${name}`, "--type=cinch"] : [], fits: (path) => fits(path) };
}
