import { messageOf } from "../../base/errors.ts";
import { reasonText } from "../../base/reasons.ts";
import type { Confinement, Sandbox, SandboxState } from "../../session/guard/sandbox.ts";
import { policyWithout } from "../../session/guard/sandbox.ts";
import type { CurrentSandbox, OpenSandbox } from "../../session/guard/session-sandbox.ts";
import type { CallPlan } from "../../tools/tool.ts";
import { hostRunNotes, removeForbiddenFiles, removePlantedLinks } from "./after-run.ts";
import type { SandboxSettings } from "./config.ts";
import { UnroutedCount, withAnnouncement } from "./confinement/network-evidence.ts";
import { refusalNote } from "./confinement/symptoms.ts";
import { recordRun } from "./interrupted-runs.ts";
import { applyPolicy, unreadableRefusal } from "./policy/apply-policy.ts";
import type { PolicyBasis } from "./policy/sandbox-paths.ts";
import { closedPaths, stateToken } from "./policy/sandbox-paths.ts";
import { planPolicy } from "./policy/sandbox-policy.ts";
import type { SandboxSources } from "./policy/sandbox-sources.ts";
import {
  backendFor,
  runRecordsFolder,
  SANDBOX_DISABLED,
  sandboxRecordsFolder,
} from "./policy/sandbox-sources.ts";
import { SessionNetwork } from "./proxy/sandbox-session-network.ts";
import type { GitLinks } from "./repository/git-links.ts";
import { gitLinks } from "./repository/git-links.ts";
import type { HostRunWatch } from "./repository/host-run.ts";
import { hostRunWatch } from "./repository/host-run.ts";
import type { RepositoryScan } from "./repository/repository-scan.ts";
import { repositoryScan } from "./repository/repository-scan.ts";
import { repositoryWatch } from "./repository/repository-watch.ts";
import type { RepositoryWatches } from "./repository/repository-watches.ts";
import { repositoryWatches } from "./repository/repository-watches.ts";
import type { SandboxFolders } from "./sandbox-folders.ts";
import { makeSandboxFolders } from "./sandbox-folders.ts";
import type { SandboxRecord } from "./sandbox-leftovers.ts";
import { removeLeftovers, sandboxRecord } from "./sandbox-leftovers.ts";
import { SandboxRuns } from "./sandbox-runs.ts";

export function openSandbox(sources: SandboxSources): OpenSandbox {
  return new SandboxOfSession(sources);
}

interface Prepared extends PolicyBasis {
  readonly state: SandboxState;
  readonly network: "off" | readonly string[];
  /** State of the disk that the preparation is based on. */
  readonly token: string;
  /** Paths that no foreground command can write. */
  readonly closed: readonly string[];
}

class SandboxOfSession implements OpenSandbox {
  readonly #sources: SandboxSources;
  readonly #settings: SandboxSettings;
  readonly #sandbox: Sandbox;
  readonly #network: SessionNetwork;
  readonly #record: SandboxRecord;
  readonly #scan: RepositoryScan;
  readonly #repositories: RepositoryWatches;
  readonly #watch: HostRunWatch;
  readonly #runs = new SandboxRuns();
  readonly #links: GitLinks;
  readonly #stack = new AsyncDisposableStack();
  /** By the plan that was judged, which is the plan that runs: no call can get the verdict of another. */
  readonly #verdicts = new WeakMap<CallPlan, SandboxState["kind"]>();
  #prepared: Promise<Prepared> | undefined;
  #folders: Promise<SandboxFolders> | undefined;
  /** Collected over all preparations: a command of an earlier one may still run. */
  readonly #absent = new Set<string>();
  /** Notices about ended commands, for the next result. */
  readonly #notes: string[] = [];
  /** Notices about the settings that were reported to the user. */
  readonly #noticed = new Set<string>();
  /** Kinds of states that were reported to the user. */
  readonly #reported = new Set<SandboxState["kind"]>();

  constructor(sources: SandboxSources) {
    const { world, root } = sources;
    this.#sources = sources;
    this.#settings = sources.settings;
    this.#sandbox = sources.backend ?? backendFor(sources, sources.proof);
    this.#network = new SessionNetwork(sources, this.#sandbox.name);
    this.#record = sandboxRecord(world, sandboxRecordsFolder(sources), root);
    this.#scan = repositoryScan(world.files, root);
    this.#links = gitLinks(world.files);
    const workspaceWatch = repositoryWatch(world.files, { scan: this.#scan, links: this.#links, root });
    this.#repositories = repositoryWatches(world.files, workspaceWatch, this.#links);
    this.#watch = hostRunWatch(world.files, root, this.#repositories);
  }

  async confinement(plan: CallPlan): Promise<Confinement> {
    const { backend, unavailable } = this.#settings;
    if (backend === "none") return { kind: "none", why: SANDBOX_DISABLED, policy: "ask" };
    // The state is checked again when the command runs: a person may take their time in between.
    const { state, network } = await this.#known();
    this.#verdicts.set(plan, state.kind);
    if (state.kind === "working")
      return { kind: "working", network, ...(this.#network.takesHosts ? { takesHosts: true } : {}) };
    return {
      kind: "none",
      why: `${state.why}; ${state.remedy}`,
      policy: policyWithout(state, unavailable),
      ...(state.kind === "refused" ? { refusal: state } : {}),
    };
  }

  async current(plan: CallPlan): Promise<CurrentSandbox> {
    const { backend, unavailable } = this.#settings;
    if (backend === "none") return { kind: "none" };
    const judged = this.#verdicts.get(plan);
    this.#verdicts.delete(plan);
    // The user's changes since the last command are accepted, and closed for this one.
    if (this.#folders !== undefined && (await this.#runs.betweenRuns(() => this.#watch.accept())))
      this.#prepared = undefined;
    const { state, network, closed } = await this.#current();
    if (state.kind !== "working") {
      // A call that was judged as confined, or not judged, never runs unconfined: if the sandbox fails in between,
      // the call fails.
      return judged === "unavailable" && policyWithout(state, unavailable) === "ask"
        ? { kind: "none" }
        : { kind: "none", refuse: `${state.why}. ${state.remedy}` };
    }
    const refusals = await this.#network.watchRefusals();
    const isBackground = plan.target.kind === "command" && plan.target.background === true;
    const run = isBackground ? this.#runs.inBackground(closed) : this.#runs.begin(closed);
    const { wrap } = state.confine;
    let isDoubtful = false;
    const failure = (stderr: string) => {
      const why = state.confine.failure(stderr);
      isDoubtful ||= why !== undefined;
      return why;
    };
    const record = recordRun(this.#sources.world, runRecordsFolder(this.#sources), {
      closed,
      watches: this.#repositories.saved(),
      links: this.#links.saved(),
    });
    let isFollowed = false;
    const routes = new UnroutedCount(this.#sources.world.files, network === "off" ? "fresh" : "shared");
    // Only if each command has a network namespace, which bubblewrap announces.
    const isCounted = !isBackground && this.#sandbox.name === "bubblewrap";
    return {
      kind: "working",
      recorded: record.written,
      confine: {
        ...state.confine,
        failure,
        ...(isCounted ? { wrap: (options, how) => wrap(withAnnouncement(options), how) } : {}),
      },
      network,
      follow: (child) => {
        routes.follow(child, record.settled);
        isFollowed = true;
        run.track(child, () => this.#tidyOrLog(() => record.end()));
      },
      sweep: async () => {
        run.end();
        await routes.end();
        await this.#tidy();
        if (!isBackground || !isFollowed) await record.end();
      },
      afterwards: async () => {
        const refused = refusals.during();
        const notes = refusals.report().map(({ why }) => refusalNote(why));
        run.end();
        const [unrouted] = await Promise.all([routes.end(), this.#tidy()]);
        const isRefuted = isDoubtful && (await this.#sandbox.doubt?.()) === true;
        if (isRefuted) this.#prepared = undefined;
        if (!isBackground || !isFollowed) await record.end();
        return { notes: [...notes, ...this.#notes.splice(0)], refused, unrouted, isRefuted };
      },
    };
  }

  async grant(hosts: readonly string[]): Promise<void> {
    if (this.#network.grant(hosts)) this.#prepared = undefined;
  }

  async accept(paths?: readonly string[]): Promise<void> {
    if (await this.#watch.accept(paths)) this.#prepared = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#network[Symbol.asyncDispose]();
    if (this.#folders !== undefined) await this.#tidy(); // what a command in the background left
    await this.#stack.disposeAsync();
    await this.#record.end();
  }

  /** Removes what must not exist after a command, and keeps the notes for the next result. */
  async #tidy(): Promise<void> {
    const { files } = this.#sources.world;
    await this.#runs.afterRuns(async (isClosed) => {
      const absent = await removeForbiddenFiles(files, this.#absent);
      const changes = await this.#watch.look(isClosed);
      const links = await removePlantedLinks(files, await this.#links.planted());
      // From the next command on, its hooks and configuration are closed, as those of earlier repositories.
      if (changes.repositories.some(({ isNew }) => isNew)) this.#prepared = undefined;
      this.#notes.push(...absent, ...links, ...hostRunNotes(changes));
    });
  }

  /** Tidies after a command in the background, whose end nobody awaits; logs a failure. */
  async #tidyOrLog(isOver: () => Promise<void>): Promise<void> {
    try {
      await this.#tidy();
      await isOver();
    } catch (thrown) {
      const problem = messageOf(thrown);
      this.#sources.world.log
        .for("sandbox")
        .write("error", "what a background command left was not checked", { problem });
    }
  }

  /** Returns the last preparation, or a new one if a policy was refused: what stood in its way may be gone. */
  async #known(): Promise<Prepared> {
    const known = this.#prepared;
    const before = await known;
    if (before !== undefined && before.state.kind !== "refused") return before;
    return await (this.#prepared === known ? this.#prepare() : (this.#prepared ?? this.#prepare()));
  }

  async #current(): Promise<Prepared> {
    const known = this.#prepared;
    if (known === undefined) return await this.#prepare();
    const before = await known;
    if (before.state.kind === "refused") return await this.#known();
    if (before.state.kind === "unavailable") return before;
    if (await this.#network.hasEnded()) return await this.#prepare();
    const now = await stateToken(this.#sources.world.files, before);
    if (now === before.token || this.#prepared !== known) return await (this.#prepared ?? this.#prepare());
    return await this.#prepare();
  }

  #prepare(): Promise<Prepared> {
    const preparing = this.#prepareNow();
    this.#prepared = preparing;
    preparing.catch(() => {
      if (this.#prepared === preparing) this.#prepared = undefined; // the next command tries again
    });
    return preparing;
  }

  async #prepareNow(): Promise<Prepared> {
    const { world } = this.#sources;
    this.#folders ??= this.#begin();
    const folders = await this.#folders;
    const planned = await this.#plan(folders);
    if ("kind" in planned) {
      this.#tell(planned);
      return {
        state: planned,
        network: "off",
        token: "",
        watched: [],
        parentFolders: [],
        linked: [],
        closed: [],
      };
    }
    const { policy, watched, parentFolders, linked, absent, beside, gitDirectories } = planned;
    for (const path of absent) this.#absent.add(path);
    for (const text of planned.notices) this.#tellOnce(text);
    await this.#repositories.add(beside);
    await this.#links.know(gitDirectories);
    const token = await stateToken(world.files, { watched, parentFolders, linked });
    const backend = () => this.#sources.backend ?? backendFor(this.#sources);
    const state = await applyPolicy(this.#sandbox, backend, policy);
    const made = state.kind === "unavailable" ? [] : state.made;
    await this.#record.add({ base: folders.base, made, absent });
    if (state.kind !== "working") this.#tell(state);
    const network = policy.network.kind === "off" ? "off" : this.#network.hosts;
    const closed = await closedPaths(world.files, policy);
    return { state, network, token, watched, parentFolders, linked, closed };
  }

  /** Plans the policy. A path of the workspace that cannot be resolved refuses every command. */
  async #plan(folders: SandboxFolders) {
    try {
      return await planPolicy(this.#sources, folders, this.#scan, () =>
        this.#network.policy(folders.workshop),
      );
    } catch (thrown) {
      const refused = unreadableRefusal(thrown);
      if (refused === undefined) throw thrown;
      return refused;
    }
  }

  /** Removes what killed sessions left before anything is inspected: it would look as if it belonged there. */
  async #begin(): Promise<SandboxFolders> {
    const { world } = this.#sources;
    await removeLeftovers(world, sandboxRecordsFolder(this.#sources));
    await this.#watch.look(() => false);
    const folders = await makeSandboxFolders(world.files, this.#stack);
    // Recorded before any inspection: another session on this workspace that ends now leaves the empty files to
    // this one.
    await this.#record.add({ base: folders.base, made: [], absent: [] });
    return folders;
  }

  #tellOnce(text: string): void {
    if (this.#noticed.has(text)) return;
    this.#noticed.add(text);
    this.#sources.onNotice(text);
  }

  #tell(state: Exclude<SandboxState, { kind: "working" }>): void {
    const { why, remedy } = state;
    if (this.#reported.has(state.kind)) return;
    this.#reported.add(state.kind);
    const asks =
      this.#sources.autoApprove === true
        ? "Each command runs with your own rights, since --auto-approve says yes to it"
        : "Each command is asked for";
    const then = policyWithout(state, this.#settings.unavailable) === "refuse" ? "No command runs" : asks;
    this.#sources.onUnavailable(reasonText("SandboxUnavailable", { why, then, remedy }));
  }
}
