declare module "*.sh" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: a text import has no other name
  export default text;
}

declare module "*.md" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: a text import has no other name
  export default text;
}

declare module "*/uptime-words" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: a text import has no other name
  export default text;
}

declare module "*.jsonl" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: a text import has no other name
  export default text;
}
