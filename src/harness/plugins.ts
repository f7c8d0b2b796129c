import { deadline, whileAlive } from "../base/deadline.ts";
import { Cancelled, HarnessError, messageOf } from "../base/errors.ts";
import type { SessionId } from "../base/ids.ts";
import { isObject } from "../base/json.ts";
import type { World } from "../base/world.ts";
import type { NamespaceOwner } from "../control/multiplex/keeping.ts";
import { SessionHooks } from "../hook/session-hooks.ts";
import { toolHooks } from "../hook/tool-hooks.ts";
import { Contained, OFF } from "../plugin/containment.ts";
import { PluginHooks } from "../plugin/hooks.ts";
import { listen } from "../plugin/listeners.ts";
import type { PluginCommand, PluginCommandContext } from "../plugin/plugin.ts";
import type { Registered } from "../plugin/registered.ts";
import { pluginRequestMiddleware } from "../plugin/request-middleware.ts";
import type { PluginSession } from "../plugin/session.ts";
import { pluginToolMiddleware } from "../plugin/tool-middleware.ts";
import { namedTool, pluginTool } from "../plugin/tools.ts";
import type { Event } from "../protocol/events.ts";
import type { SlashCommandInfo } from "../protocol/resources.ts";
import type { RequestMiddleware } from "../provider/middleware.ts";
import { chainRequest } from "../provider/middleware.ts";
import type { ToolMiddleware } from "../tool/middleware.ts";
import { chainTool } from "../tool/middleware.ts";
import type { CallPlan, Tool, ToolSource } from "../tool/tool.ts";
import type { SessionPart, SessionSurface } from "./session-part.ts";
import type { FailedPlugin, SessionPlugins } from "./session-plugins.ts";

/** How long a plugin's command may take. */
export const COMMAND_MS_MAX = 60_000;
/** How long the end of a session waits for listeners that are behind. */
const LISTENERS_END_MS_MAX = 5_000;

export interface PluginSources {
  readonly world: World;
  readonly session: SessionId;
  readonly plugins: SessionPlugins;
  readonly source: "new" | "resume";
  /** Makes the rules of all plugins count, those that came later too. */
  extendRules(plugins: readonly Registered[]): void;
}

/** What plugins add, with all that they ask of the session. */
export interface PluginPart extends Omit<SessionPart, "serve"> {
  readonly tools: readonly ToolSource[];
  readonly gate: readonly ToolMiddleware[];
  readonly request: readonly RequestMiddleware[];
  readonly onInput: NonNullable<SessionPart["onInput"]>;
  readonly onTurnEnd: NonNullable<SessionPart["onTurnEnd"]>;
  readonly onFollowed: () => void;
  readonly onCompact: NonNullable<SessionPart["onCompact"]>;
  readonly serve: (surface: PluginSurface) => void;
  readonly settle: () => Promise<void>;
  readonly close: () => Promise<void>;
}

type PluginSurface = Pick<SessionSurface, "publish" | "follow">;

/** One plugin in this session. */
interface Active {
  readonly plugin: Registered;
  readonly contained: Contained;
  readonly session: PluginSession;
  readonly tool: readonly ToolMiddleware[];
  readonly request: readonly RequestMiddleware[];
}

/**
 * What the plugins of a session add to it, each thing at the place that it has in `PluginHarness`. One that a person still
 * has to look at joins before the first input, once they have.
 */
export function pluginPart(sources: PluginSources): PluginPart {
  const { world, session: id, plugins, source } = sources;
  const end = new AbortController();
  const listening: Promise<void>[] = [];
  const watching = new DisposableStack();
  const active: Active[] = [];
  /** Told once somebody can be told. */
  const waiting: Event[] = [];
  let surface: PluginSurface | undefined;
  let joining: Promise<void> | undefined;
  let isOver = false;

  const tell = (event: Event) => {
    if (isOver) return; // nobody can be told any more
    if (surface === undefined) waiting.push(event);
    else surface.publish(event);
  };

  function join(plugin: Registered): void {
    const contained = new Contained(plugin.health, world.clock, tell);
    watching.use(plugin.health.onCrash(() => contained.tellIfOff()));
    const session: PluginSession = {
      session: id,
      emit: (kind, payload) => tell(customEvent(plugin.name, kind, payload)),
    };
    active.push({
      plugin,
      contained,
      session,
      tool: plugin.toolMiddleware.map((each) =>
        pluginToolMiddleware(each, contained, { clock: world.clock, session }),
      ),
      request: plugin.requestMiddleware.map((run) => pluginRequestMiddleware(run, contained)),
    });
  }

  function follow({ plugin, contained, session }: Active): void {
    if (surface === undefined) return;
    for (const listener of plugin.listeners) {
      const events = surface.follow(end.signal);
      const heard = listen(events, listener, { contained, session, signal: end.signal });
      heard.catch(() => undefined); // a log that broke is told by whoever writes it
      listening.push(heard);
    }
  }

  async function late(): Promise<void> {
    const { active: more, failed } = await plugins.late(end.signal);
    for (const each of failed) tell(errorOf(each));
    for (const plugin of more) {
      join(plugin);
      const newest = active.at(-1);
      if (newest !== undefined) follow(newest);
    }
    sources.extendRules(active.map(({ plugin }) => plugin));
  }

  /** Waits for what a person is being asked about. */
  async function joined(signal: AbortSignal): Promise<void> {
    if (!plugins.isPending) return;
    joining ??= late();
    await whileAlive(joining, signal);
  }

  for (const plugin of plugins.active) join(plugin);
  const hooks = new PluginHooks(() =>
    active.flatMap(({ plugin, contained, session }) =>
      plugin.hooks.map((hook) => ({ hook, contained, session })),
    ),
  );
  const moments = new SessionHooks({ hooks, source, emit: tell });

  return {
    tools: plugins.isPending
      ? [lateTools(() => active, joined)]
      : active.flatMap((each) => toolSources(each)),
    gate: [
      ...toolHooks(hooks),
      (call, context, next) =>
        chainTool(
          active.flatMap(({ tool }) => tool),
          next,
        )(call, context),
    ],
    request: [
      (request, context, next) =>
        chainRequest(
          active.flatMap(({ request: own }) => own),
          next,
        )(request, context),
    ],
    async onInput(content, turn) {
      await joined(turn.signal);
      return await moments.onInput(content, turn);
    },
    onTurnEnd: (reason, turn) => moments.onTurnEnd(reason, turn),
    onFollowed: () => {
      if (!plugins.isPending) moments.begin();
    },
    onCompact: (moment, context) => moments.onCompact(moment, context),
    ownerOf(namespace) {
      for (const each of active) {
        const commands = each.plugin.namespaces.get(namespace);
        if (commands !== undefined) return owner(each, commands);
      }
      return undefined;
    },
    slashCommands: () => active.flatMap(({ plugin }) => infosOf(plugin)),
    serve(given) {
      surface = given;
      for (const event of [...plugins.failed.map(errorOf), ...waiting.splice(0)]) given.publish(event);
      for (const each of active) follow(each);
    },
    async settle() {
      await moments.end();
      isOver = true;
    },
    async close() {
      watching.dispose();
      // They are told the end of the session too, and then of nothing more.
      using limit = deadline(world.clock, LISTENERS_END_MS_MAX, new AbortController().signal);
      await whileAlive(Promise.allSettled(listening), limit.signal).catch(() => undefined);
      end.abort(new Cancelled("engine", "the session was ended"));
    },
    notices: [
      ...plugins.failed.map(({ error }) => error.message),
      ...plugins.notices,
      ...plugins.active.flatMap(allowances),
    ],
  };
}

function customEvent(namespace: string, kind: string, payload: unknown): Event {
  return { kind: "CustomEvent", payload: { namespace, kind: String(kind), payload } };
}

function errorOf({ error: { reason, message } }: FailedPlugin): Event {
  return { kind: "Error", payload: { reason, message } };
}

/** What a plugin lets happen unasked is no secret. */
function allowances({ name, rules }: Registered): readonly string[] {
  const allowed = rules.flatMap(({ effect, text }) => (effect === "allow" ? [text] : []));
  return allowed.length === 0 ? [] : [`The plugin ${name} allows without asking: ${allowed.join(", ")}.`];
}

function toolSources({ plugin, contained }: Active): readonly ToolSource[] {
  const name = `plugin:${plugin.name}`;
  const own = plugin.tools.map((tool) => guarded(pluginTool(tool, plugin.name), contained));
  return [
    ...(own.length === 0 ? [] : [{ name, tools: () => own }]),
    ...plugin.sources.map(
      (source): ToolSource => ({
        name,
        tools: () => toolsOf(source, plugin, contained),
        ...(source.late === undefined ? {} : { late: source.late }),
      }),
    ),
  ];
}

/** A source that throws has no tools. */
function toolsOf(
  source: Pick<ToolSource, "tools">,
  { name }: Registered,
  contained: Contained,
): readonly Tool[] {
  if (contained.tellIfOff()) return [];
  try {
    return source.tools().map((tool) => guarded(namedTool(tool, name), contained));
  } catch (thrown) {
    contained.failed("its tool source", thrown);
    return [];
  }
}

/** A tool of a plugin that is switched off says so. */
function guarded<Plan extends CallPlan>(tool: Tool<Plan>, contained: Contained): Tool<Plan> {
  return {
    ...tool,
    run: (plan, context) =>
      contained.tellIfOff() ? Promise.resolve(offOutput(contained.plugin)) : tool.run(plan, context),
  };
}

function offOutput(plugin: string) {
  const text = `The plugin ${plugin} cannot be called: ${OFF}.`;
  return { content: [{ type: "text", text } as const], isError: true };
}

/** The tools of plugins that a person still has to look at: the first request waits for them. */
function lateTools(
  active: () => readonly Active[],
  ready: (signal: AbortSignal) => Promise<void>,
): ToolSource {
  return {
    name: "plugins",
    tools: () => active().flatMap((each) => toolSources(each).flatMap((source) => source.tools())),
    late: { awaited: true, ready },
  };
}

function owner({ plugin, contained, session }: Active, commands: readonly PluginCommand[]): NamespaceOwner {
  return async ({ kind, namespace, verb, payload, sessionId }, client) => {
    const command = commands.find(({ name }) => name === verb);
    if (command === undefined) {
      const known = commands.map(({ name }) => `${namespace}:${name}`).join(", ");
      throw new HarnessError("InvalidCommand", {
        kind,
        why: `there is no /${namespace}:${verb}; the plugin ${plugin.name} has ${known}`,
      });
    }
    const words = { args: wordsIn(payload), text: textIn(payload), payload };
    const by = client.identityClass === "agent" ? "agent" : "human";
    const refused: { why?: string } = {};
    const attempt = await contained.call(
      `its command ${namespace}:${verb}`,
      COMMAND_MS_MAX,
      async (signal) => {
        const context: PluginCommandContext = { ...session, by, signal };
        try {
          return textOf(await command.run(words, context));
        } catch (thrown) {
          // To refuse is no failure: the words may have been wrong.
          refused.why = messageOf(thrown);
          return undefined;
        }
      },
      plugin.signal,
    );
    const why = attempt.kind === "failed" ? attempt.why : refused.why;
    if (why !== undefined)
      throw new HarnessError("InvalidCommand", { kind, why: `the plugin ${plugin.name}: ${why}` });
    const text = attempt.kind === "done" ? attempt.value : undefined;
    return { sessionId, ...(text === undefined ? {} : { result: { text } }) };
  };
}

function textOf(given: unknown): string | undefined {
  if (given === undefined || typeof given === "string") return given;
  throw new Error(`it answered with ${typeof given}, not with a text`);
}

function wordsIn(payload: unknown): readonly string[] {
  const args = isObject(payload) ? payload["args"] : undefined;
  return Array.isArray(args) ? args.filter((word) => typeof word === "string") : [];
}

function textIn(payload: unknown): string {
  const text = isObject(payload) ? payload["text"] : undefined;
  return typeof text === "string" ? text : wordsIn(payload).join(" ");
}

function infosOf({ namespaces }: Registered): readonly SlashCommandInfo[] {
  return [...namespaces].flatMap(([namespace, commands]) =>
    commands.map(({ name, usage = "", help }) => ({
      name: `${namespace}:${name}`,
      usage: `/${namespace}:${name}${usage === "" ? "" : ` ${usage}`}`,
      help,
      command: "CustomCommand",
    })),
  );
}
