declare module "*.sql" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: a text import has no other name
  export default text;
}
