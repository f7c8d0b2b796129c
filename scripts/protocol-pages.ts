import type { JsonObject } from "../src/base/json.ts";
import { isObject, objectAt, stringAt } from "../src/base/json.ts";
import { COMMAND_RESULTS } from "../src/protocol/commands/results.ts";
import { COMMAND_KINDS, EVENT_KINDS } from "../src/protocol/kinds.ts";
import type { FieldRow } from "./protocol-fields.ts";
import { fieldRows } from "./protocol-fields.ts";

/** Page of each schema with a name that fields refer to. */
const PAGES: Readonly<Record<string, string>> = { Envelope: "events.md#every-event", Command: "commands.md" };

/** Returns the reference of every command and of its answer, from the schemas of the OpenAPI document. */
export function commandsPage(all: JsonObject): string {
  const sections = COMMAND_KINDS.flatMap((kind) => {
    const result = Object.hasOwn(COMMAND_RESULTS, kind) ? rowsOf(`${kind}Result`, all) : [];
    return [
      `## ${kind}`,
      "",
      aboutOf(`${kind}Command`, all),
      "",
      ...fieldTable(withoutBlocks(rowsOf(`${kind}Command`, all), kind === "SendInput")),
      ...(result.length === 0 ? [] : ["The `result` of its answer:", "", ...fieldTable(result)]),
    ];
  });
  return page([
    "# Commands",
    "",
    "A command changes something. REST has an address for each of the common ones and takes every other one at",
    "`POST /v1/sessions/{id}/command`: [REST](../rest.md). A WebSocket takes it as a frame, the SDKs as `send`.",
    "Every command has its `kind`. Fields marked with `?` may be left out. The exact schemas are in",
    "[commands.schema.json](commands.schema.json) and [command-results.schema.json](command-results.schema.json).",
    "",
    "An accepted command is answered with:",
    "",
    ...fieldTable(rowsOf("Accepted", all)),
    ...sections,
  ]);
}

/** Returns the reference of every event, from the schemas of the OpenAPI document. */
export function eventsPage(all: JsonObject): string {
  const [first] = EVENT_KINDS;
  const frame = rowsOf(`${first}Event`, all).filter(({ path }) => !path.startsWith("payload"));
  const sections = EVENT_KINDS.flatMap((kind) => {
    const rows = rowsOf(`${kind}Event`, all)
      .filter(({ path }) => path.startsWith("payload."))
      .map((row) => ({ ...row, path: row.path.slice("payload.".length) }));
    return [`## ${kind}`, "", aboutOf(`${kind}Event`, all), "", ...fieldTable(withoutBlocks(rows, false))];
  });
  return page([
    "# Events",
    "",
    "An engine writes events, and every client of a session gets the same ones in the same order. Ignore kinds and fields that",
    "you do not know. Fields marked with `?` may be absent. The exact schemas are in [events.schema.json](events.schema.json).",
    "",
    "## Every event",
    "",
    "Each event has these fields, its `kind`, and a `payload` with the fields of that kind.",
    "",
    ...fieldTable(frame),
    ...sections,
  ]);
}

/** Returns the parts of the page of queries about the fields of one query and its answer. */
export function querySections(kind: string, result: string, all: JsonObject): readonly string[] {
  const params = rowsOf(`${kind}Query`, all);
  return [
    ...(params.length === 0 ? [] : ["Parameters:", "", ...fieldTable(params)]),
    ...(result === `${kind}Result`
      ? ["Answer:", "", ...fieldTable(withoutBlocks(rowsOf(result, all), false))]
      : [`Answer: ${link(result)}.`, ""]),
  ];
}

/** Returns a section for each schema with a name that the given ones refer to, and those in turn, in order. */
export function referredSections(names: readonly string[], all: JsonObject): readonly string[] {
  const found = new Set<string>();
  const visit = (name: string) => {
    const inside = rowsOf(name, all).flatMap(({ type }) => refsIn(type));
    for (const each of inside) {
      if (found.has(each) || each in PAGES) continue;
      found.add(each);
      visit(each);
    }
  };
  for (const name of names) {
    if (!name.endsWith("Result")) found.add(name);
    visit(name);
  }
  return [...found]
    .sort()
    .flatMap((name) => [`## ${name}`, "", aboutOf(name, all), "", ...fieldTable(rowsOf(name, all))]);
}

function rowsOf(name: string, all: JsonObject): readonly FieldRow[] {
  const schema = all[name];
  return isObject(schema) ? fieldRows(schema, all) : [];
}

function aboutOf(name: string, all: JsonObject): string {
  return (stringAt(objectAt(all, name), "description") ?? "").replaceAll("\n", "\n\n");
}

/** The blocks of a prompt or a result are the same everywhere: one table has them. */
function withoutBlocks(rows: readonly FieldRow[], isShown: boolean): readonly FieldRow[] {
  if (isShown) return rows;
  return rows
    .filter(({ path }) => !/content\[type=/.test(path))
    .map((row) => {
      const isBlocks = /content$/.test(row.path) && row.type.startsWith("list of");
      return isBlocks ? { ...row, type: "list of [blocks](commands.md#sendinput)" } : row;
    });
}

function fieldTable(rows: readonly FieldRow[]): readonly string[] {
  if (rows.length === 0) return [];
  return [
    "| field | type | meaning | since |",
    "|---|---|---|---|",
    ...rows.map(({ path, type, isRequired, about = "" }) => {
      const { text, since } = sinceIn(about);
      const name = `\`${path}\`${isRequired ? "" : "?"}`;
      return `| ${name} | ${linked(type)} | ${cell(text)} | ${since} |`;
    }),
    "",
  ];
}

/** Splits a text into what it says and the version of the protocol that it begins with. */
function sinceIn(about: string): { readonly text: string; readonly since: string } {
  const pattern = / ?Since (?:protocol )?(\d+\.\d+\.\d+)\.?$/;
  return { text: about.replace(pattern, ""), since: pattern.exec(about)?.[1] ?? "" };
}

function linked(type: string): string {
  return cell(type).replaceAll(/REF:(\w+)/g, (_all, name: string) => link(name));
}

function link(name: string): string {
  return `[${name}](${PAGES[name] ?? `queries.md#${name.toLowerCase()}`})`;
}

function refsIn(type: string): readonly string[] {
  return [...type.matchAll(/REF:(\w+)/g)].map(([, name = ""]) => name);
}

function cell(text: string): string {
  return text.replaceAll("\n", " ").replaceAll("|", "\\|").replaceAll("<", "\\<");
}

function page(lines: readonly string[]): string {
  return `${lines.join("\n").trimEnd()}\n`;
}
