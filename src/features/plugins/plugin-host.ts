import { join } from "node:path";
import { deadline, whileAlive } from "../../base/async/deadline.ts";
import { framesOf, HarnessError, hasReason, messageOf } from "../../base/errors.ts";
import type { World } from "../../base/world.ts";
import {
  BUILTIN_COMMAND_NAMES,
  BUILTIN_NAMESPACES,
  RESERVED_NAMESPACES,
} from "../../protocol/commands/slash-commands.ts";
import type { ProviderFactory } from "../../providers/registry.ts";
import type { EnginePort } from "../../session/engine-port.ts";
import type { TrustItem } from "../../session/guard/trust.ts";
import type { ExternalCode } from "../../session/host.ts";
import type { ToolTable } from "../../tools/tool-facts.ts";
import { containedProvider } from "./plugin-provider.ts";
import { copiesOf, loadPlugin } from "./registration/load.ts";
import type { Plugin, PluginTransport } from "./registration/plugin.ts";
import { assertPlugin, registerPlugin } from "./registration/register.ts";
import type { Registered } from "./registration/registered.ts";
import { claimsOf } from "./registration/registered.ts";

/** How long a plugin's wire may take to begin, and to end. */
const TRANSPORT_MS_MAX = 10_000;
const OURS = "cinch itself";
const REMEDY_OURS = "Have the plugin use another name, or take it out of your plugins.";
const OWN_TRANSPORTS = "inproc rest ws mcp-server acp minimal";

export interface PluginHostParts {
  readonly world: World;
  readonly code: ExternalCode;
  /** Where copies of acknowledged plugins are kept. */
  readonly folder: string;
  /** The tools of cinch itself, whose names no plugin can have. */
  readonly tools: ToolTable;
  /** Those that come with the program, and those that its embedder gives. */
  readonly given: readonly unknown[];
  readonly providers: {
    /** Every name that is taken. */
    names(): readonly string[];
    extend(name: string, open: ProviderFactory): void;
  };
}

/** A plugin that a session has, or why it has not. */
export type Opened =
  | { readonly kind: "registered"; readonly plugin: Registered; readonly notice?: string }
  /** It threw, or came to no end: told, and the session goes on without it. */
  | { readonly kind: "failed"; readonly error: HarnessError };

/**
 * The plugins of one engine: each is imported and registered once, whichever sessions have it (PLUG-01).
 *
 * Two that claim one name, or a name of cinch's own, are refused; nothing of the second counts then.
 */
export class PluginHost implements AsyncDisposable {
  readonly #parts: PluginHostParts;
  readonly #end = new AbortController();
  readonly #opened = new Map<string, { readonly content: string; readonly opening: Promise<Opened> }>();
  readonly #claims = new Map<string, string>();
  /** Where plugins came from, by the names of the folders that their copies are in. */
  readonly #copies = new Map<string, string>();
  readonly #registered = new Map<string, Registered>();
  /** What those have left uncaught that were registering still, by where they came from. */
  readonly #early = new Map<string, unknown>();
  readonly #strays: Disposable;
  readonly #wires = new AsyncDisposableStack();
  readonly #waiting: { readonly plugin: Registered; readonly transport: PluginTransport }[] = [];
  #engine: EnginePort | undefined;

  constructor(parts: PluginHostParts) {
    this.#parts = parts;
    const own = [
      ...[...BUILTIN_COMMAND_NAMES, ...BUILTIN_NAMESPACES, ...RESERVED_NAMESPACES, "mcp-prompts"].map(
        (name) => `the namespace ${name}`,
      ),
      ...parts.tools.all.map(({ name }) => `the tool ${name}`),
      ...OWN_TRANSPORTS.split(" ").map((name) => `the transport ${name}`),
    ];
    for (const claim of own) this.#claims.set(claim, OURS);
    this.#strays = parts.code.ownStrayErrors((thrown) => this.#isOwned(thrown));
  }

  /** Those that nobody has to acknowledge. @throws HarnessError PluginInvalid, PluginConflict. */
  async given(): Promise<readonly Opened[]> {
    const all: Opened[] = [];
    for (const [at, plugin] of this.#parts.given.entries()) {
      const from = `number ${at + 1} of those that were given`;
      all.push(await this.#once(from, "", async () => assertPlugin(plugin, from)));
    }
    return all;
  }

  /**
   * One that was acknowledged. An engine goes on with what it has loaded: another content at the same path counts once it
   * is started anew.
   * @throws HarnessError PluginInvalid, PluginConflict.
   */
  async load(item: TrustItem): Promise<Opened> {
    const { world, code, folder } = this.#parts;
    const content = item.files.map(({ path, sha256 }) => `${path} ${sha256}`).join("\n");
    const opened = await this.#once(item.path, content, () => {
      const [hand] = item.files.flatMap(({ path }) => code.foreignHand(join(item.path, path)) ?? []);
      if (hand !== undefined)
        throw new HarnessError("PluginInvalid", { from: item.path, problem: `it ${hand}` });
      this.#copies.set(copiesOf(item), item.path);
      return loadPlugin(item, {
        files: world.files,
        folder,
        importModule: (path) => code.importModule(path),
      });
    });
    const isOld = opened.kind === "registered" && this.#opened.get(item.path)?.content !== content;
    return isOld
      ? {
          ...opened,
          notice: `The plugin ${item.path} has changed since this engine loaded it: it goes on with what it has loaded until it is started anew.`,
        }
      : opened;
  }

  /** From now on wires can be opened, those of plugins that come later too. Only the first engine counts. */
  async serve(engine: EnginePort): Promise<void> {
    if (this.#engine !== undefined) return;
    this.#engine = engine;
    for (const { plugin, transport } of this.#waiting.splice(0)) await this.#open(engine, plugin, transport);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort(new HarnessError("EngineStopping", {}));
    await this.#wires.disposeAsync();
    this.#strays[Symbol.dispose]();
  }

  /** An error that nobody caught is a plugin's own where the stack leads through its copies: that one has crashed. */
  #isOwned(thrown: unknown): boolean {
    const names = framesOf(thrown).flatMap((frame) => /\/([0-9a-f]{64})\//.exec(frame)?.[1] ?? []);
    const from = names.flatMap((name) => this.#copies.get(name) ?? [])[0];
    if (from === undefined) return false;
    const plugin = this.#registered.get(from);
    if (plugin === undefined) this.#early.set(from, thrown);
    else plugin.health.crashed(thrown);
    return true;
  }

  #once(from: string, content: string, find: () => Promise<Plugin>): Promise<Opened> {
    const known = this.#opened.get(from);
    if (known !== undefined) return known.opening;
    const opening = this.#begin(from, find);
    this.#opened.set(from, { content, opening });
    // What is refused can be mended, and tried again.
    opening.catch(() => this.#opened.delete(from));
    return opening;
  }

  async #begin(from: string, find: () => Promise<Plugin>): Promise<Opened> {
    const { world } = this.#parts;
    this.#early.delete(from); // of an attempt before this one
    try {
      const plugin = await registerPlugin(await find(), {
        world,
        from,
        signal: this.#end.signal,
        tools: this.#parts.tools,
      });
      this.#registered.set(from, plugin);
      if (this.#early.has(from)) plugin.health.crashed(this.#early.get(from));
      this.#claim(plugin);
      for (const [name, open] of plugin.providers)
        this.#parts.providers.extend(name, containedProvider(name, open, plugin));
      for (const transport of plugin.transports) await this.#add(plugin, transport);
      return { kind: "registered", plugin };
    } catch (thrown) {
      if (!hasReason(thrown, "PluginFailed")) throw thrown;
      world.log.for("plugin").write("warn", "a plugin did not register", { from, what: thrown.message });
      return { kind: "failed", error: thrown };
    }
  }

  /** All of its names, or none. */
  #claim(plugin: Registered): void {
    const second = `the plugin ${plugin.name} (${plugin.from})`;
    const taken = new Set(this.#parts.providers.names());
    for (const claim of claimsOf(plugin)) {
      const first = this.#claims.get(claim) ?? (taken.has(providerIn(claim)) ? OURS : undefined);
      if (first === undefined) continue;
      const remedy =
        first === OURS ? REMEDY_OURS : "Take one of them out of your plugins, or have it use another name.";
      throw new HarnessError("PluginConflict", { first, second, what: claim, remedy });
    }
    for (const claim of claimsOf(plugin)) this.#claims.set(claim, second);
  }

  async #add(plugin: Registered, transport: PluginTransport): Promise<void> {
    if (this.#engine === undefined) this.#waiting.push({ plugin, transport });
    else await this.#open(this.#engine, plugin, transport);
  }

  /** A wire that does not begin keeps nobody from the others. */
  async #open(engine: EnginePort, plugin: Registered, transport: PluginTransport): Promise<void> {
    const { clock } = this.#parts.world;
    using limit = deadline(clock, TRANSPORT_MS_MAX, this.#end.signal);
    const opening = (async () => await transport.open(engine, limit.signal))();
    try {
      const wire = await whileAlive(opening, limit.signal);
      if (typeof wire?.[Symbol.asyncDispose] !== "function") throw new Error("it gave nothing to dispose");
      let closing: Promise<void> | undefined;
      const close = () => {
        closing ??= this.#close(plugin, wire);
        return closing;
      };
      const watching = plugin.health.onCrash(close);
      this.#wires.defer(async () => {
        watching[Symbol.dispose]();
        await close();
      });
    } catch (thrown) {
      plugin.health.failed(`opening its transport ${transport.name}`, thrown);
    }
  }

  async #close(plugin: Registered, wire: AsyncDisposable): Promise<void> {
    using limit = deadline(this.#parts.world.clock, TRANSPORT_MS_MAX, new AbortController().signal);
    try {
      await whileAlive((async () => await wire[Symbol.asyncDispose]())(), limit.signal);
    } catch (thrown) {
      plugin.health.failed("closing a transport", new Error(messageOf(thrown), { cause: thrown }));
    }
  }
}

function providerIn(claim: string): string {
  return claim.startsWith("the provider ") ? claim.slice("the provider ".length) : "";
}
