import { Cancelled, messageOf } from "../../base/errors.ts";
import type { RequestMiddleware } from "../../providers/middleware.ts";
import { lateStream } from "../../providers/middleware.ts";
import type { SystemSection } from "../../providers/provider.ts";
import type { OpenFeature } from "../../session/feature.ts";
import type { SessionHost } from "../../session/host.ts";
import type { ToolMiddleware } from "../../tools/middleware.ts";
import { selectPacks } from "../../tools/select-packs.ts";
import type { Tool } from "../../tools/tool.ts";
import { CurrentSkills } from "./current-skills.ts";
import { skillWriteFolders } from "./format/skill-folders.ts";
import type { SkillsCommands } from "./reload/skills-commands.ts";
import { skillsCommands } from "./reload/skills-commands.ts";
import type { SkillSet } from "./skill-set.ts";
import { skillsForInput } from "./skills-input.ts";
import { skillTool } from "./tools/skill-tool.ts";
import { skillWriteTool } from "./tools/skill-write.ts";
import { SKILL_FACTS } from "./tools.ts";

/**
 * Opens the skills of a session (SKL-01 to SKL-05): the built-in ones that the profile names, then the user's and the
 * project's that a person has acknowledged.
 *
 * The system text lists them and changes only when a person changes them. A skill's text joins the conversation, and
 * its log, when the model, a person or a trigger asks for it. Until then only the list is loaded.
 * @throws HarnessError UnknownSkillPack.
 */
export function openSkills(host: SessionHost): OpenFeature {
  const skills = new CurrentSkills(host);
  const commands = skillsCommands(skills, host);
  const all = toolsOf(skills, commands, host);
  const tools = selectPacks({ name: "skills", tools: () => all }, host.plan().profile.toolPacks);
  const hasTool = tools.tools().some(({ name }) => name === SKILL_FACTS.name);
  const end = new AbortController();
  return {
    tools: [tools],
    takes: ["skill"],
    commands: { ReloadSkills: commands.reload },
    queries: { ListSkills: () => commands.list() },
    around: [
      { tool: "inner", run: skillFiles(skills) },
      { request: "context", run: skillsListed(skills, hasTool) },
    ],
    async onInput(content, at, { skill: wanted }) {
      return skills.isUsed || wanted !== undefined
        ? await skillsForInput(skills, content, { wanted, at })
        : [];
    },
    skills: () => offeredBy(skills),
    slashCommands: () => commands.slashCommands(),
    onFollowed: () => beginAsking(skills, host, end.signal),
    // Without a question, they can be listed before the first turn.
    async ready(signal) {
      if (skills.isUsed && !skills.isAsked) await skills.load(signal);
    },
    notices: () => skills.takeNotices(),
    async settle() {
      end.abort(new Cancelled("engine", "the session was ended"));
      await commands.settle();
    },
    [Symbol.asyncDispose]: () => skills.close(),
  };
}

function toolsOf(
  skills: CurrentSkills,
  commands: SkillsCommands,
  { environment, trust }: SessionHost,
): readonly Tool[] {
  return [
    skillTool({
      load: (signal) => skills.load(signal),
      activate: (skill, { emit }) => skills.activate(skill, "the model loaded it", emit),
      isUsed: () => skills.isUsed,
    }),
    skillWriteTool({
      folders: skillWriteFolders({ environment }, trust.root),
      rescan: (context) => commands.rescan(context),
    }),
  ];
}

/** Checks the files of skills around the calls that use them. */
function skillFiles(skills: CurrentSkills): ToolMiddleware {
  return async function skillFiles(call, context, next) {
    // Built-in skills have no files that a call could use.
    const list = (skills.known()?.list ?? []).filter(({ source }) => source !== "builtin");
    if (list.length === 0) return await next(call, context);
    const { skillFileMiddleware } = await import("./tools/skill-file-middleware.ts");
    const watch = skillFileMiddleware({
      known: () => list,
      copies: await skills.copies(),
      applies: (skill, why, at) => skills.activateOnce(skill, why, (event) => at.emit(event)),
    });
    return await watch(call, context, next);
  };
}

/** Appends the list of tier 1 to the system text. It stays the same until the skills change. */
function skillsListed(skills: CurrentSkills, hasTool: boolean): RequestMiddleware {
  let listed: { readonly set: SkillSet; readonly sections: readonly SystemSection[] } | undefined;
  return function skillsListed(request, context, next) {
    if (context.parentCall === undefined) skills.trackMessages(context.history.messages.length);
    if (!hasTool || !skills.isUsed) return next(request, context);
    const send = (last: readonly SystemSection[]) =>
      next({ ...request, system: [...request.system, ...last] }, context);
    if (listed !== undefined && listed.set === skills.known()) return send(listed.sections);
    return lateStream(async () => {
      const set = await skills.load(context.signal);
      const sections = listed?.set === set ? listed.sections : await listing(set);
      listed = { set, sections };
      return send(sections);
    });
  };
}

async function listing(set: SkillSet): Promise<readonly SystemSection[]> {
  const { skillListSections } = await import("./format/skill-texts.ts");
  return skillListSections(set.list).map((text) => ({ name: "skills", text }));
}

function offeredBy(skills: CurrentSkills) {
  return (skills.known()?.list ?? []).map(({ name, description, source, body, fields }) => ({
    name,
    description,
    source,
    text: body,
    fields,
  }));
}

/** Loads the skills when a client subscribes, so that a person is asked before the first turn. */
function beginAsking(skills: CurrentSkills, { session, world }: SessionHost, signal: AbortSignal): void {
  if (!skills.isAsked || !skills.isUsed || skills.known() !== undefined) return;
  skills.load(signal).catch((thrown: unknown) => {
    if (thrown instanceof Cancelled) return; // the session ended at an open question
    const fields = { session, what: messageOf(thrown) };
    world.log.for("skills").write("error", "skills could not be loaded", fields);
  });
}
