import type { JsonObject } from "../../../base/json.ts";
import { isObject } from "../../../base/json.ts";
import { nearestWords } from "../../../base/text/near.ts";
import type { SkillProblem } from "./skill.ts";
import {
  COMPATIBILITY_CHARACTERS_MAX,
  RESERVED_SKILL_NAMES,
  SKILL_DESCRIPTION_CHARACTERS_MAX,
  SKILL_NAME_CHARACTERS_MAX,
} from "./skill.ts";
import { parseSkillFile } from "./skill-head.ts";
import { triggerProblems } from "./triggers.ts";

/** `error`: it violates the open specification. `warning`: it is valid, but may not work as intended. */
export interface CheckedProblem extends SkillProblem {
  readonly severity: "error" | "warning";
}

/** A problem of one field of a head. */
export interface SkillFieldProblem {
  readonly field: string;
  readonly problem: string;
}

export interface UnknownField {
  readonly field: string;
  readonly suggestion?: string;
}

/** A field that cinch reads and the specification does not define. */
const OWN_FIELD = "triggers";
const FIELDS = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"] as const;
/** A SKILL.md should be short. Longer material belongs into files beside it. */
const BODY_LINES_MAX = 500;

/**
 * Checks one SKILL.md strictly against the open specification (SKL-01). Never rejects.
 *
 * @param folder the name of its folder, which must be the skill's name.
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
    ...specificationProblems(head, folder).map(({ field, problem }) => at(field, problem)),
    ...unknownFields(head).map((each) => {
      const [problem, severity] = unknownText(each);
      return at(each.field, problem, severity);
    }),
    ...triggerProblems(head).map((problem) => at(OWN_FIELD, `${problem}; it has no effect`, "warning")),
  ];
  const called = typeof head["name"] === "string" ? head["name"].normalize("NFKC").trim().toLowerCase() : "";
  if (RESERVED_SKILL_NAMES.has(called))
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

/** Returns the fields that violate the specification's rules. */
export function specificationProblems(head: JsonObject, folder: string): readonly SkillFieldProblem[] {
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

/** Returns the problems of a name according to the specification. */
export function nameProblems(value: unknown, folder: string): readonly string[] {
  if (value === undefined || value === null) return ["is missing"];
  if (typeof value !== "string") return ["must be a text"];
  const name = value.normalize("NFKC").trim();
  if (name === "") return ["is empty"];
  const problems: string[] = [];
  if ([...name].length > SKILL_NAME_CHARACTERS_MAX)
    problems.push(`has ${[...name].length} characters, more than ${SKILL_NAME_CHARACTERS_MAX}`);
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

/** Returns the fields that the specification does not define, each with the field that was probably meant. */
export function unknownFields(head: JsonObject): readonly UnknownField[] {
  const known: readonly string[] = FIELDS;
  return Object.keys(head)
    .filter((field) => !known.includes(field))
    .map((field) => {
      const [suggestion] = field === OWN_FIELD ? [] : nearestWords(field, [...FIELDS, OWN_FIELD]);
      return suggestion === undefined ? { field } : { field, suggestion };
    });
}

function unknownText({ field, suggestion }: UnknownField): readonly [string, CheckedProblem["severity"]] {
  if (field === OWN_FIELD) {
    return ["is read by cinch, but not part of the open specification: other programs ignore it", "warning"];
  }
  const hint = suggestion === undefined ? `allowed are ${FIELDS.join(", ")}` : `did you mean ${suggestion}?`;
  return [`is not a field of the specification; ${hint}`, "error"];
}
