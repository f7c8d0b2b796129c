import { frontMatter, NOT_CLOSED } from "../base/front-matter.ts";
import { isObject } from "../base/json.ts";
import { HEAD_CHARACTERS_MAX, readHead } from "../base/markdown-head.ts";
import { near } from "../base/near.ts";
import { head as headOf } from "../base/text.ts";
import type { HeadProblem, YamlHead } from "../base/yaml-head.ts";
import type { AgentDefinition, ToolGrant } from "./definition.ts";

/** What a file said; `told` are sentences about what was passed over in one that is good all the same. */
export type ReadDefinition =
  | {
      readonly kind: "agent";
      readonly agent: AgentDefinition;
      readonly told: readonly FieldProblem[];
      /** The line of the field `tools`. */
      readonly toolsLine: number;
    }
  | ({ readonly kind: "problem" } & FieldProblem);

/** What is wrong, in which line, counted from 1, and with which field where it is one. */
export interface FieldProblem extends HeadProblem {
  readonly field?: string;
}

export interface DefinitionPlace {
  readonly path: string;
  readonly scope: "user" | "project";
}

const PROMPT_CHARACTERS_MAX = 100_000;
const DESCRIPTION_CHARACTERS_MAX = 1_024;
const LIST_ITEMS_MAX = 100;
const ROUNDS_MAX = 1_000;
const NAME = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;
const FIELDS = [
  "name",
  "description",
  "model",
  "tools",
  "disallowedTools",
  "skills",
  "maxTurns",
  "worktree",
  "isolation",
];
/** Of the format's other readers: they mean nothing here, and nobody has misspelt them. */
const FOREIGN_FIELDS = new Set([
  "color",
  "permissionMode",
  "hooks",
  "mcpServers",
  "memory",
  "effort",
  "background",
]);
/** Names that other readers of the format have for tools of ours. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["Task", "Agent"],
  ["LS", "Ls"],
]);
const GRANT = /^([A-Za-z0-9_*-]{1,128})(?:\(([^()]*)\))?$/;

/**
 * Reads one agent definition: a head between lines of `---`, then Markdown, which is its instructions (RUN-03).
 *
 * Every restriction that a head names is kept or the file is refused: none is passed over. Never throws, whatever the text
 * is, and takes time in proportion to it.
 */
export async function readDefinition(text: string, place: DefinitionPlace): Promise<ReadDefinition> {
  const parts = frontMatter(text);
  if (parts.kind === "headless") return problem(1, "it does not begin with a line of ---");
  if (parts.kind === "open") return problem(1, NOT_CLOSED);
  const { body: prompt, bodyLine } = parts;
  if (parts.head.join("\n").length > HEAD_CHARACTERS_MAX)
    return problem(1, `its head has more than ${HEAD_CHARACTERS_MAX} characters`);
  const head = await readHead(parts.head);
  if (head.kind === "problem") return problem(head.line + 1, head.problem);
  if (prompt === "") return problem(bodyLine - 1, "there are no instructions behind its head");
  if (prompt.length > PROMPT_CHARACTERS_MAX)
    return problem(bodyLine, `its instructions have more than ${PROMPT_CHARACTERS_MAX} characters`);
  try {
    return definitionOf(head, { ...place, prompt });
  } catch (thrown) {
    if (thrown instanceof Wrong) return { kind: "problem", ...thrown.problem };
    throw thrown;
  }
}

/** A field that is none; never leaves this file. */
class Wrong extends Error {
  readonly problem: FieldProblem;

  constructor(told: FieldProblem) {
    super(told.problem);
    this.problem = told;
  }
}

type Head = Extract<YamlHead, { kind: "value" }>;

function definitionOf(
  { value, lineOf }: Head,
  { path, scope, prompt }: DefinitionPlace & { readonly prompt: string },
): ReadDefinition {
  if (!isObject(value)) return problem(2, "its head is no list of keys and values");
  const at = (field: string) => ({ field, line: lineOf(field) + 1 });
  const wrong = (field: string, told: string) => new Wrong({ ...at(field), problem: told });

  function words(field: string): string | undefined {
    const found = value?.[field as keyof typeof value] as unknown;
    if (found === undefined || found === null) return undefined;
    if (typeof found !== "string") throw wrong(field, "must be a text");
    const line = found.toWellFormed().replaceAll(/\s+/g, " ").trim();
    return headOf(line, DESCRIPTION_CHARACTERS_MAX).trim();
  }

  function list(field: string): readonly string[] | undefined {
    const found = value?.[field as keyof typeof value] as unknown;
    if (found === undefined || found === null) return undefined;
    const items = typeof found === "string" ? splitList(found) : found;
    if (!Array.isArray(items) || !items.every((item) => typeof item === "string"))
      throw wrong(field, "must be a list of names, or names with commas between them");
    if (items.length > LIST_ITEMS_MAX) throw wrong(field, `has more than ${LIST_ITEMS_MAX} entries`);
    return items.map((item) => item.trim()).filter((item) => item !== "");
  }

  const name = words("name");
  if (name === undefined) throw wrong("name", "is missing");
  if (!NAME.test(name)) throw wrong("name", "must be 1 to 64 small letters, digits and -");
  const description = words("description");
  if (description === undefined || description === "") throw wrong("description", "is missing");
  const model = words("model");
  const rounds = value["maxTurns"];
  if (
    rounds !== undefined &&
    !(Number.isSafeInteger(rounds) && Number(rounds) >= 1 && Number(rounds) <= ROUNDS_MAX)
  )
    throw wrong("maxTurns", `must be a whole number from 1 to ${ROUNDS_MAX}`);
  const worktree = value["worktree"];
  if (worktree !== undefined && typeof worktree !== "boolean")
    throw wrong("worktree", "must be true or false");
  const isolation = words("isolation");
  if (isolation !== undefined && isolation !== "worktree") throw wrong("isolation", 'must be "worktree"');
  const tools = list("tools")?.map((grant) => grantOf(grant, (told) => wrong("tools", told)));
  return {
    kind: "agent",
    agent: {
      name,
      description,
      scope,
      path,
      ...(model === undefined || model === "" || model === "inherit" ? {} : { model }),
      ...(tools === undefined ? {} : { tools }),
      disallowedTools: (list("disallowedTools") ?? []).map((denied) => {
        const grant = grantOf(denied, (told) => wrong("disallowedTools", told));
        if (grant.only !== undefined)
          throw wrong("disallowedTools", `"${denied}": a whole tool is left out, or none`);
        return grant.name;
      }),
      skills: list("skills") ?? [],
      ...(rounds === undefined ? {} : { roundsMax: Number(rounds) }),
      worktree: worktree === true || isolation === "worktree",
      prompt,
    },
    toolsLine: at("tools").line,
    told: Object.keys(value).flatMap((field): FieldProblem[] => {
      if (FIELDS.includes(field) || FOREIGN_FIELDS.has(field)) return [];
      const [meant] = near(field, FIELDS);
      const hint = meant === undefined ? "" : `; did you mean "${meant}"?`;
      return [{ ...at(field), problem: `is not known and has no effect${hint}` }];
    }),
  };
}

/** Commas between brackets divide nothing here. */
function splitList(text: string): readonly string[] {
  return text.split(/,(?![^()]*\))/);
}

function grantOf(text: string, wrong: (told: string) => Wrong): ToolGrant {
  const [, named = "", inner] = GRANT.exec(text) ?? [];
  if (named === "") throw wrong(`"${text}" is no tool: write Name, or Bash(git, gh) for some programs alone`);
  const name = ALIASES.get(named) ?? named;
  if (inner === undefined) return { name };
  if (name !== "Bash" && name !== "Agent")
    throw wrong(`"${text}": only Bash and Agent can be granted in part`);
  // Other readers write `git:*` for whatever follows the program.
  const only = inner.split(",").map((each) => each.trim().replace(/(?::\*| \*)$/, ""));
  const odd = only.find((each) => !/^[A-Za-z0-9][\w.+-]*$/.test(each));
  if (odd !== undefined)
    throw wrong(
      `"${text}": ${JSON.stringify(odd)} is no ${name === "Bash" ? "name of a program" : "kind of agent"}; further words cannot be asked for`,
    );
  return { name, only };
}

function problem(line: number, told: string): ReadDefinition {
  return { kind: "problem", line, problem: told };
}
