import { HarnessError, messageOf } from "../../base/errors.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { TrustItem } from "../../session/guard/trust.ts";
import type { SessionHost } from "../../session/host.ts";
import { packedSkills } from "./builtin/packs.ts";
import type { Skill } from "./format/skill.ts";
import { removeOldCopies, skillsFolder } from "./format/skills-places.ts";
import type { KeptSkills } from "./kept-skills.ts";
import type { SessionSkills } from "./session-skills.ts";
import type { SkillSet } from "./skill-set.ts";

/** The CustomEvent of the namespace `cinch` that tells which skill was loaded, and why: `{name, source, why}`. */
const SKILL_ACTIVATED = "SkillActivated";

/** The turn that a skill's text goes along with, and the half sentence that says why. */
export interface Giving {
  readonly why: string;
  readonly turn: number;
  readonly emit: (event: Event) => void;
}

/**
 * The skills of one session as they stand now: those in the program that its profile names, and what of the user's and the
 * project's a person has acknowledged. It knows too which of them the conversation holds.
 */
export class CurrentSkills implements SessionSkills {
  /** Whether a person has to be asked before they are known. */
  readonly isAsked: boolean;
  /** Whether somebody sits there, who can have them looked at anew. */
  readonly canReload: boolean;
  readonly #host: SessionHost;
  readonly #builtin: readonly string[];
  #isUsed: boolean;
  #loading: Promise<SkillSet> | undefined;
  #now: SkillSet | undefined;
  #kept: KeptSkills | undefined;
  /** By the sentence: see `toldKey`. */
  #keys: ReadonlyMap<string, string> = new Map();
  /** The turn with which each skill's text came into the conversation. */
  readonly #given = new Map<string, number>();
  #messages = 0;

  /** @throws HarnessError UnknownSkillPack. */
  constructor(host: SessionHost) {
    const { profile, wishes } = host.plan();
    const { trust } = host;
    this.#host = host;
    this.#builtin = packedSkills(profile.skillPacks);
    this.#isUsed = this.#builtin.length > 0 || trust.has("skill");
    this.isAsked = trust.asks && trust.has("skill");
    this.canReload = wishes.attended;
  }

  /** Whether the session had skills from the start on, or a person has brought some. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  async load(signal: AbortSignal): Promise<SkillSet> {
    const { trust } = this.#host;
    signal.throwIfAborted();
    if (this.#now !== undefined) return this.#now;
    // No built-in skill waits for an answer about a file of the project, where there is no skill among them.
    const items = trust.has("skill") ? (await trust.loaded(signal)).items : [];
    this.#loading ??= this.#read(
      items.filter(({ kind }) => kind === "skill"),
      [],
    );
    const set = await this.#loading;
    if (this.#now !== undefined) return this.#now; // a person has reloaded them meanwhile
    this.#now = set;
    if (this.isAsked) this.#tellChange();
    return set;
  }

  known(): SkillSet | undefined {
    return this.#now;
  }

  async replace(items: readonly TrustItem[], problems: readonly string[]): Promise<SkillSet> {
    const set = await this.#read(items, problems);
    this.#now = set;
    if (set.list.length > 0) this.#isUsed = true;
    this.#host.registry.refresh();
    this.#tellChange();
    return set;
  }

  async activate(skill: Skill, why: string, emit: (event: Event) => void): Promise<string> {
    const { bodyText } = await import("./format/texts.ts");
    const folder = await this.#ready(skill);
    tellUse(skill, why, emit);
    return this.#host.redactor.text(bodyText(skill, folder));
  }

  async activateOnce(skill: Skill, why: string, emit: (event: Event) => void): Promise<string | undefined> {
    if (this.#given.has(skill.name)) return undefined;
    this.#given.set(skill.name, 0);
    return await this.activate(skill, why, emit);
  }

  /** The text of a skill as what goes to the model with an input. */
  async give(skill: Skill, { why, turn, emit }: Giving): Promise<readonly string[]> {
    const { activatedSections } = await import("./format/texts.ts");
    const sections = activatedSections(skill, { folder: await this.#ready(skill), why });
    this.#given.set(skill.name, turn);
    tellUse(skill, why, emit);
    return sections.map((text) => this.#host.redactor.text(text));
  }

  /** Whether the conversation has the text of a skill from a turn before this one. */
  wasGiven({ name }: Skill, turn: number): boolean {
    // A refused input does not use up its turn number.
    return (this.#given.get(name) ?? turn) < turn;
  }

  /** Told how many messages the conversation has now: what it no longer holds can be loaded again. */
  follow(messages: number): void {
    if (messages < this.#messages) this.#given.clear();
    this.#messages = messages;
  }

  async kept(): Promise<KeptSkills> {
    if (this.#kept !== undefined) return this.#kept;
    const { world } = this.#host;
    const { KeptSkills } = await import("./kept-skills.ts");
    if (this.#kept !== undefined) return this.#kept;
    const kept = new KeptSkills(world.files, skillsFolder(this.#host, this.#host.logId));
    this.#kept = kept;
    await removeOldCopies(world, kept.folder);
    return kept;
  }

  /** What was found wrong and nobody was told yet, who is told now. */
  untold(): readonly string[] {
    const { shown } = this.#host;
    const keyOf = (notice: string) => this.#keys.get(notice) ?? notice;
    const fresh = (this.#now?.notices ?? []).filter((notice) => !shown.has(keyOf(notice)));
    for (const notice of fresh) shown.add(keyOf(notice));
    return fresh;
  }

  /** Removes the copies of their files. */
  async close(): Promise<void> {
    await this.#kept?.remove();
  }

  async #read(items: readonly TrustItem[], problems: readonly string[]): Promise<SkillSet> {
    const { clock } = this.#host.world;
    const [{ loadSkills }, { builtinSkills }, { SkillSet }, { breather }, { noticeKey: toldKey }] =
      await Promise.all([
        import("./format/load-skills.ts"),
        import("./builtin/builtin-skills.ts"),
        import("./skill-set.ts"),
        import("../../base/async/breather.ts"),
        import("../../guard/trust/notice-key.ts"),
      ]);
    const folders = items.map(({ path, scope, files }) => ({ path, source: scope, files }));
    const loaded = [];
    const breathe = breather(clock, new AbortController().signal);
    for (const folder of [...builtinSkills(this.#builtin), ...folders])
      loaded.push(await loadSkills(folder, breathe));
    const set = new SkillSet(
      loaded.flatMap((each) => each.skills),
      loaded.flatMap((each) => each.problems),
      problems,
    );
    this.#keys = new Map(set.notices.map((notice) => [notice, toldKey(notice, items)]));
    return set;
  }

  /** The folder with the copies of a skill's files; undefined where it has none, or they cannot be made, which is told. */
  async #ready(skill: Skill): Promise<string | undefined> {
    const { workspace, world } = this.#host;
    const kept = await this.kept();
    try {
      const folder = await kept.ready(skill);
      if (folder !== undefined) workspace.readable?.add(await world.files.realpath(folder));
      return folder;
    } catch (thrown) {
      // Its text is of use without them.
      const problem = `The files of the skill ${skill.name} cannot be made ready: ${messageOf(thrown)}`;
      const { reason, message } = new HarnessError("SkillProblem", { problem });
      this.#host.publish({ kind: "Error", payload: { reason, message } });
      return undefined;
    }
  }

  #tellChange(): void {
    if (this.#now === undefined) return;
    for (const notice of this.untold()) {
      const { reason, message } = new HarnessError("SkillProblem", { problem: notice });
      this.#host.publish({ kind: "Error", payload: { reason, message, severity: "notice" } });
    }
    this.#host.publish({ kind: "SkillRegistryChanged", payload: { skills: [...this.#now.names] } });
  }
}

function tellUse({ name, source }: Skill, why: string, emit: (event: Event) => void): void {
  const payload = { name, source, why };
  emit({ kind: "CustomEvent", payload: { namespace: "cinch", kind: SKILL_ACTIVATED, payload } });
}
