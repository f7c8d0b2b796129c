import { reasonText } from "../base/reasons.ts";
import type { CurrentSandbox, SessionSandbox } from "../sandbox/confinement/confine.ts";
import type { GitLinks } from "../sandbox/git-links.ts";
import { gitLinks } from "../sandbox/git-links.ts";
import type { HostRunWatch } from "../sandbox/host-run.ts";
import { hostRunWatch } from "../sandbox/host-run.ts";
import type { RepositoryScan } from "../sandbox/repository-scan.ts";
import { repositoryScan } from "../sandbox/repository-scan.ts";
import type { Confinement, Sandbox, SandboxState } from "../sandbox/sandbox.ts";
import type { CallPlan } from "../tool/tool.ts";
import { hostRunNotes, removeAbsent, removeLinks } from "./sandbox-aftermath.ts";
import type { SandboxFolders } from "./sandbox-folders.ts";
import { makeFolders } from "./sandbox-folders.ts";
import type { SandboxRecord } from "./sandbox-leftovers.ts";
import { removeLeftovers, sandboxRecord } from "./sandbox-leftovers.ts";
import { tokenOf } from "./sandbox-places.ts";
import { planPolicy } from "./sandbox-policy.ts";
import { SessionNetwork } from "./sandbox-session-network.ts";
import type { SandboxSources, SandboxWishes } from "./sandbox-sources.ts";
import { backendFor, NOT_WANTED, recordsOf, wishesOf } from "./sandbox-sources.ts";

/** The sandbox of one session: it is prepared when the first command needs it, and anew when what it stands on changed. */
export interface OpenSandbox extends SessionSandbox, AsyncDisposable {
  /** What the gate judges a command by. The verdict counts for this very plan, once. */
  confinement(plan: CallPlan): Promise<Confinement>;
}

export function openSandbox(sources: SandboxSources): OpenSandbox {
  return new SandboxOfSession(sources);
}

interface Prepared {
  readonly state: SandboxState;
  readonly network: "off" | readonly string[];
  /** What the disk looked like. */
  readonly token: string;
  readonly watched: readonly string[];
  readonly held: readonly string[];
}

class SandboxOfSession implements OpenSandbox {
  readonly #sources: SandboxSources;
  readonly #wishes: SandboxWishes;
  readonly #sandbox: Sandbox;
  readonly #network: SessionNetwork;
  readonly #record: SandboxRecord;
  readonly #scan: RepositoryScan;
  readonly #watch: HostRunWatch;
  readonly #links: GitLinks;
  readonly #stack = new AsyncDisposableStack();
  /** By the plan that was judged, which is the plan that runs: no call can have the verdict of another. */
  readonly #verdicts = new WeakMap<CallPlan, SandboxState["kind"]>();
  #prepared: Promise<Prepared> | undefined;
  #folders: Promise<SandboxFolders> | undefined;
  /** Of every preparation: a command of an earlier one may still run. */
  readonly #absent = new Set<string>();
  #isTold = false;

  constructor(sources: SandboxSources) {
    const { world, root } = sources;
    this.#sources = sources;
    this.#wishes = wishesOf(sources);
    this.#sandbox = sources.backend ?? backendFor(sources);
    this.#network = new SessionNetwork(sources, this.#sandbox.name);
    this.#record = sandboxRecord(world, recordsOf(sources), root);
    this.#scan = repositoryScan(world.files, root);
    this.#watch = hostRunWatch(world.files, root, this.#scan);
    this.#links = gitLinks(world.files);
  }

  async confinement(plan: CallPlan): Promise<Confinement> {
    const { backend, unavailable } = this.#wishes;
    if (backend === "none") return { kind: "none", why: NOT_WANTED, policy: "ask" };
    // Whether it still stands is looked at when the command runs: a person may take their time in between.
    const { state, network } = await (this.#prepared ?? this.#prepare());
    this.#verdicts.set(plan, state.kind);
    if (state.kind === "working") return { kind: "working", network };
    return { kind: "none", why: `${state.why}; ${state.remedy}`, policy: unavailable };
  }

  async current(plan: CallPlan): Promise<CurrentSandbox> {
    const { backend, unavailable } = this.#wishes;
    if (backend === "none") return { kind: "none" };
    const judged = this.#verdicts.get(plan);
    this.#verdicts.delete(plan);
    const { state, network } = await this.#current();
    if (state.kind === "unavailable") {
      // What was judged as confined, or by nobody, is not run unconfined: a sandbox that fails in between fails the call.
      return judged === "unavailable" && unavailable === "ask"
        ? { kind: "none" }
        : { kind: "none", refuse: `${state.why}. ${state.remedy}` };
    }
    const refusals = await this.#network.watchRefusals();
    return {
      kind: "working",
      confine: state.confine,
      network,
      sweep: async () => {
        this.#prepared = undefined; // nobody has looked at what it made: the next command does
        await this.#sweep();
      },
      afterwards: async () => {
        const refused = refusals.during();
        const told = refusals.tell().map((why) => `[proxy: ${why}]`);
        const [removed, changes] = await Promise.all([this.#sweep(), this.#watch.look()]);
        // From the next command on its hooks and configuration are closed, as those of repositories that were there.
        if (changes.repositories.some(({ isNew }) => isNew)) this.#prepared = undefined;
        return { notes: [...told, ...removed, ...hostRunNotes(changes)], refused };
      },
    };
  }

  async accept(paths?: readonly string[]): Promise<void> {
    if (await this.#watch.accept(paths)) this.#prepared = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#network[Symbol.asyncDispose]();
    await this.#sweep(); // what a command in the background left
    await this.#stack.disposeAsync();
    await this.#record.end();
  }

  /** Takes away what would lead git elsewhere, and tells it. */
  async #sweep(): Promise<readonly string[]> {
    const { files } = this.#sources.world;
    const [absent, links] = await Promise.all([
      removeAbsent(files, this.#absent),
      removeLinks(files, await this.#links.planted()),
    ]);
    return [...absent, ...links];
  }

  async #current(): Promise<Prepared> {
    const known = this.#prepared;
    if (known === undefined) return await this.#prepare();
    const before = await known;
    if (before.state.kind === "unavailable") return before;
    if (await this.#network.hasEnded()) return await this.#prepare();
    const now = await tokenOf(this.#sources.world.files, before);
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
    const { policy, watched, held, absent, gitDirectories } = await planPolicy(
      this.#sources,
      folders,
      this.#scan,
      () => this.#network.policy(folders.workshop),
    );
    for (const path of absent) this.#absent.add(path);
    await this.#links.know(gitDirectories);
    const token = await tokenOf(world.files, { watched, held });
    const state = await this.#sandbox.prepare(policy);
    const made = state.kind === "working" ? state.made : [];
    await this.#record.add({ base: folders.base, made, absent });
    if (state.kind === "unavailable") this.#tell(state);
    const network = policy.network.kind === "off" ? "off" : this.#network.hosts;
    return { state, network, token, watched, held };
  }

  /** What killed sessions left goes before anything is looked at: it would look as if it belonged there. */
  async #begin(): Promise<SandboxFolders> {
    const { world } = this.#sources;
    await removeLeftovers(world, recordsOf(this.#sources));
    await this.#watch.look();
    return await makeFolders(world.files, this.#stack);
  }

  #tell({ why, remedy }: Extract<SandboxState, { kind: "unavailable" }>): void {
    if (this.#isTold) return;
    this.#isTold = true;
    const asks =
      this.#sources.autoApprove === true
        ? "Each command runs with your own rights, since --auto-approve says yes to it"
        : "Each command is asked for";
    const then = this.#wishes.unavailable === "refuse" ? "No command runs" : asks;
    this.#sources.onUnavailable(reasonText("SandboxUnavailable", { why, then, remedy }));
  }
}
