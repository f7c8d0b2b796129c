import type { NetworkPolicy } from "../sandbox/sandbox.ts";
import type { OpenNetwork } from "./sandbox-network.ts";
import { openNetwork } from "./sandbox-network.ts";
import type { SandboxSources } from "./sandbox-sources.ts";
import { wishesOf } from "./sandbox-sources.ts";

/** What the proxy refused, as one command sees it. */
export interface RefusalsSeen {
  /** Why requests were not let through since the command began; each reason once. */
  during(): readonly string[];
  /** The same, with what nobody was told of before. From then on all of it counts as told. */
  tell(): readonly string[];
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

  constructor(sources: SandboxSources, backend: string) {
    this.#sources = sources;
    this.#backend = backend;
  }

  get hosts(): readonly string[] {
    return wishesOf(this.#sources).hosts;
  }

  async policy(workshop: string): Promise<NetworkPolicy> {
    const { world, relayCommand } = this.#sources;
    const { hosts } = this;
    if (hosts.length === 0) return { kind: "off" };
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
    this.#opening ??= openNetwork({ world, relayCommand, hosts, workshop, path: this.#sources.path });
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

  async [Symbol.asyncDispose](): Promise<void> {
    const network = await this.#opening;
    if (network?.kind === "open") await network[Symbol.asyncDispose]();
  }

  #none(why: string, remedy: string): NetworkPolicy {
    const text = `Commands have no network, though [sandbox] lists hosts: ${why}. Remedy: ${remedy}.`;
    if (!this.#isTold) this.#sources.onUnavailable(text);
    this.#isTold = true;
    return { kind: "off" };
  }
}
