import { HarnessError, messageOf } from "../../base/errors.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { TrustItem } from "../../session/guard/trust.ts";
import type { SessionHost } from "../../session/host.ts";
import { skillsInPacks } from "./builtin/packs.ts";
import { skillPacksPart } from "./config.ts";
import type { Skill } from "./format/skill.ts";
import { removeOldCopies, skillCopiesFolder } from "./format/skill-folders.ts";
import type { SessionSkills } from "./session-skills.ts";
import type { SkillCopies } from "./skill-copies.ts";
import type { SkillSet } from "./skill-set.ts";

/** Kind of the CustomEvent in the namespace `cinch` that reports a loaded skill, and why: `{name, source, why}`. */
const SKILL_ACTIVATED = "SkillActivated";

/** The turn that gets a skill's text, and a half sentence with the reason. */
export interface SkillActivation {
  readonly why: string;
  readonly turn: number;
  readonly emit: (event: Event) => void;
}

/**
 * The current skills of one session: the built-in ones that its profile names, and the acknowledged ones of the user
 * and the project. It also tracks which of them the conversation contains.
 */
export class CurrentSkills implements SessionSkills {
  /** True if a person has to be asked before the skills are known. */
  readonly isAsked: boolean;
  /** True if a person is present who can reload the skills. */
  readonly canReload: boolean;
  readonly #host: SessionHost;
  readonly #builtin: readonly string[];
  #isUsed: boolean;
  #loading: Promise<SkillSet> | undefined;
  #now: SkillSet | undefined;
  #copies: SkillCopies | undefined;
  /** Keys by notice: see `noticeKey`. */
  #keys: ReadonlyMap<string, string> = new Map();
  /** The turn in which each skill's text joined the conversation. */
  readonly #given = new Map<string, number>();
  #messages = 0;

  /** @throws HarnessError UnknownSkillPack. */
  constructor(host: SessionHost) {
    const plan = host.plan();
    const { trust } = host;
    this.#host = host;
    this.#builtin = skillsInPacks(settingsOf(skillPacksPart, plan).skillPacks);
    this.#isUsed = this.#builtin.length > 0 || trust.has("skill");
    this.isAsked = trust.asks && trust.has("skill");
    this.canReload = plan.wishes.attended;
  }

  /** True if the session had skills from the start, or a person has added some. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  async load(signal: AbortSignal): Promise<SkillSet> {
    const { trust } = this.#host;
    signal.throwIfAborted();
    if (this.#now !== undefined) return this.#now;
    // Without skills in the project, built-in skills do not wait for answers about its files.
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
    const { skillBodyText } = await import("./format/skill-texts.ts");
    const folder = await this.#ready(skill);
    emitUse(skill, why, emit);
    return this.#host.redactor.text(skillBodyText(skill, folder));
  }

  async activateOnce(skill: Skill, why: string, emit: (event: Event) => void): Promise<string | undefined> {
    if (this.#given.has(skill.name)) return undefined;
    this.#given.set(skill.name, 0);
    return await this.activate(skill, why, emit);
  }

  /** Returns the text of a skill to send to the model with an input. */
  async addToInput(skill: Skill, { why, turn, emit }: SkillActivation): Promise<readonly string[]> {
    const { skillSections } = await import("./format/skill-texts.ts");
    const sections = skillSections(skill, { folder: await this.#ready(skill), why });
    this.#given.set(skill.name, turn);
    emitUse(skill, why, emit);
    return sections.map((text) => this.#host.redactor.text(text));
  }

  /** Returns true if the conversation contains the text of a skill since an earlier turn. */
  isInConversation({ name }: Skill, turn: number): boolean {
    // A refused input does not use up its turn number.
    return (this.#given.get(name) ?? turn) < turn;
  }

  /**
   * Updates the number of messages in the conversation. Fewer messages mean that earlier texts are gone and can be
   * loaded again.
   */
  trackMessages(messages: number): void {
    if (messages < this.#messages) this.#given.clear();
    this.#messages = messages;
  }

  async copies(): Promise<SkillCopies> {
    if (this.#copies !== undefined) return this.#copies;
    const { world } = this.#host;
    const { SkillCopies } = await import("./skill-copies.ts");
    if (this.#copies !== undefined) return this.#copies;
    const copies = new SkillCopies(world.files, skillCopiesFolder(this.#host, this.#host.logId));
    this.#copies = copies;
    await removeOldCopies(world, copies.folder);
    return copies;
  }

  /** Returns the notices that have not been shown, and marks them as shown. */
  takeNotices(): readonly string[] {
    const { shown } = this.#host;
    const keyOf = (notice: string) => this.#keys.get(notice) ?? notice;
    const fresh = (this.#now?.notices ?? []).filter((notice) => !shown.has(keyOf(notice)));
    for (const notice of fresh) shown.add(keyOf(notice));
    return fresh;
  }

  /** Removes the copies of the skills' files. */
  async close(): Promise<void> {
    await this.#copies?.remove();
  }

  async #read(items: readonly TrustItem[], problems: readonly string[]): Promise<SkillSet> {
    const { clock } = this.#host.world;
    const [{ loadSkills }, { builtinSkills }, { SkillSet }, { periodicPause: breather }, { noticeKey }] =
      await Promise.all([
        import("./format/load-skills.ts"),
        import("./builtin/builtin-skills.ts"),
        import("./skill-set.ts"),
        import("../../base/async/periodic-pause.ts"),
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
    this.#keys = new Map(set.notices.map((notice) => [notice, noticeKey(notice, items)]));
    return set;
  }

  /**
   * Returns the folder with the copies of a skill's files; undefined if it has none. If they cannot be created,
   * reports that and returns undefined.
   */
  async #ready(skill: Skill): Promise<string | undefined> {
    const { workspace, world } = this.#host;
    const copies = await this.copies();
    try {
      const folder = await copies.ready(skill);
      if (folder !== undefined) workspace.readable?.add(await world.files.realpath(folder));
      return folder;
    } catch (thrown) {
      // The skill's text is useful without its files.
      const problem = `The files of the skill ${skill.name} cannot be made ready: ${messageOf(thrown)}`;
      const { reason, message } = new HarnessError("SkillProblem", { problem });
      this.#host.publish({ kind: "Error", payload: { reason, message } });
      return undefined;
    }
  }

  #tellChange(): void {
    if (this.#now === undefined) return;
    for (const notice of this.takeNotices()) {
      const { reason, message } = new HarnessError("SkillProblem", { problem: notice });
      this.#host.publish({ kind: "Error", payload: { reason, message, severity: "notice" } });
    }
    this.#host.publish({ kind: "SkillRegistryChanged", payload: { skills: [...this.#now.names] } });
  }
}

function emitUse({ name, source }: Skill, why: string, emit: (event: Event) => void): void {
  const payload = { name, source, why };
  emit({ kind: "CustomEvent", payload: { namespace: "cinch", kind: SKILL_ACTIVATED, payload } });
}
