import { join, resolve } from "node:path";
import { unreachable } from "../../base/assert.ts";
import { HarnessError } from "../../base/errors.ts";
import { near } from "../../base/text/near.ts";
import { count } from "../../base/text/text.ts";
import type { ReviewedSkill } from "../../features/skills/skills-review.ts";
import type { ExitCode } from "../../session/cli-command.ts";
import { EXIT } from "../../session/cli-command.ts";
import { neutralise, neutraliseLine } from "../../view/terminal/terminal-text.ts";
import { jsonLine } from "../../view/wire-json.ts";
import type { Invocation } from "../args/arguments.ts";
import { misuse, verbOf } from "../args/misuse.ts";
import type { Stop } from "../processes/stop.ts";
import type { Surroundings } from "../surroundings.ts";
import { surroundingsOf } from "../surroundings.ts";

type Skills = Extract<Invocation, { readonly kind: "skills" }>;

const VERBS = ["list", "show", "check"] as const;
const USAGE = "write cinch skills list, cinch skills show NAME or cinch skills check [PATH…]";

/** `cinch skills list`, `show NAME` and `check [PATH…]`: what a session here would find, and whether it keeps to the format. */
export async function runSkills({ settings, words, json }: Skills, stop: Stop): Promise<ExitCode> {
  const [word = "", ...names] = words;
  const verb = verbOf("skills", word, { verbs: VERBS, usage: USAGE });
  const at = surroundingsOf(settings, stop);
  if (verb === "check") return await check(names, at, json);
  const [name, ...more] = names;
  if (more.length > 0 || (verb === "list") !== (name === undefined)) throw misuse(USAGE);
  const { reviewSkills } = await import("../../features/skills/skills-review.ts");
  const { profile } = settings;
  const { skills, notices } = await reviewSkills({ ...at, ...(profile === undefined ? {} : { profile }) });
  if (name === undefined) return await list(skills, notices, { at, json });
  // The one that counts goes before one of its name that does not.
  const named = skills.filter(({ skill }) => skill.name === name);
  const found = named.find(({ state }) => state === "active") ?? named.at(-1);
  if (found === undefined) {
    const [meant] = near(
      name,
      skills.map(({ skill }) => skill.name),
    );
    const hint = meant === undefined ? "List them with: cinch skills list" : `Did you mean ${meant}?`;
    throw new HarnessError("SkillMissing", { name: neutraliseLine(name), hint });
  }
  await at.stdout.write(json ? jsonLine({ ...rowOf(found), body: found.skill.body }) : shown(found));
  return EXIT.done;
}

/** Why a skill does not count, and what to do about it; empty where it does. */
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
  { at, json }: { readonly at: Surroundings; readonly json: boolean },
): Promise<ExitCode> {
  for (const notice of notices) await at.stderr.write(`cinch: ${neutraliseLine(notice)}\n`);
  const width = Math.max(0, ...skills.map(({ skill }) => skill.name.length));
  const { listedDescription } = await import("../../features/skills/format/texts.ts");
  for (const each of skills) {
    const { name, source, description } = each.skill;
    const state = stateText(each) === "" ? "" : ` [${stateText(each)}]`;
    const line = `${neutraliseLine(name).padEnd(width)}  ${source.padEnd(7)}  ${neutraliseLine(listedDescription(description))}${state}\n`;
    await at.stdout.write(json ? jsonLine(rowOf(each)) : line);
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

async function check(paths: readonly string[], at: Surroundings, json: boolean): Promise<ExitCode> {
  const { checkSkills } = await import("../../features/skills/skills-review.ts");
  const { problemText } = await import("../../features/skills/format/skill.ts");
  const arePlaces = paths.length === 0;
  const given = arePlaces ? await defaultPaths(at) : paths.map((path) => resolve(at.workingDir, path));
  const { checked, problems } = await checkSkills(at.world.files, given, { arePlaces });
  for (const problem of problems) {
    const text = `${problem.severity}: ${neutraliseLine(problemText(problem))}\n`;
    await at.stdout.write(json ? jsonLine(problem) : text);
  }
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const others = problems.length - errors;
  await at.stderr.write(
    `cinch: ${count(checked, "skill")} checked, ${count(errors, "error")}, ${count(others, "warning")}\n`,
  );
  return errors === 0 ? EXIT.done : EXIT.failed;
}

/** Where a session here would find skills of the project and of the user, as far as there are any. */
async function defaultPaths({
  world,
  paths,
  workingDir,
  environment,
}: Surroundings): Promise<readonly string[]> {
  const { HOME: home } = environment;
  const { repositoryRoot } = await import("../../config/context-source.ts");
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
