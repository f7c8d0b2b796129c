/** Colours, or none. */
export interface Palette {
  dim(text: string): string;
  bold(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  tool(text: string): string;
}

export function palette(isColoured: boolean): Palette {
  const paint = (code: number) => (text: string) =>
    isColoured && text !== "" ? `\x1b[${code}m${text}\x1b[0m` : text;
  return { dim: paint(2), bold: paint(1), good: paint(32), bad: paint(31), tool: paint(36) };
}
