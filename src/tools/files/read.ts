import { nearestWords } from "../../base/text/near.ts";
import { sizeText } from "../../base/text/size-text.ts";
import type { OpenFile } from "../../base/world.ts";
import type { InputOf } from "../arguments.ts";
import { FILE_PATH } from "../arguments.ts";
import { textOutput } from "../output.ts";
import type { ResolvedPath } from "../paths.ts";
import { escapeControls, fileFailure, pathPlan, resolvePath } from "../paths.ts";
import type { CallPlan, Tool, ToolContext, ToolOutput } from "../tool.ts";
import { ToolFailure } from "../tool.ts";
import type { ToolFacts } from "../tool-facts.ts";
import { openPlanned } from "./open-planned.ts";
import { readWhole, recordSeenFile, sha256Of } from "./seen-files.ts";
import type { FileContent } from "./text/file-content.ts";
import { detectFileContent } from "./text/file-content.ts";
import type { Page } from "./text/page.ts";
import { readPage } from "./text/page.ts";
import { detectEncoding } from "./text/text-file.ts";

const LINES_DEFAULT = 2_000;
/** Most source files are read whole by the first read. */
const FIRST_BYTES = 65_536;
const IMAGE_BYTES_MAX = 5 * 1024 * 1024;

interface ReadPlan extends CallPlan {
  readonly file: ResolvedPath;
  readonly offset: number;
  readonly limit: number;
}

export const READ_FACTS: ToolFacts = {
  name: "Read",
  packs: ["fs"],
  effect: "reads-files",
  subject: "file_path",
  mutating: false,
  level: "ReadOnly",
  autoAllowed: "known-reads",
  output: "own",
  kind: "read",
  inSubAgents: "granted",
};

const INPUT = {
  type: "object",
  properties: {
    file_path: { type: "string" },
    offset: { type: "integer", description: "first line" },
    limit: { type: "integer" },
  },
  required: ["file_path"],
} as const;

/** Shows a text file page by page with line numbers, or an image (TOOL-01, TOOL-12). */
export const readTool: Tool<ReadPlan> = {
  ...READ_FACTS,
  description:
    "Reads a text file as numbered lines, or an image. Long files come in pages: go on with offset.",
  aliases: FILE_PATH,
  inputSchema: INPUT,
  async plan(input, context) {
    const { file_path, offset = 1, limit = LINES_DEFAULT } = input as InputOf<typeof INPUT>;
    const file = await resolvePath(file_path, context);
    // Not in the schema, which every request carries: a 0 can only mean the beginning.
    return {
      ...pathPlan("Read", file, ["read"]),
      file,
      offset: Math.max(1, offset),
      limit: Math.max(1, limit),
    };
  },
  async run(plan, context) {
    const opened = await openPlanned(plan.file, context);
    if (opened === undefined) throw new ToolFailure(await missingText(plan.file, context));
    await using file = opened;
    try {
      return await readOpened(file, plan, context);
    } catch (thrown) {
      throw fileFailure(thrown, plan.file.shown);
    }
  },
};

async function readOpened(file: OpenFile, plan: ReadPlan, context: ToolContext): Promise<ToolOutput> {
  const { signal } = context;
  const { shown, path } = plan.file;
  const beginning = await file.read(0, FIRST_BYTES);
  const content = detectFileContent(beginning);
  if (content.kind === "binary") throw new ToolFailure(binaryText(shown, content.what, file.info.size));
  if (content.kind === "image") return await readImage(file, { plan, context, content });

  const encoding = detectEncoding(beginning);
  const page = await readPage(withBeginning(file, beginning), {
    offset: plan.offset,
    limit: plan.limit,
    encoding,
    signal,
  });
  recordSeenFile(path, file.info, { context, sha256: page.sha256 ?? "" });
  if (page.total === 0) return textOutput(`${shown} is empty.`);
  if (page.lines.length === 0 && page.endless === undefined) {
    throw new ToolFailure(`${shown} has ${page.total} lines: there is no line ${plan.offset}`);
  }
  return textOutput(pageText(page, plan.offset));
}

/** Returns the same file with its beginning cached, so that a small file is read once. */
function withBeginning(file: OpenFile, beginning: Uint8Array): OpenFile {
  if (beginning.length === FIRST_BYTES) return file;
  return {
    ...file,
    read: (offset, length) => Promise.resolve(beginning.subarray(offset, offset + length)),
  };
}

function pageText(page: Page, offset: number): string {
  const numbered = page.lines.map((line, i) => `${offset + i}\t${line.replaceAll("\0", "␀")}`).join("\n");
  const notes: string[] = [];
  if (page.next !== undefined) {
    const total = page.total === undefined ? "" : ` of ${page.total}`;
    notes.push(`[lines ${offset}-${page.next - 1}${total}; go on with offset ${page.next}]`);
  }
  if (page.endless === true) notes.push("[the next line goes on without end: reading stops here]");
  if (numbered.includes("\uFFFD")) notes.push("[� stands for bytes that are no valid text]");
  return [numbered, ...notes].filter((part) => part !== "").join("\n");
}

interface ImageRead {
  readonly plan: ReadPlan;
  readonly context: ToolContext;
  readonly content: FileContent & { readonly kind: "image" };
}

async function readImage(file: OpenFile, { plan, context, content }: ImageRead): Promise<ToolOutput> {
  const bytes = file.info.size <= IMAGE_BYTES_MAX ? await readWhole(file) : undefined;
  if (bytes === undefined || bytes.length > IMAGE_BYTES_MAX) {
    const limit = `${IMAGE_BYTES_MAX / 1024 / 1024} MB`;
    throw new ToolFailure(
      `${plan.file.shown} is an image of ${sizeText(file.info.size)}; up to ${limit} can be shown`,
    );
  }
  recordSeenFile(plan.file.path, file.info, { context, sha256: sha256Of(bytes) });
  const data = Buffer.from(bytes).toString("base64");
  return { content: [{ type: "image", source: { type: "base64", media_type: content.mediaType, data } }] };
}

function binaryText(shown: string, what: string, size: number): string {
  return `${shown} is ${what}, ${sizeText(size)}: Read shows text and images only`;
}

/** Suggests files with similar names in the same folder. */
async function missingText(file: ResolvedPath, context: ToolContext): Promise<string> {
  const text = `There is no file ${escapeControls(file.shown)}.`;
  const slash = file.path.lastIndexOf("/");
  const folder = file.path.slice(0, slash) || "/";
  // The folder does not exist either.
  const siblings = await context.world.files.listResolved(folder, 0).catch(() => undefined);
  if (siblings === undefined) return `${text} Its folder does not exist either.`;
  const suggestions = nearestWords(
    file.path.slice(slash + 1),
    siblings.map((entry) => entry.name),
  );
  return suggestions.length === 0
    ? text
    : `${text} In the same folder: ${suggestions.map(escapeControls).join(", ")}.`;
}
