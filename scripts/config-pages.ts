import { SECTIONS } from "../src/app/plan/sections.ts";
import type { ConfigKey, ConfigKeys, ConfigSection, SettingsFile } from "../src/session/config-section.ts";

const FOLDER = "docs/configuration";

/** One page for each section of `config.toml` and of profiles, and an index: path below the root, and its text. */
export function configPages(): ReadonlyMap<string, string> {
  const pages = SECTIONS.map((section) => [`${FOLDER}/${section.name}.md`, pageOf(section)] as const);
  return new Map([[`${FOLDER}/README.md`, indexPage()], ...pages]);
}

function indexPage(): string {
  const rows = SECTIONS.map(
    (section) =>
      `| [${titleOf(section)}](${section.name}.md) | ${filesOf(section)} | ${cell(section.about)} |`,
  );
  return lines([
    "# Every setting",
    "",
    "One page for each section of `config.toml` and of profiles, made from the declarations in the code. How to use them is in",
    "[configuration.md](../configuration.md). `cinch profile show` prints the value of each key and where it comes from.",
    "",
    "| section | stands in | |",
    "|---|---|---|",
    ...rows,
  ]);
}

function pageOf(section: ConfigSection): string {
  return lines([
    `# ${titleOf(section)}`,
    "",
    section.about,
    "",
    `It stands in ${filesOf(section)}.${repositoryText(section)}`,
    "",
    "```toml",
    ...exampleOf(section),
    "```",
    "",
    "| key | value | default | meaning |",
    "|---|---|---|---|",
    ...rowsOf(section.keys, ""),
    ...notesOf(section),
  ]);
}

function titleOf({ shape, name, keys }: ConfigSection): string {
  switch (shape) {
    case "top":
      return Object.values(keys)
        .map(({ key }) => `\`${key}\``)
        .join(", ");
    case "table":
      return `\`[${name}]\``;
    case "list":
      return `\`[[${name}]]\``;
    case "named":
      return `\`[${name}.NAME]\``;
  }
}

function filesOf(section: ConfigSection): string {
  const has = (file: SettingsFile) => section.in === undefined || section.in === file;
  const config = has("config")
    ? "`config.toml`"
    : isAliased(section.keys)
      ? "`config.toml` (at the top)"
      : undefined;
  const files = [config, has("profile") ? "a profile" : undefined].filter((file) => file !== undefined);
  return files.join(" and ");
}

function isAliased(keys: ConfigKeys): boolean {
  return Object.values(keys).some(({ configKey }) => configKey !== undefined);
}

function repositoryText(section: ConfigSection): string {
  const { keys, inRepositoryProfile } = section;
  const tightened = Object.values(keys).filter(({ project }) => project === "restrict");
  const settings =
    tightened.length === 0
      ? " A repository's `.cinch/config.toml` cannot set it."
      : ` A repository's \`.cinch/config.toml\` can only tighten ${list(tightened.map((key) => `\`${nameIn(key)}\``))}${section.in === "profile" ? ", at the top of the file" : ""}.`;
  return inRepositoryProfile === true ? `${settings} A profile in a repository may hold it.` : settings;
}

function nameIn({ configKey, key }: ConfigKey): string {
  return configKey ?? key;
}

function exampleOf({ shape, name, keys }: ConfigSection): readonly string[] {
  const plainKeys = Object.values(keys).filter((key) => key.kind !== "tables");
  const shown = plainKeys.filter((key) => key.key !== "url" && !WITH_URL.includes(`${name}.${key.key}`));
  const body = shown.map((key) => `${key.key} = ${toml(key.example)}`);
  const inner = Object.values(keys).flatMap((key) =>
    key.kind === "tables"
      ? [
          "",
          `[[${name}.mine.${key.key}]]`,
          ...Object.values(key.keys).map((each) => `${each.key} = ${toml(each.example)}`),
        ]
      : [],
  );
  switch (shape) {
    case "top":
      return body;
    case "table":
      return [`[${name}]`, ...body];
    case "list":
      return [`[[${name}]]`, ...body];
    case "named":
      return [name === "prices" ? '[prices."local:qwen3-coder"]' : `[${name}.mine]`, ...body, ...inner];
  }
}

/** Keys of a server at an address, which goes without the keys of a program. */
const WITH_URL: readonly string[] = [
  ...["headers", "bearer", "client_id", "scopes", "transport"].map((key) => `mcp_servers.${key}`),
];

function rowsOf(keys: ConfigKeys, before: string): readonly string[] {
  return Object.values(keys).flatMap((key) => {
    const name = `\`${before}${key.key}\``;
    const alias = aliasText(key);
    const row = `| ${name}${alias} | ${valueText(key)} | ${defaultText(key)} | ${cell(key.meaning)} |`;
    return key.kind === "tables" ? [row, ...rowsOf(key.keys, `${key.key}.`)] : [row];
  });
}

/** Returns where config.toml has a key of a profile's table, and its name there if it has another. */
function aliasText({ key, configKey }: ConfigKey): string {
  if (configKey === undefined) return "";
  return configKey === key ? " (config.toml: at the top)" : ` (config.toml: \`${configKey}\`)`;
}

function valueText(key: ConfigKey): string {
  switch (key.kind) {
    case "boolean":
      return "`true` or `false`";
    case "integer":
    case "number":
    case "seconds":
      return `${key.kind === "integer" ? "whole number" : "number"} from ${key.min}${key.max === undefined ? "" : ` to ${key.max}`}${key.unit === undefined ? "" : `, ${key.unit}`}`;
    case "duration":
      return `length of time such as \`"90s"\`, \`"20m"\`, \`"2h"\`${key.zero === undefined ? "" : `; \`"0s"\`: ${key.zero}`}`;
    case "text":
      return "text";
    case "word":
      return key.words.map((word) => `\`"${word}"\``).join(", ");
    case "texts":
      return "list of texts";
    case "text-table":
      return "table of texts";
    case "tables":
      return "list of tables";
  }
}

function defaultText(key: ConfigKey): string {
  const { required, environment, otherwise } = key;
  if (required !== undefined) return "mandatory";
  const fallback = typeof key.default === "function" ? key.default({}) : key.default;
  if (fallback !== undefined) return `\`${toml(fallback)}\``;
  const variables = (environment ?? []).map((name) => `\`${name}\``);
  return [...variables, ...(otherwise === undefined ? [] : [otherwise])].join(", else ") || "none";
}

/** Returns the precedence of keys for which config.toml does not simply replace the profile. */
function notesOf(section: ConfigSection): readonly string[] {
  const { keys, shape } = section;
  const notes = Object.values(keys).flatMap((key) => {
    const name = `\`${key.key}\``;
    const tightened =
      key.merge === "lower" ? [`${name}: the tightest value counts, wherever it stands.`] : [];
    const added = key.merge === "add" ? [`${name}: the lists of all files are added.`] : [];
    const first =
      key.ownProfileFirst === true
        ? [
            `${name}: a profile file of your own goes before \`config.toml\`, a profile of the program behind it.`,
          ]
        : [];
    const flag = key.flag === undefined ? [] : [`${name}: \`${key.flag.name}\` goes before every file.`];
    const project =
      key.project === "restrict" && key.merge !== "add"
        ? [`${name}: an acknowledged value of the repository goes before all of these if it is tighter.`]
        : [];
    return [...flag, ...tightened, ...added, ...first, ...project];
  });
  const own = section.in === "config" ? "No profile can set it." : "Only a profile can set it.";
  const both = "`config.toml` goes before the profile, and both before the default.";
  const added = "Entries of `config.toml` and of the profile are added.";
  const general = section.in !== undefined && !isAliased(keys) ? own : shape === "list" ? added : both;
  return ["", "## What wins", "", `- ${general}`, ...notes.map((note) => `- ${note}`)];
}

/** A value as TOML writes it. JSON writes texts, numbers, booleans and lists alike. */
function toml(value: unknown): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return JSON.stringify(value);
  const entries = Object.entries(value).map(
    ([name, each]) => `${/^[\w-]+$/.test(name) ? name : JSON.stringify(name)} = ${toml(each)}`,
  );
  return `{ ${entries.join(", ")} }`;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

function list(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

function lines(text: readonly string[]): string {
  return `${text.join("\n")}\n`;
}
