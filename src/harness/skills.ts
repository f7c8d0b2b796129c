import { Cancelled, HarnessError, messageOf } from "../base/errors.ts";
import type { TurnSurface } from "../control/multiplex/session-parts.ts";
import type { InputBlock } from "../protocol/content.ts";
import type { Event } from "../protocol/events.ts";
import type { SystemSection } from "../provider/provider.ts";
import type { KeptSkills } from "../skill/kept-skills.ts";
import { packedSkills } from "../skill/packs.ts";
import type { Skill } from "../skill/skill.ts";
import type { SkillSet } from "../skill/skill-set.ts";
import { skillTool } from "../skill/skill-tool.ts";
import { skillWriteTool } from "../skill/skill-write.ts";
import { withPacks } from "../tool/pack.ts";
import type { Tool } from "../tool/tool.ts";
import type { TrustItem } from "../trust/ledger/item.ts";
import type { SessionPart, SessionSurface } from "./session-part.ts";
import type { SessionSkills, SkillSources } from "./session-skills.ts";
import { skillsCommands } from "./skills-commands.ts";
import { removeOldCopies, skillsFolder, skillsPlaces } from "./skills-places.ts";

/** The CustomEvent of the namespace `cinch` that tells which skill was loaded, and why: `{name, source, why}`. */
const SKILL_ACTIVATED = "SkillActivated";
/** Skills that one prompt loads by their triggers. */
const TRIGGERED_MAX = 3;

export interface UsedSkills {
  readonly part: SessionPart;
  /**
   * Reads them where nobody has to be asked about one first, so that they can be shown before the first turn.
   * @throws the signal's reason.
   */
  readonly ready: (signal: AbortSignal) => Promise<unknown>;
  /**
   * What was found wrong so far, in sentences for the person, each once, also over sessions that take each other's place;
   * what comes later is told as an event.
   */
  notices(): readonly string[];
}

/**
 * The skills of a session (SKL-01 to SKL-05): those in the program that the profile names, then the user's and the
 * project's that a person has acknowledged.
 *
 * A list of them stands in the system text, the same until a person changes it; the text of one comes into the conversation
 * when the model, a person or a trigger asks for it, and is stored there. Until then nothing of them but that list is loaded.
 * @throws HarnessError UnknownSkillPack.
 */
export function usingSkills(sources: SkillSources, redact: (text: string) => string): UsedSkills {
  const { profile, trust, workspace, defaults } = sources;
  const { world } = defaults;
  const builtin = packedSkills(profile.skillPacks);
  let isUsed = builtin.length > 0 || trust.mayExtend("skill");
  let loading: Promise<SkillSet> | undefined;
  let now: SkillSet | undefined;
  let keeping: KeptSkills | undefined;
  let surface: SessionSurface | undefined;
  let section: Promise<readonly SystemSection[]> | undefined;
  let messages = 0;
  /** The turn with which each skill's text came into the conversation. */
  const given = new Map<string, number>();
  /** By the sentence: see `toldKey`. */
  let keys: ReadonlyMap<string, string> = new Map();
  const isAsked = trust.asks && trust.mayExtend("skill");
  const end = new AbortController();

  async function setOf(items: readonly TrustItem[], problems: readonly string[]): Promise<SkillSet> {
    const [{ loadSkills }, { builtinSkills }, { SkillSet }, { breather }, { toldKey }] = await Promise.all([
      import("../skill/load-skills.ts"),
      import("../skill/builtin-skills.ts"),
      import("../skill/skill-set.ts"),
      import("../base/breather.ts"),
      import("./told-files.ts"),
    ]);
    const folders = items.map(({ path, scope, files }) => ({ path, source: scope, files }));
    const loaded = [];
    const breathe = breather(world.clock, new AbortController().signal);
    for (const folder of [...builtinSkills(builtin), ...folders])
      loaded.push(await loadSkills(folder, breathe));
    const skills = loaded.flatMap((each) => each.skills);
    const set = new SkillSet(
      skills,
      loaded.flatMap((each) => each.problems),
      problems,
    );
    keys = new Map(set.notices.map((notice) => [notice, toldKey(notice, items)]));
    return set;
  }

  const skills: SessionSkills = {
    async load(signal) {
      signal.throwIfAborted();
      if (now !== undefined) return now;
      // No built-in skill waits for an answer about a file of the project, where there is no skill among them.
      const items = trust.mayExtend("skill") ? (await trust.loaded(signal)).extensions : [];
      loading ??= setOf(
        items.filter(({ kind }) => kind === "skill"),
        [],
      );
      const set = await loading;
      if (now !== undefined) return now; // a person has reloaded them meanwhile
      now = set;
      if (isAsked) changed();
      return set;
    },
    known: () => now,
    async replace(items, problems) {
      const set = await setOf(items, problems);
      now = set;
      section = undefined;
      if (set.list.length > 0) isUsed = true;
      surface?.refreshTools();
      changed();
      return set;
    },
    async activate(skill, why, emit) {
      const { bodyText } = await import("../skill/texts.ts");
      const folder = await ready(skill);
      tell(skill, why, emit);
      return redact(bodyText(skill, folder));
    },
    async activateOnce(skill, why, emit) {
      if (given.has(skill.name)) return undefined;
      given.set(skill.name, 0);
      return await skills.activate(skill, why, emit);
    },
    kept: () => openKept(),
    get surface() {
      return surface;
    },
  };

  async function openKept(): Promise<KeptSkills> {
    if (keeping !== undefined) return keeping;
    const { KeptSkills } = await import("../skill/kept-skills.ts");
    if (keeping !== undefined) return keeping;
    keeping = new KeptSkills(world.files, skillsFolder(defaults, sources.logId));
    await removeOldCopies(world, keeping.folder);
    return keeping;
  }

  async function ready(skill: Skill): Promise<string | undefined> {
    const kept = await openKept();
    try {
      const folder = await kept.ready(skill);
      if (folder !== undefined) workspace.readable?.add(await world.files.realpath(folder));
      return folder;
    } catch (thrown) {
      // Its text is of use without them.
      const problem = `The files of the skill ${skill.name} cannot be made ready: ${messageOf(thrown)}`;
      const { reason, message } = new HarnessError("SkillProblem", { problem });
      surface?.publish({ kind: "Error", payload: { reason, message } });
      return undefined;
    }
  }

  function tell({ name, source }: Skill, why: string, emit: (event: Event) => void): void {
    const payload = { name, source, why };
    emit({ kind: "CustomEvent", payload: { namespace: "cinch", kind: SKILL_ACTIVATED, payload } });
  }

  /** What nobody was told yet, who is told now. */
  function untold({ notices }: SkillSet): readonly string[] {
    const { told } = sources.place;
    const keyOf = (notice: string) => keys.get(notice) ?? notice;
    const fresh = notices.filter((notice) => !told.has(keyOf(notice)));
    for (const notice of fresh) told.add(keyOf(notice));
    return fresh;
  }

  function changed(): void {
    if (surface === undefined || now === undefined) return;
    for (const notice of untold(now)) {
      const { reason, message } = new HarnessError("SkillProblem", { problem: notice });
      surface.publish({ kind: "Error", payload: { reason, message, severity: "notice" } });
    }
    surface.publish({ kind: "SkillRegistryChanged", payload: { skills: [...now.names] } });
  }

  /** What the conversation no longer holds can be loaded again. */
  function follow(count: number): void {
    if (count < messages) given.clear();
    messages = count;
  }

  async function onInput(content: readonly InputBlock[], at: TurnSurface, wanted: string | undefined) {
    if (!isUsed && wanted === undefined) return [];
    follow(at.messages?.().length ?? messages);
    const set = await skills.load(at.signal);
    const asked = wanted === undefined ? undefined : set.find(wanted);
    if (wanted !== undefined && asked === undefined) {
      const name = wanted.slice(0, 100).toWellFormed();
      throw new HarnessError("SkillMissing", { name, hint: set.hint(name) });
    }
    const chosen = asked === undefined ? [] : [{ skill: asked, why: "the user asked for it" }];
    if (set.list.some(({ triggers }) => triggers.globs.length + triggers.keywords.length > 0)) {
      const { promptTrigger } = await import("../skill/triggers.ts");
      const prompt = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
      for (const skill of set.list) {
        const why = skill === asked ? undefined : promptTrigger(prompt, skill);
        // An input that was refused has left nothing, and the next one has the number of its turn.
        const isFresh = (given.get(skill.name) ?? at.turn) >= at.turn;
        if (why !== undefined && isFresh && chosen.length < TRIGGERED_MAX) chosen.push({ skill, why });
      }
    }
    if (chosen.length === 0) return [];
    const { activatedSections } = await import("../skill/texts.ts");
    const added: InputBlock[] = [];
    for (const { skill, why } of chosen) {
      const sections = activatedSections(skill, { folder: await ready(skill), why });
      added.push(...sections.map((text) => ({ type: "text" as const, text: redact(text) })));
      given.set(skill.name, at.turn);
      tell(skill, why, at.emit);
    }
    return added;
  }

  async function listing(set: SkillSet): Promise<readonly SystemSection[]> {
    const { listingSections } = await import("../skill/texts.ts");
    return listingSections(set.list).map((text) => ({ name: "skills", text }));
  }

  const commands = skillsCommands(skills, sources);
  const all: readonly Tool[] = [
    skillTool({
      load: (signal) => skills.load(signal),
      activate: (skill, { emit }) => skills.activate(skill, "the model loaded it", emit),
      isUsed: () => isUsed,
    }),
    skillWriteTool({
      places: skillsPlaces(defaults, trust.root),
      rescan: (context) => commands.rescan(context),
    }),
  ];
  const tools = withPacks({ name: "skills", tools: () => all }, profile.toolPacks);
  const hasTool = tools.tools().some(({ name }) => name === "Skill");
  return {
    ready: async (signal) => (isUsed && !isAsked ? await skills.load(signal) : undefined),
    notices: () => (now === undefined ? [] : untold(now)),
    part: {
      tools: [tools],
      takes: ["skill"],
      commands: { ReloadSkills: commands.reload },
      namespaces: new Map([["skills", commands.owner]]),
      onInput: (content, turn, wants) => onInput(content, turn, wants.skill),
      inner: [
        async function skillFiles(call, context, next) {
          // One of the program has no file that a call could use.
          const list = (now?.list ?? []).filter(({ source }) => source !== "builtin");
          if (list.length === 0) return await next(call, context);
          const { skillCalls } = await import("../skill/skill-calls.ts");
          const watch = skillCalls({
            known: () => list,
            kept: await openKept(),
            applies: (skill, why, at) => skills.activateOnce(skill, why, (event) => at.emit(event)),
          });
          return await watch(call, context, next);
        },
      ],
      request: [
        async function* skillsListed(request, context, next) {
          if (context.parentCall === undefined) follow(context.history.messages.length);
          if (!hasTool || !isUsed) return yield* next(request, context);
          const set = await skills.load(context.signal);
          section ??= listing(set);
          const texts = await section;
          yield* next({ ...request, system: [...request.system, ...texts] }, context);
        },
      ],
      skills: () =>
        (now?.list ?? []).map(({ name, description, source, body, fields }) => ({
          name,
          description,
          source,
          text: body,
          fields,
        })),
      slashCommands: () => commands.offered(),
      serve(given) {
        surface = given;
      },
      // Whoever watches is told once they have been asked, also before the first turn.
      onFollowed() {
        if (!isAsked || !isUsed || now !== undefined) return;
        skills.load(end.signal).catch((thrown: unknown) => {
          if (end.signal.aborted) return;
          const fields = { session: sources.session, what: messageOf(thrown) };
          world.log.for("skills").write("error", "skills could not be loaded", fields);
        });
      },
      async settle() {
        end.abort(new Cancelled("engine", "the session was ended"));
        await commands.settle();
      },
      close: async () => await keeping?.remove(),
    },
  };
}
