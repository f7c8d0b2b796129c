import { join, resolve } from "node:path";
import { unreachable } from "../../../base/assert.ts";
import { HarnessError } from "../../../base/errors.ts";
import { nearestWords } from "../../../base/text/near.ts";
import { count } from "../../../base/text/text.ts";
import type { ExitCode } from "../../../session/commands/cli-command.ts";
import { EXIT } from "../../../session/commands/cli-command.ts";
import { neutralise, neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import { jsonLine } from "../../../view/wire-json.ts";
import type { ReviewedSkill } from "../skills-review.ts";
import type { SkillsContext } from "./flags.ts";

/** Lists, prints or checks the skills that a session here would find. */
export async function run(context: SkillsContext): Promise<ExitCode> {
  const { verb, words, flags, stdout } = context;
  if (verb === "check") return await check(context);
  const [name] = words;
  const { reviewSkills } = await import("../skills-review.ts");
  const { skills, notices } = await reviewSkills(placeOf(context), await context.readSettings());
  if (name === undefined) return await list(skills, notices, context);
  // The active skill comes before others of its name.
  const named = skills.filter(({ skill }) => skill.name === name);
  const found = named.find(({ state }) => state === "active") ?? named.at(-1);
  if (found === undefined) {
    const [meant] = nearestWords(
      name,
      skills.map(({ skill }) => skill.name),
    );
    const hint = meant === undefined ? "List them with: cinch skills list" : `Did you mean ${meant}?`;
    throw new HarnessError("SkillMissing", { name: neutraliseLine(name), hint });
  }
  await stdout.write(flags.json ? jsonLine({ ...rowOf(found), body: found.skill.body }) : shown(found));
  return EXIT.done;
}

function placeOf({ world, paths, workingDir, environment }: SkillsContext) {
  return { world, paths, workingDir, environment };
}

/** Returns why a skill is not in use and what to do about it; empty for one in use. */
function stateText({ skill, state }: ReviewedSkill): string {
  const ack = skill.source === "user" ? "cinch ack --all" : "cinch ack";
  switch (state) {
    case "active":
      return "";
    case "new":
      return `not acknowledged yet: ${ack}`;
    case "changed":
      return `changed since you acknowledged it: ${ack}`;
    case "shadowed":
      return "another one of this name takes its place";
    default:
      return unreachable(state);
  }
}

async function list(
  skills: readonly ReviewedSkill[],
  notices: readonly string[],
  { flags, stdout, stderr }: SkillsContext,
): Promise<ExitCode> {
  for (const notice of notices) await stderr.write(`cinch: ${neutraliseLine(notice)}\n`);
  const width = Math.max(0, ...skills.map(({ skill }) => skill.name.length));
  const { listedDescription } = await import("../../../safety/listed-description.ts");
  for (const each of skills) {
    const { name, source, description } = each.skill;
    const state = stateText(each) === "" ? "" : ` [${stateText(each)}]`;
    const line = `${neutraliseLine(name).padEnd(width)}  ${source.padEnd(7)}  ${neutraliseLine(listedDescription(description))}${state}\n`;
    await stdout.write(flags.json ? jsonLine(rowOf(each)) : line);
  }
  return EXIT.done;
}

function shown(reviewed: ReviewedSkill): string {
  const { skill } = reviewed;
  const state = stateText(reviewed);
  const { name, source, description, path, triggers, fields, files, body } = skill;
  const { globs, keywords } = triggers;
  const others = Object.entries(fields).filter(([field]) => field !== "triggers");
  return `${[
    `${neutraliseLine(name)} (${source})${state === "" ? "" : `: ${state}`}`,
    neutraliseLine(description),
    neutraliseLine(path),
    ...(globs.length + keywords.length === 0
      ? []
      : [`triggers: ${[...globs, ...keywords].map(neutraliseLine).join(", ")}`]),
    ...others.map(([field, value]) => neutraliseLine(`${field}: ${fieldText(value)}`)),
    ...(files.length < 2 ? [] : [`files: ${files.map((file) => neutraliseLine(file.path)).join(", ")}`]),
    "",
    neutralise(body),
  ].join("\n")}\n`;
}

function fieldText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function rowOf({ skill, state }: ReviewedSkill) {
  const { name, source, description, path, triggers, fields, files } = skill;
  return { name, source, state, description, path, triggers, fields, files: files.map((file) => file.path) };
}

async function check(context: SkillsContext): Promise<ExitCode> {
  const { words: paths, flags, world, workingDir, stdout, stderr } = context;
  const { checkSkills } = await import("../skills-review.ts");
  const { skillProblemText } = await import("../format/skill.ts");
  const arePlaces = paths.length === 0;
  const checkedPaths = arePlaces
    ? await defaultPaths(context)
    : paths.map((path) => resolve(workingDir, path));
  const { checked, problems } = await checkSkills(world.files, checkedPaths, { arePlaces });
  for (const problem of problems) {
    const text = `${problem.severity}: ${neutraliseLine(skillProblemText(problem))}\n`;
    await stdout.write(flags.json ? jsonLine(problem) : text);
  }
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const others = problems.length - errors;
  await stderr.write(
    `cinch: ${count(checked, "skill")} checked, ${count(errors, "error")}, ${count(others, "warning")}\n`,
  );
  return errors === 0 ? EXIT.done : EXIT.failed;
}

/** Returns the folders of the project and of the user that hold skills. */
async function defaultPaths({
  world,
  paths,
  workingDir,
  environment,
}: SkillsContext): Promise<readonly string[]> {
  const { HOME: home } = environment;
  const { repositoryRoot } = await import("../../../config/repository-root.ts");
  const here = await world.files.realpath(workingDir);
  const root = (await repositoryRoot(world.files, here)) ?? here;
  const places = [
    join(root, ".agents/skills"),
    join(root, ".cinch/skills"),
    join(paths.config, "skills"),
    ...(home?.startsWith("/") === true ? [join(home, ".agents/skills")] : []),
  ];
  const kinds = await Promise.all(places.map((place) => world.files.stat(place)));
  return places.filter((_, index) => kinds[index]?.kind === "directory");
}
