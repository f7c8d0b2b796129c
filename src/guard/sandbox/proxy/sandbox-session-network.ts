import type { Refusal } from "../../../session/guard/hosts.ts";
import type { NetworkPolicy } from "../../../session/guard/sandbox.ts";
import type { SandboxSources } from "../policy/sandbox-sources.ts";
import type { OpenNetwork } from "./sandbox-network.ts";
import { openNetwork } from "./sandbox-network.ts";

/** What the proxy refused, as one command sees it. */
export interface RefusalsSeen {
  /** Why requests were not let through since the command began; each reason once. */
  during(): readonly Refusal[];
  /** The same, with what nobody was told of before. From then on all of it counts as told. */
  tell(): readonly Refusal[];
}

/**
 * The network of a session's commands, which is opened when the first of them needs it, and anew where its relay died.
 *
 * It is off wherever anything about it is not as it should be (S57); where hosts are listed, that is told, once.
 */
export class SessionNetwork implements AsyncDisposable {
  readonly #sources: SandboxSources;
  /** The name of the backend. */
  readonly #backend: string;
  #opening: Promise<OpenNetwork> | undefined;
  #isTold = false;
  /** A person, a rule or `--auto-approve` lets commands run behind a proxy that refuses every host and records it. */
  #asksEach = false;
  readonly #granted = new Set<string>();
  /** Networks with fewer hosts, in which commands may still run. */
  readonly #past: Promise<OpenNetwork>[] = [];

  readonly #open: typeof openNetwork;

  constructor(sources: SandboxSources, backend: string, open = openNetwork) {
    this.#sources = sources;
    this.#backend = backend;
    this.#open = open;
  }

  get hosts(): readonly string[] {
    return [...new Set([...this.#sources.settings.network, ...this.#granted])];
  }

  /** True if a list of hosts can be enforced here. */
  get takesHosts(): boolean {
    return this.#backend === "bubblewrap" && this.#sources.relayCommand !== undefined;
  }

  /**
   * Adds hosts; with none, opens a network whose proxy refuses every host and records it. Returns false where nothing changes.
   * Commands that run keep the network that they were started in.
   */
  grant(hosts: readonly string[]): boolean {
    const before = this.hosts;
    const opens = hosts.length === 0 && before.length === 0 && !this.#asksEach;
    if (hosts.every((host) => before.includes(host)) && !opens) return false;
    this.#asksEach ||= opens;
    for (const host of hosts) this.#granted.add(host);
    if (this.#opening !== undefined) this.#past.push(this.#opening);
    this.#opening = undefined;
    return true;
  }

  async policy(workshop: string): Promise<NetworkPolicy> {
    const { world, relayCommand } = this.#sources;
    const { hosts } = this;
    if (hosts.length === 0 && !this.#asksEach) return { kind: "off" };
    if (this.#backend !== "bubblewrap") {
      return this.#none(
        `the backend ${this.#backend} serves no list`,
        "take `network` out of [sandbox], and let a person approve commands that need more (outside_sandbox)",
      );
    }
    if (relayCommand === undefined)
      return this.#none("this program has no relay", "give openHarness a relayCommand");
    const before = this.#opening;
    const network = await before;
    if (network?.kind === "open" && network.ended() && this.#opening === before) {
      this.#opening = undefined;
      await network[Symbol.asyncDispose]();
    }
    this.#opening ??= this.#open({ world, relayCommand, hosts, workshop, path: this.#sources.path });
    const opened = await this.#opening;
    return opened.kind === "open" ? opened.policy : this.#none(opened.why, opened.remedy);
  }

  /** Whether it was open and its relay has died: the next `policy` opens another. */
  async hasEnded(): Promise<boolean> {
    const network = await this.#opening;
    return network?.kind === "open" && network.ended();
  }

  /** Begins to look for what is refused from now on. */
  async watchRefusals(): Promise<RefusalsSeen> {
    const network = await this.#opening;
    if (network?.kind !== "open") return { during: () => [], tell: () => [] };
    const since = network.refusals.count();
    return {
      during: () => network.refusals.since(since),
      tell: () => network.refusals.tell(since),
    };
  }

  /** @throws the first failure, once every network was closed. */
  async [Symbol.asyncDispose](): Promise<void> {
    const openings = await Promise.allSettled([...this.#past, this.#opening]);
    const closings = await Promise.allSettled(
      openings.map(async (opening) => {
        // An opening that failed was thrown to whoever asked for it, and holds nothing.
        if (opening.status === "fulfilled" && opening.value?.kind === "open")
          await opening.value[Symbol.asyncDispose]();
      }),
    );
    const failed = closings.find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") throw failed.reason;
  }

  #none(why: string, remedy: string): NetworkPolicy {
    const text = `Commands have no network, though [sandbox] lists hosts: ${why}. Remedy: ${remedy}.`;
    if (!this.#isTold) this.#sources.onUnavailable(text);
    this.#isTold = true;
    return { kind: "off" };
  }
}
