import { whileAlive } from "../../base/async/deadline.ts";
import { Cancelled, HarnessError } from "../../base/errors.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { ConfigSection } from "../../session/config-section.ts";
import type {
  AcknowledgedFiles,
  JudgedItems,
  PendingItem,
  SessionTrust,
  TrustItem,
  TrustKind,
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

/**
 * The trust of one session in its project: asks about each file that nobody has acknowledged, one after another, and
 * returns what may be loaded ([A] § Trust gates, TOFU-01).
 *
 * A file that is refused, or about which nobody answers in time, is left out of this session. The loaded bytes are
 * those that were read and shown; no file is opened a second time.
 */
export class ProjectTrust implements SessionTrust {
  readonly #project: ProjectFiles;
  readonly #sections: readonly ConfigSection[];
  readonly #judged: JudgedItems | undefined;
  readonly #left = new Set<TrustItem>();
  readonly #end = new AbortController();
  #surface: TrustContext | undefined;
  #loading: Promise<AcknowledgedFiles> | undefined;

  /**
   * @param sections of settings files, among them those that a project may tighten.
   * @param judged undefined if there was nothing to judge.
   */
  constructor(project: ProjectFiles, sections: readonly ConfigSection[], judged?: JudgedItems) {
    this.#project = project;
    this.#sections = sections;
    this.#judged = judged;
    for (const { item } of judged?.pending ?? []) this.#left.add(item);
  }

  /** True if a person has to see anything. */
  get asks(): boolean {
    return (this.#judged?.pending ?? []).length > 0;
  }

  /** True if a person has to see this item first. */
  isPending(item: TrustItem): boolean {
    return this.#judged?.pending.some((pending) => pending.item === item) ?? false;
  }

  has(kind: TrustKind): boolean {
    return this.#project.items.some((item) => item.kind === kind);
  }

  get root(): string {
    return this.#project.root;
  }

  get found(): { readonly items: readonly TrustItem[] } {
    return this.#project;
  }

  get isRepository(): boolean {
    return this.#project.isRepository;
  }

  /** Connects it to the session in which it asks. */
  attach(surface: TrustContext): void {
    this.#surface = surface;
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
    for (const pending of this.#judged?.pending ?? []) {
      if (await this.#isAcknowledged(pending)) this.#left.delete(pending.item);
    }
    const isKept = (item: TrustItem) => !this.#left.has(item);
    const settings = await Promise.all(
      this.#project.settings.filter(isKept).map((item) => settingsFrom(item, this.#sections)),
    );
    this.#surface?.restrict(settings);
    return { settings, items: this.#project.items.filter(isKept) };
  }

  async #isAcknowledged(pending: PendingItem): Promise<boolean> {
    const surface = this.#surface;
    if (surface === undefined) return false;
    const { askAcknowledged } = await import("./ask-acknowledged.ts");
    return await askAcknowledged(pending, { ...surface, record: this.#judged?.record }, this.#end.signal);
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
