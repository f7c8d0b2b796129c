import type {
  SessionConfigOption,
  SessionConfigSelectOption,
  SessionModeState,
} from "@agentclientprotocol/sdk/unstable";
import { defined } from "../../../base/defined.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { SessionId } from "../../../base/ids.ts";
import type { Command, CommandOf } from "../../../protocol/commands/commands.ts";
import type { EffortWord } from "../../../protocol/effort.ts";
import { EFFORT_WORDS } from "../../../protocol/effort.ts";
import type { ProviderInfo } from "../../../protocol/resources.ts";

/** Models of a list; the one in use is always among them. */
export const OFFERED_MODELS_MAX = 200;

/** A model that a session can continue with. */
export interface OfferedModel {
  /** `provider:name`. */
  readonly id: string;
  readonly name: string;
  /** Tokens of its window; absent: unknown. */
  readonly windowTokens?: number;
}

/** Settings of a session that an editor shows and changes. */
export interface SessionOptions {
  readonly planMode: boolean;
  /** `provider:name`. */
  readonly model: string;
  /** Absent: it was not set in this session. */
  readonly effort?: EffortWord;
  /** Absent: nothing is gated. */
  readonly level?: Level;
  readonly models: readonly OfferedModel[];
}

/** Option of the mode in which nothing changes before a person approves a plan. */
const PLAN = "plan";
const DEFAULT = "default";
/** Effort of a session in which nobody has set one. */
const CONFIGURED = "configured";

type Level = CommandOf<"SetLevel">["level"];

/** Levels, the tightest first. The category is of cinch: the protocol has none for it. */
const LEVEL_CATEGORY = "_permission_level";
const LEVELS: Readonly<Record<Level, string>> = {
  ReadOnly: "Asks before each change.",
  WorkspaceWrite: "Changes files of the workspace where a rule allows it, and asks above that.",
  DangerFullAccess: "Runs all that a rule allows, also commands and files elsewhere.",
};

const MODES: readonly { readonly id: string; readonly name: string; readonly description: string }[] = [
  { id: DEFAULT, name: "Default", description: "Works, and asks where the permissions say so." },
  { id: PLAN, name: "Plan", description: "Only reads and plans until you approve the plan." },
];

/** Returns the models of the providers that are set up, as far as their catalogues are known. */
export function offeredModels(providers: readonly ProviderInfo[]): readonly OfferedModel[] {
  return providers
    .filter(({ configured }) => configured)
    .flatMap(({ name: provider, models = [] }) =>
      models.map(({ id, name = id, context_tokens: windowTokens }) => ({
        id: `${provider}:${id}`,
        name: `${provider}: ${name}`,
        ...defined({ windowTokens }),
      })),
    );
}

export function modeState({ planMode }: Pick<SessionOptions, "planMode">): SessionModeState {
  return { currentModeId: modeOf(planMode), availableModes: MODES.map((mode) => ({ ...mode })) };
}

export function modeOf(planMode: boolean): string {
  return planMode ? PLAN : DEFAULT;
}

/** Returns the options of a session with their values. The mode is one of them: newer editors show no modes. */
export function configOptions(options: SessionOptions): SessionConfigOption[] {
  const { planMode, model, effort, level } = options;
  const efforts = EFFORT_WORDS.map((word) => ({ value: word, name: word }));
  return [
    select({
      ...{ id: "mode", name: "Mode", category: "mode", currentValue: modeOf(planMode) },
      options: MODES.map(({ id: value, name, description }) => ({ value, name, description })),
    }),
    select({
      ...{ id: "model", name: "Model", category: "model", currentValue: model },
      options: modelChoices(options),
    }),
    select({
      ...{ id: "effort", name: "Effort", category: "thought_level", currentValue: effort ?? CONFIGURED },
      options: effort === undefined ? [{ value: CONFIGURED, name: "as configured" }, ...efforts] : efforts,
    }),
    ...(level === undefined ? [] : [levelOption(level)]),
  ];
}

function levelOption(currentValue: Level): SessionConfigOption {
  return select({
    ...{ id: "level", name: "Permissions", category: LEVEL_CATEGORY, currentValue },
    options: Object.entries(LEVELS).map(([value, description]) => ({ value, name: value, description })),
  });
}

function select(option: {
  readonly id: string;
  readonly name: string;
  readonly category: string;
  readonly currentValue: string;
  readonly options: SessionConfigSelectOption[];
}): SessionConfigOption {
  return { type: "select", ...option };
}

function modelChoices({ model, models }: SessionOptions): SessionConfigSelectOption[] {
  const first = models.slice(0, OFFERED_MODELS_MAX);
  const listed = first.some(({ id }) => id === model)
    ? first
    : [
        models.find(({ id }) => id === model) ?? { id: model, name: model },
        ...first.slice(1 - OFFERED_MODELS_MAX),
      ];
  return listed.map(({ id, name }) => ({ value: id, name }));
}

/**
 * Returns the command that gives an option a value; undefined if it has the value.
 * @throws HarnessError InvalidCommand for an unknown option or value.
 */
export function optionCommand(
  sessionId: SessionId,
  change: { readonly configId: string; readonly value: unknown },
  options: SessionOptions,
): Command | undefined {
  const { configId, value } = change;
  const option = configOptions(options).find(({ id }) => id === configId);
  if (option === undefined)
    throw unknown(
      configId,
      "options",
      configOptions(options).map(({ id }) => id),
    );
  if (typeof value !== "string") throw unknown(String(value), configId, ["one of its texts"]);
  if (value === option.currentValue) return undefined;
  switch (configId) {
    case "mode":
      return modeCommand(sessionId, value, options);
    case "model":
      return { kind: "SetModel", sessionId, model: value };
    case "level":
      if (!isLevel(value)) throw unknown(value, configId, Object.keys(LEVELS));
      return { kind: "SetLevel", sessionId, level: value };
    default: {
      const effort = EFFORT_WORDS.find((word) => word === value);
      if (effort === undefined) throw unknown(value, configId, EFFORT_WORDS);
      return { kind: "SetModel", sessionId, model: options.model, effort };
    }
  }
}

function isLevel(value: string): value is Level {
  return Object.hasOwn(LEVELS, value);
}

/**
 * Returns the command that changes the mode; undefined if the session is in it.
 * @throws HarnessError InvalidCommand for an unknown mode.
 */
export function modeCommand(
  sessionId: SessionId,
  mode: string,
  { planMode }: Pick<SessionOptions, "planMode">,
): Command | undefined {
  const ids = MODES.map(({ id }) => id);
  if (!ids.includes(mode)) throw unknown(mode, "mode", ids);
  if (mode === modeOf(planMode)) return undefined;
  return planMode ? { kind: "ExitPlanMode", sessionId, approve: true } : { kind: "EnterPlanMode", sessionId };
}

function unknown(value: string, of: string, known: readonly string[]): HarnessError {
  const why = `"${value.slice(0, 100)}" is not among the values of ${of}: ${known.join(", ")}`;
  return new HarnessError("InvalidCommand", { kind: "session option", why });
}
