/** A piece of text, or an element with pieces in it. */
export type MarkdownNode = string | MarkdownElement;

export interface MarkdownElement {
  /** Name of an HTML element, such as `strong`. */
  readonly type: unknown;
  readonly props: {
    readonly children?: readonly MarkdownNode[];
    readonly href?: string;
    readonly src?: string;
    readonly alt?: string;
    readonly align?: "left" | "center" | "right";
  };
}

const OPTIONS = { tables: true, strikethrough: true, tasklists: false, autolinks: true } as const;

/** Returns the blocks of a Markdown text as Bun reads them: CommonMark with tables, struck text and bare links. */
export function parseMarkdown(source: string): readonly MarkdownElement[] {
  const root = Bun.markdown.react(source, undefined, OPTIONS) as unknown as MarkdownElement;
  return childrenOf(root).filter((child) => typeof child !== "string");
}

export function childrenOf({ props }: MarkdownElement): readonly MarkdownNode[] {
  return props.children ?? [];
}

/** Returns the elements of one type at any depth of a table, in their order. */
export function elementsIn(element: MarkdownElement, type: string): readonly MarkdownElement[] {
  return childrenOf(element).flatMap((child) =>
    typeof child === "string" ? [] : child.type === type ? [child] : elementsIn(child, type),
  );
}
