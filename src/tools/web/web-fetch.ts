import { deadline } from "../../base/async/deadline.ts";
import { sizeText } from "../../base/text/size-text.ts";
import { fence } from "../../safety/fence.ts";
import { visibleLine } from "../../safety/hidden.ts";
import type { InputOf } from "../arguments.ts";
import { errorOutput, textOutput } from "../output.ts";
import type { CallPlan, Tool, ToolContext, ToolOutput } from "../tool.ts";
import { ToolFailure } from "../tool.ts";
import type { ToolFacts } from "../tool-facts.ts";
import type { FetchedPage, RedirectedPage } from "./public-fetch.ts";

const FETCH_MS_MAX = 30_000;
/** Limit per session, so that an allowed host is no channel to leak data bit by bit (S55). */
const FETCHES_MAX = 200;

export const WEB_FETCH_FACTS: ToolFacts = {
  name: "WebFetch",
  packs: ["web"],
  effect: "reads-network",
  subject: "url",
  mutating: false,
  level: "WorkspaceWrite",
  autoAllowed: "never",
  output: "foreign",
  kind: "fetch",
  inSubAgents: "granted",
};

const INPUT = { type: "object", properties: { url: { type: "string" } }, required: ["url"] } as const;

interface FetchPlan extends CallPlan {
  readonly url: URL;
}

/**
 * Reads one page of the public internet as Markdown (TOOL-04).
 *
 * The content is fenced as foreign. One instance per session: it counts its fetches.
 */
export function webFetchTool(): Tool<FetchPlan> {
  let fetches = 0;
  return {
    ...WEB_FETCH_FACTS,
    description: "Fetches a public web page or text file and returns it as Markdown.",
    aliases: { uri: "url" },
    inputSchema: INPUT,
    msMax: FETCH_MS_MAX + 5_000,
    async plan(input) {
      const { parsePageUrl, refusePrivateAddress } = await import("./public-fetch.ts"); // few sessions read pages
      const url = parsePageUrl((input as InputOf<typeof INPUT>).url);
      refusePrivateAddress(url);
      return { summary: "WebFetch", target: { kind: "url", url: url.href }, url };
    },
    async run({ url }, context) {
      fetches += 1;
      if (fetches > FETCHES_MAX) {
        throw new ToolFailure(`This session has fetched ${FETCHES_MAX} pages, which is as many as one may.`);
      }
      return await run(url, context);
    },
  };
}

async function run(url: URL, { world, signal }: ToolContext): Promise<ToolOutput> {
  using limit = deadline(world.clock, FETCH_MS_MAX, signal);
  try {
    const { fetchPublic } = await import("./public-fetch.ts");
    const answer = await fetchPublic(world, url, limit.signal);
    return "movedTo" in answer ? renderRedirect(url, answer) : await renderPage(url, answer);
  } catch (thrown) {
    if (limit.reached) throw new ToolFailure(`${url.host} did not answer within ${FETCH_MS_MAX / 1000} s.`);
    throw thrown;
  }
}

function renderRedirect(asked: URL, { movedTo }: RedirectedPage): ToolOutput {
  const where = fence("web-page", movedTo) ?? "";
  return textOutput(`${asked.href} redirects to another place. Fetch that address if you want it:\n${where}`);
}

/** Builds the result. All text from the server is inside the fence. */
async function renderPage(asked: URL, answer: FetchedPage): Promise<ToolOutput> {
  const { WEB_PAGE_BYTES_MAX } = await import("./public-fetch.ts");
  const { decodePage, htmlToMarkdown, textKind } = await import("./web-page.ts");
  const { url, status, contentType, body } = answer;
  const kind = textKind(contentType, body);
  if (kind === undefined) {
    const size = `${answer.cut ? "more than " : ""}${sizeText(body.length)}`;
    throw new ToolFailure(
      `${asked.href} is ${visibleLine(contentType).slice(0, 100)} of ${size}: no text to read.`,
    );
  }
  const decoded = decodePage(body, contentType);
  const page = kind === "html" ? await htmlToMarkdown(decoded, url) : { text: decoded, cut: false };
  const notes = [
    ...(status === 200 ? [] : [`[The server answered ${status}]`]),
    ...(answer.cut ? [`[Only the first ${sizeText(WEB_PAGE_BYTES_MAX)} were read]`] : []),
    ...(page.cut ? ["[The page is long; its end is left out]"] : []),
  ];
  const title = page.title === undefined ? "" : `Title: ${page.title}\n\n`;
  const fenced = fence("web-page", title + page.text) ?? "(no text)";
  const text = [asked.href, ...notes, fenced].join("\n");
  return status >= 400 ? errorOutput(text) : textOutput(text);
}
