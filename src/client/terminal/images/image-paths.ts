import { isAbsolute, join } from "node:path";
import { HarnessError, messageOf } from "../../../base/errors.ts";
import { codeOf } from "../../../base/world.ts";
import { ATTACHMENT_BYTES_MAX, ATTACHMENTS_PER_INPUT_MAX } from "../../../protocol/commands/run-limits.ts";
import { MENTION, SENTENCE_END } from "../../../view/slash/mention-pattern.ts";
import type { Host } from "../host/host.ts";
import type { DraftImage } from "./draft-image.ts";
import { draftImage } from "./draft-image.ts";

const IMAGE_NAME = /\.(?:png|jpe?g|gif|webp)$/i;
/** A path that a terminal pastes for a dropped file: in quotes, with escaped blanks, or as a URL. */
const WORD = /"([^"\n]+)"|'([^'\n]+)'|((?:\\.|[^\s"'\\])+)/gy;
const PASTED_CHARACTERS_MAX = 16_384;

export interface ImageLocation {
  readonly host: Pick<Host, "read" | "environment">;
  /** Folder that relative paths begin in. */
  readonly workingDir: string;
}

/** A mention of a file with the name of an image. */
export interface ImageMention {
  readonly from: number;
  readonly to: number;
  readonly path: string;
}

/** Returns the paths of images that a pasted text consists of; undefined if it has anything else. */
export function pastedImagePaths(pasted: string): readonly string[] | undefined {
  const text = pasted.trim();
  if (text === "" || text.length > PASTED_CHARACTERS_MAX) return undefined;
  const words = wordsOf(text);
  const isEach = words !== undefined && words.length <= ATTACHMENTS_PER_INPUT_MAX && words.every(isImageName);
  if (isEach) return words;
  // A path with bare blanks.
  const isOne = /^(?:\/|~\/|\.{1,2}\/)[^\n"']+$/.test(text) && IMAGE_NAME.test(text);
  return isOne ? [text] : undefined;
}

/** Returns the mentions in a text, by the engine's rule, that name images by their endings. */
export function imageMentions(text: string): readonly ImageMention[] {
  return [...text.matchAll(MENTION)].flatMap(({ 1: quoted, 2: bare = "", index }) => {
    const path = quoted ?? bare.replace(SENTENCE_END, "");
    const to = index + (quoted === undefined ? `@${path}` : `@"${path}"`).length;
    return isImageName(path) ? [{ from: index, to, path }] : [];
  });
}

/**
 * Reads an image of this machine. Returns undefined if there is no such file, or no image in it.
 * @throws HarnessError if it is larger than an attachment may be.
 */
export async function readImage(
  path: string,
  { host, workingDir }: ImageLocation,
): Promise<DraftImage | undefined> {
  const full = fullPath(path, host.environment["HOME"] ?? "", workingDir);
  try {
    return draftImage(await host.read(full, ATTACHMENT_BYTES_MAX), path);
  } catch (thrown) {
    // Words that look like a path name no file: they stay words.
    if (codeOf(thrown) !== undefined) return undefined;
    if (thrown instanceof HarnessError) throw thrown;
    throw new HarnessError("UsageInvalid", { problem: messageOf(thrown) }, { cause: thrown });
  }
}

function isImageName(word: string): boolean {
  return IMAGE_NAME.test(word);
}

function wordsOf(text: string): readonly string[] | undefined {
  const words: string[] = [];
  WORD.lastIndex = 0;
  while (WORD.lastIndex < text.length) {
    const [, double, single, bare] = WORD.exec(text) ?? [];
    const word = double ?? single ?? bare?.replaceAll(/\\(.)/g, "$1");
    if (word === undefined) return undefined;
    words.push(word);
    const blank = /\s+|$/y;
    blank.lastIndex = WORD.lastIndex;
    if (blank.exec(text) === null) return undefined;
    WORD.lastIndex = blank.lastIndex;
  }
  return words;
}

function fullPath(path: string, home: string, workingDir: string): string {
  if (path.startsWith("file://")) return decodedUrl(path);
  if (path.startsWith("~/")) return join(home, path.slice(2));
  return isAbsolute(path) ? path : join(workingDir, path);
}

function decodedUrl(url: string): string {
  try {
    return decodeURIComponent(new URL(url).pathname);
  } catch (thrown) {
    // No URL, or broken escapes in it: the words name no file.
    if (!(thrown instanceof TypeError) && !(thrown instanceof URIError)) throw thrown;
    return url;
  }
}
