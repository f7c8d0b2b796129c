import { reasonText } from "../../../base/reasons.ts";
import type { ProxyRefusal } from "../../../session/guard/hosts.ts";
import type { NetworkPolicy } from "../../../session/guard/sandbox.ts";
import type { SandboxSources } from "../policy/sandbox-sources.ts";
import { enforcesHosts } from "../policy/sandbox-sources.ts";
import type { OpenNetwork } from "./sandbox-network.ts";
import { openNetwork } from "./sandbox-network.ts";

/** Refusals of the proxy, as one command sees them. */
export interface RefusalReader {
  /** Returns why requests were refused since the command started; each reason once. */
  during(): readonly ProxyRefusal[];
  /** Returns the same, with earlier refusals that were not reported yet. All of them then count as reported. */
  report(): readonly ProxyRefusal[];
}

/**
 * The network of a session's commands. Opens when the first of them needs it, and again if its relay has ended.
 *
 * Stays off if anything about it is not as it should be (S57); if hosts are listed, that is reported once.
 */
export class SessionNetwork implements AsyncDisposable {
  readonly #sources: SandboxSources;
  /** The name of the backend. */
  readonly #backend: string;
  #opening: Promise<OpenNetwork> | undefined;
  #isReported = false;
  /**
   * True if a person, a rule or `--auto-approve` lets commands run behind a proxy that refuses every host and
   * records it.
   */
  #asksEach = false;
  readonly #granted = new Set<string>();
  /** Earlier networks with fewer hosts, in which commands may still run. */
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
    return enforcesHosts(this.#backend, this.#sources);
  }

  /**
   * Adds hosts; with none, opens a network whose proxy refuses every host and records it. Returns false if nothing
   * changes. Running commands keep the network in which they were started.
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
    const { world, relay } = this.#sources;
    const { hosts } = this;
    if (hosts.length === 0 && !this.#asksEach) return { kind: "off" };
    if (this.#backend !== "bubblewrap") {
      return this.#none(
        `the backend ${this.#backend} serves no list`,
        "take `network` out of [sandbox], and let a person approve commands that need more (outside_sandbox)",
      );
    }
    if (relay === undefined)
      return this.#none("this program has no relay", "give openHarness a relayCommand");
    const before = this.#opening;
    const network = await before;
    if (network?.kind === "open" && network.ended() && this.#opening === before) {
      this.#opening = undefined;
      await network[Symbol.asyncDispose]();
    }
    const { programs } = this.#sources;
    this.#opening ??= this.#open({ world, relay, hosts, workshop, programs });
    const opened = await this.#opening;
    return opened.kind === "open" ? opened.policy : this.#none(opened.why, opened.remedy);
  }

  /** Returns true if the network was open and its relay has ended: the next `policy` opens another. */
  async hasEnded(): Promise<boolean> {
    const network = await this.#opening;
    return network?.kind === "open" && network.ended();
  }

  /** Starts to watch for refusals. */
  async watchRefusals(): Promise<RefusalReader> {
    const network = await this.#opening;
    if (network?.kind !== "open") return { during: () => [], report: () => [] };
    const since = network.refusals.count();
    return {
      during: () => network.refusals.since(since),
      report: () => network.refusals.report(since),
    };
  }

  /** @throws the first failure, after every network was closed. */
  async [Symbol.asyncDispose](): Promise<void> {
    const openings = await Promise.allSettled([...this.#past, this.#opening]);
    const closings = await Promise.allSettled(
      openings.map(async (opening) => {
        // A failed opening was thrown to its caller, and holds nothing.
        if (opening.status === "fulfilled" && opening.value?.kind === "open")
          await opening.value[Symbol.asyncDispose]();
      }),
    );
    const failed = closings.find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") throw failed.reason;
  }

  #none(why: string, remedy: string): NetworkPolicy {
    const unmet = { effect: "Commands have no network", setting: "hosts", why, remedy };
    if (!this.#isReported) this.#sources.onNotice(reasonText("SandboxSettingUnmet", unmet));
    this.#isReported = true;
    return { kind: "off" };
  }
}
