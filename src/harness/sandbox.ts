import { dirname, join, resolve } from "node:path";
import { unreachable } from "../base/assert.ts";
import { reasonText } from "../base/reasons.ts";
import type { World } from "../base/world.ts";
import type { SandboxSettings } from "../profile/sandbox.ts";
import { bubblewrap } from "../sandbox/bubblewrap/bubblewrap.ts";
import type { CurrentSandbox, SessionSandbox } from "../sandbox/confinement/confine.ts";
import { container } from "../sandbox/container/container.ts";
import { candidates, hiddenPlaces, startupPlaces } from "../sandbox/hidden-places.ts";
import type { HostRunChanges, HostRunWatch } from "../sandbox/host-run.ts";
import { hostRunWatch } from "../sandbox/host-run.ts";
import { repositoryPlaces } from "../sandbox/repository.ts";
import type {
  Confinement,
  NetworkPolicy,
  ProtectedPlace,
  Sandbox,
  SandboxPolicy,
  SandboxState,
  UnavailablePolicy,
} from "../sandbox/sandbox.ts";
import { seatbelt } from "../sandbox/seatbelt/seatbelt.ts";
import type { HarnessPaths } from "./options.ts";
import { ownDirectories } from "./own-directories.ts";
import type { SandboxRecord } from "./sandbox-leftovers.ts";
import { removeLeftovers, sandboxRecord } from "./sandbox-leftovers.ts";
import type { OpenNetwork } from "./sandbox-network.ts";
import { openNetwork } from "./sandbox-network.ts";
import {
  existing,
  foldersAbove,
  protectable,
  temporaryPlaces,
  tokenOf,
  visiblePlaces,
} from "./sandbox-places.ts";

export interface SandboxSources {
  readonly world: World;
  /** The workspace, resolved. */
  readonly root: string;
  readonly paths: HarnessPaths;
  readonly home?: string;
  /** `config.toml`, which goes before the profile. */
  readonly user?: SandboxSettings;
  readonly profile?: SandboxSettings;
  /** Further places to hide, which the project's own settings name: absolute, below `~/`, or below the workspace. */
  projectHidden(): Promise<readonly string[]>;
  /** What deny rules forbid, asked for after `projectHidden`: a repository's rules are known by then. */
  denied?(): { readonly hidden: readonly string[]; readonly readOnly: readonly ProtectedPlace[] };
  /** The user's `PATH`. */
  readonly path?: string;
  /** See `HarnessOptions.relayCommand`. */
  readonly relayCommand?: readonly [string, ...string[]];
  /** What is asked is answered with yes, which the person is told where there is no sandbox. */
  readonly autoApprove?: boolean;
  /** In place of what the settings name. */
  readonly backend?: Sandbox;
  /** Told once, when a command finds that there is no sandbox. */
  onUnavailable(text: string): void;
}

/** The sandbox of one session: it is prepared when the first command needs it, and anew when what it stands on changed. */
export interface OpenSandbox extends SessionSandbox, AsyncDisposable {
  /** What the gate judges by. */
  confinement(): Promise<Confinement>;
}

/** Where no backend is wanted, commands run as they always did, and the gate asks for each. */
const NOT_WANTED = 'there is no sandbox: backend = "none" under [sandbox]';

export function openSandbox(sources: SandboxSources): OpenSandbox {
  return new SandboxOfSession(sources);
}

/** `auto` is what the platform brings. */
function backendFor({ world, user, profile }: SandboxSources): Sandbox {
  const wanted = user?.backend ?? profile?.backend ?? "auto";
  const platformsOwn = world.machine.platform === "darwin" ? "seatbelt" : "bubblewrap";
  const name = wanted === "auto" || wanted === "none" ? platformsOwn : wanted;
  switch (name) {
    case "bubblewrap":
      return bubblewrap({ world });
    case "seatbelt":
      return seatbelt({ world });
    case "container":
      return container({ world, image: user?.image ?? profile?.image ?? "" });
    default:
      return unreachable(name);
  }
}

/** Below cinch's own state, which no command sees. */
function recordsOf({ paths }: SandboxSources): string {
  return join(paths.state, "sandboxes");
}

interface Prepared {
  readonly state: SandboxState;
  readonly network: "off" | readonly string[];
  /** What the disk looked like. */
  readonly token: string;
  readonly watched: readonly string[];
  readonly absent: readonly string[];
}

class SandboxOfSession implements OpenSandbox {
  readonly #sources: SandboxSources;
  readonly #sandbox: Sandbox;
  readonly #stack = new AsyncDisposableStack();
  #prepared: Promise<Prepared> | undefined;
  #told = false;
  /** What the gate was told last, and the next command runs in. */
  #judged: Prepared | undefined;
  #folders: Promise<{ readonly temporary: string; readonly workshop: string }> | undefined;
  #network: Promise<OpenNetwork> | undefined;
  #toldNetwork = false;
  readonly #record: SandboxRecord;
  readonly #watch: HostRunWatch;

  constructor(sources: SandboxSources) {
    this.#sources = sources;
    this.#record = sandboxRecord(sources.world, recordsOf(sources), sources.root);
    this.#watch = hostRunWatch(sources.world.files, sources.root);
    this.#sandbox = sources.backend ?? backendFor(sources);
  }

  async confinement(): Promise<Confinement> {
    if (this.#backend === "none") return { kind: "none", why: NOT_WANTED, policy: "ask" };
    const prepared = await this.#current();
    const { state, network } = prepared;
    this.#judged = prepared;
    if (state.kind === "working") return { kind: "working", network };
    return { kind: "none", why: `${state.why}; ${state.remedy}`, policy: this.#unavailable };
  }

  async current(): Promise<CurrentSandbox> {
    if (this.#backend === "none") return { kind: "none" };
    // The gate has just looked, and judged by what it saw.
    const judged = this.#judged;
    this.#judged = undefined;
    const { state, network } = judged ?? (await this.#current());
    if (state.kind === "working") return { kind: "working", confine: state.confine, network };
    // What was judged as confined is not run unconfined: a sandbox that fails in between fails the call.
    return this.#unavailable === "refuse" || judged === undefined
      ? { kind: "none", refuse: `${state.why}. ${state.remedy}` }
      : { kind: "none" };
  }

  /** Removes what would make git look elsewhere for its configuration (S26), and tells what the host will run (S27). */
  async afterwards(): Promise<readonly string[]> {
    const { absent } = await (this.#prepared ?? this.#current());
    const [removed, changes] = await Promise.all([this.#remove(absent), this.#watch.look()]);
    // From the next command on its hooks and configuration are closed, as those of repositories that were there.
    if (changes.repositories.length > 0) this.#prepared = undefined;
    const network = await this.#network;
    const refusals = network?.kind === "open" ? network.refusals() : [];
    return [...refusals.map((why) => `[proxy: ${why}]`), ...removed, ...hostRunNotes(changes)];
  }

  async sweep(): Promise<void> {
    const prepared = await this.#prepared?.catch(() => undefined); // then no command has run
    await this.#remove(prepared?.absent ?? []);
  }

  async accept(paths?: readonly string[]): Promise<void> {
    await this.#watch.accept(paths);
  }

  async #remove(absent: readonly string[]): Promise<readonly string[]> {
    const { files } = this.#sources.world;
    const looks = absent.map(async (path) => {
      if ((await files.lstat(path)) === undefined) return [];
      await files.remove(path);
      return [`[${path} was removed: it would make git take its configuration from elsewhere]`];
    });
    return (await Promise.all(looks)).flat();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const network = await this.#network;
    if (network?.kind === "open") await network[Symbol.asyncDispose]();
    await this.sweep(); // what a command in the background left
    await this.#stack.disposeAsync();
    await this.#record.end();
  }

  get #backend() {
    const { user, profile } = this.#sources;
    return user?.backend ?? profile?.backend ?? "auto";
  }

  get #unavailable(): UnavailablePolicy {
    const { user, profile } = this.#sources;
    return user?.unavailable ?? profile?.unavailable ?? "ask";
  }

  async #current(): Promise<Prepared> {
    const known = this.#prepared;
    if (known === undefined) return await this.#prepare();
    const before = await known;
    if (before.state.kind === "unavailable") return before;
    const network = await this.#network;
    if (network?.kind === "open" && network.ended()) {
      await network[Symbol.asyncDispose]();
      this.#network = undefined;
      return await this.#prepare();
    }
    const now = await tokenOf(this.#sources.world.files, before.watched);
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
    const { world, root, paths, home, user, profile } = this.#sources;
    const { files } = world;
    const expanded = (listed: readonly string[] | undefined) =>
      (listed ?? []).map((path) => (path.startsWith("~/") ? join(home ?? "/", path.slice(2)) : path));
    const wanted = [
      ...candidates(home, world.machine.platform),
      ...expanded(user?.hidden),
      ...expanded(profile?.hidden),
      ...expanded(await this.#sources.projectHidden()).map((path) => resolve(root, path)),
    ];
    const denied = this.#sources.denied?.();
    wanted.push(...(denied?.hidden ?? []));
    const isFirst = this.#folders === undefined;
    if (isFirst) await removeLeftovers(world, recordsOf(this.#sources));
    const [forbidden, hidden, own, repository, folders] = await Promise.all([
      protectable(files, root, denied?.readOnly ?? []),
      hiddenPlaces(files, wanted),
      ownDirectories(files, paths),
      repositoryPlaces(files, root, home),
      this.#folders ?? this.#makeFolders(),
      ...(isFirst ? [this.#watch.look()] : []),
    ]);
    const writable = await existing(files, [...expanded(user?.writable), ...expanded(profile?.writable)]);
    const policy: SandboxPolicy = {
      root,
      writable: [...repository.writable, ...writable],
      readOnly: [...repository.readOnly, ...startupPlaces(home, root), ...forbidden],
      visible: visiblePlaces(dirname(folders.workshop), [home, ...(this.#sources.path ?? "").split(":")]),
      hidden: [...hidden, ...own, ...temporaryPlaces(dirname(folders.workshop), root)],
      ...folders,
      network: await this.#openNetwork(folders.workshop),
    };
    const above = await foldersAbove(files, wanted);
    const watched = [
      ...new Set([...above, ...repository.readOnly.map(({ path }) => path), join(root, ".git")]),
    ];
    const token = await tokenOf(files, watched);
    const state = await this.#sandbox.prepare(policy);
    const made = state.kind === "working" ? state.made : [];
    await this.#record.add({ base: dirname(folders.workshop), made });
    if (state.kind === "unavailable") this.#tell(state);
    const network = policy.network.kind === "off" ? "off" : this.#hosts;
    return { state, network, token, watched, absent: repository.absent };
  }

  get #hosts(): readonly string[] {
    const { user, profile } = this.#sources;
    return user?.network ?? profile?.network ?? [];
  }

  /** Off wherever anything about it is not as it should be (S57), and where hosts are listed, that is told. */
  async #openNetwork(workshop: string): Promise<NetworkPolicy> {
    const { world, relayCommand } = this.#sources;
    if (this.#hosts.length === 0) return { kind: "off" };
    const { name } = this.#sandbox;
    if (name !== "bubblewrap") {
      return this.#noNetwork(
        `the backend ${name} serves no list`,
        "take `network` out of [sandbox], and let a person approve commands that need more (outside_sandbox)",
      );
    }
    if (relayCommand === undefined)
      return this.#noNetwork("this program has no relay", "give openHarness a relayCommand");
    this.#network ??= openNetwork({ world, relayCommand, hosts: this.#hosts, workshop });
    const network = await this.#network;
    return network.kind === "open" ? network.policy : this.#noNetwork(network.why, network.remedy);
  }

  #noNetwork(why: string, remedy: string): NetworkPolicy {
    const text = `Commands have no network, though [sandbox] lists hosts: ${why}. Remedy: ${remedy}.`;
    if (!this.#toldNetwork) this.#sources.onUnavailable(text);
    this.#toldNetwork = true;
    return { kind: "off" };
  }

  #tell({ why, remedy }: Extract<SandboxState, { kind: "unavailable" }>): void {
    if (this.#told) return;
    this.#told = true;
    const asks =
      this.#sources.autoApprove === true
        ? "Each command runs with your own rights, since --auto-approve says yes to it"
        : "Each command is asked for";
    const then = this.#unavailable === "refuse" ? "No command runs" : asks;
    this.#sources.onUnavailable(reasonText("SandboxUnavailable", { why, then, remedy }));
  }

  async #makeFolders() {
    const { files } = this.#sources.world;
    const making = (async () => {
      const base = await files.makeTemporary("cinch-");
      this.#stack.defer(() => files.remove(base));
      const [temporary, workshop] = [join(base, "tmp"), join(base, "own")];
      await files.makeDirectory(temporary, 0o700);
      await files.makeDirectory(workshop, 0o700);
      return { temporary, workshop };
    })();
    this.#folders = making;
    return await making;
  }
}

function hostRunNotes({ files, repositories }: HostRunChanges): readonly string[] {
  return [
    ...(files.length === 0
      ? []
      : [
          `[New or changed, and run or obeyed by programs outside of the sandbox: ${files.join(", ")}. A person should look at them before that]`,
        ]),
    ...repositories.map(
      (path) =>
        `[${path} is a new repository: outside of the sandbox, git follows its hooks and configuration]`,
    ),
  ];
}
