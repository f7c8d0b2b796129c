import type { JsonObject } from "../../../base/json.ts";
import { isObject } from "../../../base/json.ts";
import { near } from "../../../base/text/near.ts";
import type { SkillProblem } from "./skill.ts";
import {
  COMPATIBILITY_CHARACTERS_MAX,
  NAME_CHARACTERS_MAX,
  RESERVED_NAMES,
  SKILL_DESCRIPTION_CHARACTERS_MAX,
} from "./skill.ts";
import { parseSkillFile } from "./skill-head.ts";
import { triggerProblems } from "./triggers.ts";

/** `error`: it breaks the open specification. `warning`: it keeps to it, and is not as others would have it. */
export interface CheckedProblem extends SkillProblem {
  readonly severity: "error" | "warning";
}

/** What is wrong with one field of a head. */
export interface FieldProblem {
  readonly field: string;
  readonly problem: string;
}

export interface UnknownField {
  readonly field: string;
  readonly meant?: string;
}

/** Read where it is there, and no field of the specification. */
const OWN_FIELD = "triggers";
const FIELDS = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"] as const;
/** A SKILL.md should be short: what is long goes into files beside it. */
const BODY_LINES_MAX = 500;

/**
 * Holds one SKILL.md to the open specification, strictly (SKL-01). Never rejects.
 *
 * @param folder the name of the folder that it lies in, which must be the skill's own.
 */
export async function checkSkill(
  text: string,
  { path, folder }: { readonly path: string; readonly folder: string },
): Promise<readonly CheckedProblem[]> {
  const parsed = await parseSkillFile(text, { lenient: false });
  if (parsed.kind === "problem")
    return [{ path, line: parsed.line, problem: parsed.problem, severity: "error" }];
  const { head, body, lineOf } = parsed;
  const at = (field: string, problem: string, severity: CheckedProblem["severity"] = "error") => ({
    path,
    line: lineOf(field),
    field,
    problem,
    severity,
  });
  const problems: CheckedProblem[] = [
    ...ruleProblems(head, folder).map(({ field, problem }) => at(field, problem)),
    ...unknownFields(head).map((each) => {
      const [problem, severity] = unknownText(each);
      return at(each.field, problem, severity);
    }),
    ...triggerProblems(head).map((problem) => at(OWN_FIELD, `${problem}; it has no effect`, "warning")),
  ];
  const called = typeof head["name"] === "string" ? head["name"].normalize("NFKC").trim().toLowerCase() : "";
  if (RESERVED_NAMES.has(called))
    problems.push(
      at("name", `/skills:${called} is a command of cinch, which leaves this skill out`, "warning"),
    );
  if (body === "")
    problems.push({ path, problem: "it has no instructions behind its head", severity: "warning" });
  const lines = body.split("\n").length;
  if (lines > BODY_LINES_MAX)
    problems.push({
      path,
      problem: `it has ${lines} lines; what is beyond ${BODY_LINES_MAX} is better in files beside it`,
      severity: "warning",
    });
  return problems;
}

/** What of a head breaks the rules for the fields that the specification knows; lines are those of the fields. */
export function ruleProblems(head: JsonObject, folder: string): readonly FieldProblem[] {
  const of = (field: string, problems: readonly string[]) => problems.map((problem) => ({ field, problem }));
  return [
    ...of("name", nameProblems(head["name"], folder)),
    ...of("description", textProblems(head["description"], SKILL_DESCRIPTION_CHARACTERS_MAX, "required")),
    ...of("compatibility", textProblems(head["compatibility"], COMPATIBILITY_CHARACTERS_MAX, "optional")),
    ...["license", "allowed-tools"].flatMap((field) =>
      head[field] === undefined || typeof head[field] === "string" ? [] : of(field, ["must be a text"]),
    ),
    ...of("metadata", metadataProblems(head["metadata"])),
  ];
}

/** What is wrong with a name, by the specification; empty where nothing is. */
export function nameProblems(value: unknown, folder: string): readonly string[] {
  if (value === undefined || value === null) return ["is missing"];
  if (typeof value !== "string") return ["must be a text"];
  const name = value.normalize("NFKC").trim();
  if (name === "") return ["is empty"];
  const problems: string[] = [];
  if ([...name].length > NAME_CHARACTERS_MAX)
    problems.push(`has ${[...name].length} characters, more than ${NAME_CHARACTERS_MAX}`);
  if (name !== name.toLowerCase()) problems.push("must be in lowercase");
  if (name.startsWith("-") || name.endsWith("-")) problems.push("must not begin or end with a hyphen");
  if (name.includes("--")) problems.push("must not have two hyphens in a row");
  if (!/^[\p{L}\p{N}-]+$/u.test(name))
    problems.push("has invalid characters: only letters, digits and hyphens are allowed");
  if (name !== folder.normalize("NFKC"))
    problems.push(`must match the name of its folder, which is ${JSON.stringify(folder)}`);
  return problems;
}

function textProblems(
  value: unknown,
  charactersMax: number,
  need: "required" | "optional",
): readonly string[] {
  if (value === undefined) return need === "required" ? ["is missing"] : [];
  if (typeof value !== "string")
    return [value === null && need === "required" ? "is missing" : "must be a text"];
  if (value.trim() === "") return ["is empty"];
  const characters = [...value].length;
  return characters > charactersMax ? [`has ${characters} characters, more than ${charactersMax}`] : [];
}

function metadataProblems(value: unknown): readonly string[] {
  if (value === undefined) return [];
  return isObject(value) ? [] : ["must be a list of keys and values"];
}

/** The fields of a head that the specification does not know, each with the one that was probably meant. */
export function unknownFields(head: JsonObject): readonly UnknownField[] {
  const known: readonly string[] = FIELDS;
  return Object.keys(head)
    .filter((field) => !known.includes(field))
    .map((field) => {
      const [meant] = field === OWN_FIELD ? [] : near(field, [...FIELDS, OWN_FIELD]);
      return meant === undefined ? { field } : { field, meant };
    });
}

function unknownText({ field, meant }: UnknownField): readonly [string, CheckedProblem["severity"]] {
  if (field === OWN_FIELD) {
    return [
      "is read by cinch, and no field of the open specification: other programs pass over it",
      "warning",
    ];
  }
  const hint = meant === undefined ? `allowed are ${FIELDS.join(", ")}` : `did you mean ${meant}?`;
  return [`is no field of the specification; ${hint}`, "error"];
}
