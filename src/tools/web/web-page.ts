import type TurndownService from "turndown";

/** Limit of the HTML to convert after everything that is not text was removed: the time grows with it. */
export const HTML_CHARACTERS_MAX = 256 * 1024;
/** Real pages are less deep. The converter recurses per level, and takes quadratic time for open tags. */
const DEPTH_MAX = 200;
const TITLE_CHARACTERS_MAX = 300;

/** A page as the model reads it. */
export interface PageText {
  readonly text: string;
  readonly title?: string;
  /** True if something was left out for its size. */
  readonly cut: boolean;
}

/** Returns the text type of a content type; undefined if it is no text. */
export function textKind(contentType: string, body: Uint8Array): "html" | "text" | undefined {
  const type = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
  if (type === "text/html" || type === "application/xhtml+xml") return "html";
  if (type.startsWith("text/")) return "text";
  if (/^application\/(?:.*\+)?(?:json|xml|yaml|x-yaml|toml|javascript|x-ndjson|x-sh)$/.test(type))
    return "text";
  if (type !== "" || body.includes(0)) return undefined;
  return /^\s*<(?:!doctype|html)/i.test(decodePage(body.subarray(0, 512), "")) ? "html" : "text";
}

/** Decodes a body by the character set that its header or its first bytes name; else UTF-8. */
export function decodePage(body: Uint8Array, contentType: string): string {
  const start = Buffer.from(body.subarray(0, 1024)).toString("latin1");
  const named =
    /charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType)?.[1] ??
    /<meta[^>]{0,256}charset\s*=\s*["']?([\w.:-]+)/i.exec(start)?.[1] ??
    "utf-8";
  return decoderFor(named).decode(body);
}

function decoderFor(label: string): TextDecoder {
  try {
    return new TextDecoder(label as Bun.Encoding);
  } catch {
    return new TextDecoder(); // unknown character set: read what can be read
  }
}

/**
 * Converts HTML to Markdown: without scripts, styles, hidden parts and comments, with absolute links, and images as
 * their descriptions (S58). HTML that is nested too deeply becomes plain text.
 */
export async function htmlToMarkdown(html: string, url: string): Promise<PageText> {
  const { mainHtml, title, depth } = prune(html);
  const cut = mainHtml.length > HTML_CHARACTERS_MAX;
  const part = cut ? mainHtml.slice(0, HTML_CHARACTERS_MAX) : mainHtml;
  const text = depth > DEPTH_MAX ? plainText(part) : (await converter(url)).turndown(part);
  return { text: text.trim(), cut, ...(title === "" ? {} : { title }) };
}

interface Pruned {
  readonly mainHtml: string;
  readonly title: string;
  /** Maximum number of open elements, according to the tags. */
  readonly depth: number;
}

const DROPPED =
  "script,style,noscript,template,svg,math,iframe,object,embed,canvas,video,audio,button,input,select,textarea,nav,head,dialog,[hidden],[aria-hidden=true]";
const KEPT_ATTRIBUTES = new Set(["href", "alt", "class"]);
// Their end tags are optional in HTML, so they say nothing about the depth.
const UNCLOSED = new Set([
  "p",
  "li",
  "dt",
  "dd",
  "tr",
  "td",
  "th",
  "thead",
  "tbody",
  "tfoot",
  "option",
  "colgroup",
]);

function prune(html: string): Pruned {
  let title = "";
  let depth = 0;
  let open = 0;
  const pruned = new HTMLRewriter()
    .on("title", {
      text(chunk) {
        if (title.length < TITLE_CHARACTERS_MAX) title += chunk.text;
      },
    })
    .on(DROPPED, { element: (element) => void element.remove() })
    .on("*", {
      element(element) {
        for (const [name] of [...element.attributes]) {
          if (!KEPT_ATTRIBUTES.has(name)) element.removeAttribute(name);
        }
        if (!element.canHaveContent || element.selfClosing || UNCLOSED.has(element.tagName)) return;
        open++;
        depth = Math.max(depth, open);
        element.onEndTag(() => void open--);
      },
    })
    .onDocument({ comments: (comment) => void comment.remove() })
    .transform(html);
  return { mainHtml: pruned, title: title.replaceAll(/\s+/g, " ").trim(), depth };
}

/** Extracts the text alone, a line for each element. */
function plainText(html: string): string {
  const parts: string[] = [];
  new HTMLRewriter()
    .on("*", { element: () => void parts.push("\n") })
    .onDocument({ text: (chunk) => void parts.push(chunk.text) })
    .transform(html);
  return parts
    .join("")
    .replaceAll(/[ \t]+/g, " ")
    .replaceAll(/\s*\n\s*/g, "\n");
}

/** Loaded with the first page. */
async function converter(base: string): Promise<TurndownService> {
  const { default: Turndown } = await import("turndown");
  const service = new Turndown({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
    hr: "---",
  });
  service.addRule("image", {
    filter: "img",
    replacement: (_content, node) => attribute(node, "alt"),
  });
  service.addRule("link", {
    filter: "a",
    replacement(content, node) {
      const target = URL.parse(attribute(node, "href"), base);
      const isPage = target?.protocol === "https:" || target?.protocol === "http:";
      const words = content.replaceAll(/\s+/g, " ").trim();
      return words === "" || target === null || !isPage ? words : `[${words}](${target.href})`;
    },
  });
  service.addRule("cell", {
    filter: ["th", "td"],
    replacement: (content) => ` ${content.replaceAll(/\s+/g, " ").replaceAll("|", "\\|").trim()} |`,
  });
  service.addRule("row", {
    filter: "tr",
    replacement: (content, node) => `\n|${content}${headingLine(node)}`,
  });
  return service;
}

function headingLine(node: TurndownService.Node): string {
  const cells = Array.from((node as unknown as Element).children);
  const isHeading = cells.length > 0 && cells.every((cell) => cell.nodeName === "TH");
  return isHeading ? `\n|${" --- |".repeat(cells.length)}` : "";
}

function attribute(node: TurndownService.Node, name: string): string {
  return (node as unknown as Element).getAttribute(name)?.replaceAll(/\s+/g, " ").trim() ?? "";
}
