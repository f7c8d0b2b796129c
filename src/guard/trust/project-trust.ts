import { whileAlive } from "../../base/async/deadline.ts";
import { Cancelled, HarnessError } from "../../base/errors.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { ConfigSection } from "../../session/config-section.ts";
import type {
  AcknowledgedFiles,
  JudgedItems,
  JudgedProject,
  PendingItem,
  SessionTrust,
  TrustItem,
  TrustKind,
  TrustRecord,
} from "../../session/guard/trust.ts";
import type { Ask } from "../../session/questions.ts";
import type { ProjectSettings } from "../../session/settings/settings.ts";
import { kindName } from "./ledger/item.ts";
import type { ProjectFiles } from "./project-files.ts";

/** Ways for trust to ask, to publish, and to apply what was acknowledged. */
export interface TrustContext {
  readonly ask: Ask;
  readonly publish: (event: Event) => void;
  /** Applies acknowledged settings, before anything of the project reaches a model. */
  readonly restrict: (settings: readonly ProjectSettings[]) => void;
}

/** Files that a session would load, judged before it opens. The session asks about them: see `ProjectTrust`. */
export class JudgedFiles implements JudgedProject {
  readonly files: ProjectFiles;
  /** Files that a person has to see first. */
  readonly pending: readonly PendingItem[];
  /** Record of answers; undefined if there was nothing to judge. */
  readonly record: TrustRecord | undefined;
  readonly #sections: readonly ConfigSection[];

  /**
   * @param sections of settings files, among them those that a project may tighten.
   * @param judged undefined if there was nothing to judge.
   */
  constructor(files: ProjectFiles, sections: readonly ConfigSection[], judged?: JudgedItems) {
    this.files = files;
    this.pending = judged?.pending ?? [];
    this.record = judged?.record;
    this.#sections = sections;
  }

  /** True if a person has to see anything. */
  get asks(): boolean {
    return this.pending.length > 0;
  }

  /** True if a person has to see this item first. */
  isPending(item: TrustItem): boolean {
    return this.pending.some((pending) => pending.item === item);
  }

  has(kind: TrustKind): boolean {
    return this.files.items.some((item) => item.kind === kind);
  }

  get root(): string {
    return this.files.root;
  }

  get found(): { readonly items: readonly TrustItem[] } {
    return this.files;
  }

  get isRepository(): boolean {
    return this.files.isRepository;
  }

  /**
   * Returns what may be loaded if a person refuses some of the pending files.
   * @throws HarnessError ConfigInvalid for settings that cannot be parsed or would widen anything.
   */
  async without(refused: ReadonlySet<TrustItem>): Promise<AcknowledgedFiles> {
    const isKept = (item: TrustItem) => !refused.has(item);
    const { settings, items } = this.files;
    return {
      settings: await Promise.all(settings.filter(isKept).map((item) => settingsFrom(item, this.#sections))),
      items: items.filter(isKept),
    };
  }
}

/**
 * The trust of one session in its project: asks about each file that nobody has acknowledged, one after another, and
 * returns what may be loaded ([A] § Trust gates, TOFU-01).
 *
 * A file that is refused, or about which nobody answers in time, is left out of this session. The loaded bytes are
 * those that were read and shown; no file is opened a second time.
 */
export class ProjectTrust implements SessionTrust {
  readonly project: JudgedFiles;
  readonly #context: TrustContext;
  readonly #end = new AbortController();
  #loading: Promise<AcknowledgedFiles> | undefined;

  constructor(project: JudgedFiles, context: TrustContext) {
    this.project = project;
    this.#context = context;
  }

  get asks(): boolean {
    return this.project.asks;
  }

  isPending(item: TrustItem): boolean {
    return this.project.isPending(item);
  }

  has(kind: TrustKind): boolean {
    return this.project.has(kind);
  }

  get root(): string {
    return this.project.root;
  }

  get found(): { readonly items: readonly TrustItem[] } {
    return this.project.found;
  }

  get isRepository(): boolean {
    return this.project.isRepository;
  }

  /** Starts to ask, now that a client is subscribed. Safe to call again. */
  begin(): void {
    this.#load().catch(() => undefined); // `loaded` reports the error to its callers
  }

  /**
   * Returns what may be loaded; waits until every question is settled.
   * @throws signal.reason; HarnessError ConfigInvalid if an acknowledged file cannot be parsed or would widen anything.
   */
  async loaded(signal: AbortSignal): Promise<AcknowledgedFiles> {
    signal.throwIfAborted();
    return await whileAlive(this.#load(), signal);
  }

  /** Withdraws open questions: the session ends. */
  end(): void {
    this.#end.abort(new Cancelled("engine", "the session was ended"));
  }

  #load(): Promise<AcknowledgedFiles> {
    this.#loading ??= this.#settle();
    return this.#loading;
  }

  async #settle(): Promise<AcknowledgedFiles> {
    const refused = new Set<TrustItem>();
    for (const pending of this.project.pending) {
      if (!(await this.#isAcknowledged(pending))) refused.add(pending.item);
    }
    const loaded = await this.project.without(refused);
    this.#context.restrict(loaded.settings);
    return loaded;
  }

  async #isAcknowledged(pending: PendingItem): Promise<boolean> {
    const { askAcknowledged } = await import("./ask-acknowledged.ts");
    return await askAcknowledged(
      pending,
      { ...this.#context, record: this.project.record },
      this.#end.signal,
    );
  }
}

/** Parses the settings of an acknowledged file of a project, from the bytes that were acknowledged. */
export async function settingsFrom(
  item: TrustItem,
  sections: readonly ConfigSection[],
): Promise<ProjectSettings> {
  const { projectConfig, projectPermissions } = await import("../../config/project.ts");
  const bytes = item.files[0]?.bytes ?? new Uint8Array();
  const file = { path: item.path, bytes };
  if (item.kind === "config") return await projectConfig(file, sections);
  if (item.kind === "permission-preset") return await projectPermissions(file);
  throw new HarnessError("InternalError", { what: `a ${kindName(item.kind)} holds no settings` });
}
