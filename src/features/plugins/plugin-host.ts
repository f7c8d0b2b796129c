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
import type { Plugin, PluginTransport } from "../../session/plugins/plugin.ts";
import type { ToolTable } from "../../tools/tool-facts.ts";
import { containProvider } from "./providers/plugin-provider.ts";
import { copyFolderName, loadPlugin } from "./registration/load-plugin.ts";
import { assertPlugin, registerPlugin } from "./registration/register-plugin.ts";
import type { RegisteredPlugin } from "./registration/registered-plugin.ts";
import { claimedNames } from "./registration/registered-plugin.ts";

/** The longest time for a plugin's transport to open, and to close. */
const TRANSPORT_MS_MAX = 10_000;
const OURS = "cinch itself";
const REMEDY_OURS = "Have the plugin use another name, or take it out of your plugins.";
const OWN_TRANSPORTS = "inproc rest ws mcp-server acp minimal";

export interface PluginHostDependencies {
  readonly world: World;
  readonly code: ExternalCode;
  /** Folder for copies of acknowledged plugins. */
  readonly folder: string;
  /** The tools of cinch itself. No plugin can use their names. */
  readonly tools: ToolTable;
  /** Plugins compiled into the program, and those that its embedder passes in. */
  readonly loadGiven: readonly unknown[];
  readonly providers: {
    /** Returns all taken names. */
    names(): readonly string[];
    extend(name: string, open: ProviderFactory): void;
  };
}

/** The result of loading a plugin for a session. */
export type PluginLoadResult =
  | { readonly kind: "registered"; readonly plugin: RegisteredPlugin; readonly notice?: string }
  /** It threw or did not finish. That has been reported, and the session continues without it. */
  | { readonly kind: "failed"; readonly error: HarnessError };

/**
 * The plugins of one engine. Each is imported and registered once, and shared by its sessions (PLUG-01).
 *
 * A plugin that claims a name of cinch or of another plugin is rejected as a whole.
 */
export class PluginHost implements AsyncDisposable {
  readonly #dependencies: PluginHostDependencies;
  readonly #end = new AbortController();
  readonly #opened = new Map<
    string,
    { readonly content: string; readonly opening: Promise<PluginLoadResult> }
  >();
  readonly #claims = new Map<string, string>();
  /** Paths of plugins, by the names of the folders that contain their copies. */
  readonly #copies = new Map<string, string>();
  readonly #registered = new Map<string, RegisteredPlugin>();
  /** Uncaught errors of plugins that were still registering, by their paths. */
  readonly #early = new Map<string, unknown>();
  readonly #strays: Disposable;
  readonly #transports = new AsyncDisposableStack();
  readonly #waiting: { readonly plugin: RegisteredPlugin; readonly transport: PluginTransport }[] = [];
  #engine: EnginePort | undefined;

  constructor(dependencies: PluginHostDependencies) {
    this.#dependencies = dependencies;
    const ownClaims = [
      ...[...BUILTIN_COMMAND_NAMES, ...BUILTIN_NAMESPACES, ...RESERVED_NAMESPACES, "mcp-prompts"].map(
        (name) => `the namespace ${name}`,
      ),
      ...dependencies.tools.all.map(({ name }) => `the tool ${name}`),
      ...OWN_TRANSPORTS.split(" ").map((name) => `the transport ${name}`),
    ];
    for (const claim of ownClaims) this.#claims.set(claim, OURS);
    this.#strays = dependencies.code.ownStrayErrors((thrown) => this.#isOwned(thrown));
  }

  /** Loads the plugins that nobody has to acknowledge. @throws HarnessError PluginInvalid, PluginConflict. */
  async embedded(): Promise<readonly PluginLoadResult[]> {
    const all: PluginLoadResult[] = [];
    for (const [at, plugin] of this.#dependencies.loadGiven.entries()) {
      const from = `number ${at + 1} of those that were given`;
      all.push(await this.#once(from, "", async () => assertPlugin(plugin, from)));
    }
    return all;
  }

  /**
   * Loads an acknowledged plugin. An engine keeps what it has loaded: changed content at the same path is used after
   * the engine restarts.
   * @throws HarnessError PluginInvalid, PluginConflict.
   */
  async load(item: TrustItem): Promise<PluginLoadResult> {
    const { world, code, folder } = this.#dependencies;
    const content = item.files.map(({ path, sha256 }) => `${path} ${sha256}`).join("\n");
    const opened = await this.#once(item.path, content, () => {
      const [hand] = item.files.flatMap(({ path }) => code.foreignHand(join(item.path, path)) ?? []);
      if (hand !== undefined)
        throw new HarnessError("PluginInvalid", { from: item.path, problem: `it ${hand}` });
      this.#copies.set(copyFolderName(item), item.path);
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
          notice: `The plugin ${item.path} has changed since this engine loaded it: it uses the loaded version until it restarts.`,
        }
      : opened;
  }

  /** Opens the transports of loaded plugins, and from then on those of later ones. Later calls have no effect. */
  async serve(engine: EnginePort): Promise<void> {
    if (this.#engine !== undefined) return;
    this.#engine = engine;
    for (const { plugin, transport } of this.#waiting.splice(0)) await this.#open(engine, plugin, transport);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort(new HarnessError("EngineStopping", {}));
    await this.#transports.disposeAsync();
    this.#strays[Symbol.dispose]();
  }

  /**
   * Attributes an uncaught error to the plugin whose copies appear in its stack. That plugin has crashed. Returns
   * false if there is none.
   */
  #isOwned(thrown: unknown): boolean {
    const names = framesOf(thrown).flatMap((frame) => /\/([0-9a-f]{64})\//.exec(frame)?.[1] ?? []);
    const from = names.flatMap((name) => this.#copies.get(name) ?? [])[0];
    if (from === undefined) return false;
    const plugin = this.#registered.get(from);
    if (plugin === undefined) this.#early.set(from, thrown);
    else plugin.health.crashed(thrown);
    return true;
  }

  #once(from: string, content: string, find: () => Promise<Plugin>): Promise<PluginLoadResult> {
    const known = this.#opened.get(from);
    if (known !== undefined) return known.opening;
    const opening = this.#begin(from, find);
    this.#opened.set(from, { content, opening });
    // A rejected plugin can be corrected, and tried again.
    opening.catch(() => this.#opened.delete(from));
    return opening;
  }

  async #begin(from: string, find: () => Promise<Plugin>): Promise<PluginLoadResult> {
    const { world } = this.#dependencies;
    this.#early.delete(from); // left by an earlier attempt
    try {
      const plugin = await registerPlugin(await find(), {
        world,
        from,
        signal: this.#end.signal,
        tools: this.#dependencies.tools,
      });
      this.#registered.set(from, plugin);
      if (this.#early.has(from)) plugin.health.crashed(this.#early.get(from));
      this.#claim(plugin);
      for (const [name, open] of plugin.providers)
        this.#dependencies.providers.extend(name, containProvider(name, open, plugin));
      for (const transport of plugin.transports) await this.#add(plugin, transport);
      return { kind: "registered", plugin };
    } catch (thrown) {
      if (!hasReason(thrown, "PluginFailed")) throw thrown;
      world.log.for("plugin").write("warn", "a plugin did not register", { from, what: thrown.message });
      return { kind: "failed", error: thrown };
    }
  }

  /** Claims all of a plugin's names, or none. */
  #claim(plugin: RegisteredPlugin): void {
    const second = `the plugin ${plugin.name} (${plugin.from})`;
    const taken = new Set(this.#dependencies.providers.names());
    for (const claim of claimedNames(plugin)) {
      const first = this.#claims.get(claim) ?? (taken.has(providerIn(claim)) ? OURS : undefined);
      if (first === undefined) continue;
      const remedy =
        first === OURS ? REMEDY_OURS : "Take one of them out of your plugins, or have it use another name.";
      throw new HarnessError("PluginConflict", { first, second, what: claim, remedy });
    }
    for (const claim of claimedNames(plugin)) this.#claims.set(claim, second);
  }

  async #add(plugin: RegisteredPlugin, transport: PluginTransport): Promise<void> {
    if (this.#engine === undefined) this.#waiting.push({ plugin, transport });
    else await this.#open(this.#engine, plugin, transport);
  }

  /** Opens a transport. A failure does not affect the other transports. */
  async #open(engine: EnginePort, plugin: RegisteredPlugin, transport: PluginTransport): Promise<void> {
    const { clock } = this.#dependencies.world;
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
      this.#transports.defer(async () => {
        watching[Symbol.dispose]();
        await close();
      });
    } catch (thrown) {
      plugin.health.failed(`opening its transport ${transport.name}`, thrown);
    }
  }

  async #close(plugin: RegisteredPlugin, wire: AsyncDisposable): Promise<void> {
    using limit = deadline(this.#dependencies.world.clock, TRANSPORT_MS_MAX, new AbortController().signal);
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
