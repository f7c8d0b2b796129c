import { unreachable } from "../../base/assert.ts";
import { defined } from "../../base/defined.ts";
import { HarnessError } from "../../base/errors.ts";
import type { Accepted, CommandOf } from "../../protocol/commands/commands.ts";
import type { EffortWord } from "../../protocol/effort.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { AttachedClient } from "../access/client.ts";
import { assertHuman } from "../questions/questions.ts";
import type { SessionDependencies } from "./session-dependencies.ts";

type SettingsCommand = CommandOf<"SetModel" | "SetLevel" | "RevokeRule" | "PromoteRule">;

interface ChangedSession {
  readonly parts: SessionDependencies;
  /** Aborts when the session ends. */
  readonly signal: AbortSignal;
}

/**
 * Changes what later rounds and calls of a session run by, also during a turn. An event tells every client, and is
 * in the log before the command is answered.
 * @throws HarnessError if it is refused: nothing has changed then.
 */
export async function changeSettings(
  command: SettingsCommand,
  client: AttachedClient,
  session: ChangedSession,
): Promise<Accepted> {
  const { parts } = session;
  switch (command.kind) {
    case "SetModel":
      return await setModel(command, client, session);
    case "SetLevel":
      return await setLevel(command, client, parts);
    case "RevokeRule":
      if (!parts.revokeRule(command.rule)) throw unknownRule(command);
      await tell(parts, { kind: "RuleRevoked", payload: { rule: command.rule, by: client.id } });
      return {};
    case "PromoteRule": {
      // Only a person decides about what outlives the run: an agent would widen its own permissions.
      assertHuman(client, command.kind);
      const { rule, everywhere = false } = command;
      const promoted = await parts.promoteRule(rule, { everywhere });
      if (promoted === undefined) throw unknownRule(command);
      await tell(parts, { kind: "RulePromoted", payload: { rule, ...promoted, by: client.id } });
      return { result: promoted };
    }
    default:
      return unreachable(command);
  }
}

async function setModel(
  command: CommandOf<"SetModel">,
  client: AttachedClient,
  { parts, signal }: ChangedSession,
): Promise<Accepted> {
  const before = modelOf(parts);
  const notices = await parts.setModel(command.model, signal, command.effort);
  const { model, effort } = modelOf(parts);
  const chosen = defined({ effort });
  const previous = model === before.model ? undefined : before.model;
  if (previous !== undefined || effort !== before.effort)
    await tell(parts, {
      kind: "ModelChanged",
      payload: { model, ...defined({ previous }), ...chosen, by: client.id },
    });
  return { result: { model, ...chosen, ...(notices.length === 0 ? {} : { notices }) } };
}

async function setLevel(
  { kind, level }: CommandOf<"SetLevel">,
  client: AttachedClient,
  parts: SessionDependencies,
): Promise<Accepted> {
  // A level that an agent could raise would hold nothing back.
  assertHuman(client, kind);
  const { changed, notices } = parts.setLevel(level);
  if (changed) await tell(parts, { kind: "LevelChanged", payload: { level, by: client.id } });
  return { result: { level, ...(notices.length === 0 ? {} : { notices }) } };
}

/** Returns `provider:name` of the model that the next request goes to, and the effort that a client has chosen. */
function modelOf(parts: SessionDependencies): { readonly model: string; readonly effort?: EffortWord } {
  const { provider, id } = parts.engine.model();
  return { model: `${provider.name}:${id}`, ...defined({ effort: parts.chosenEffort() }) };
}

/** Emits a change to every client; it is in the log before the command is answered. */
async function tell({ bus }: SessionDependencies, event: Event): Promise<void> {
  bus.publish(event);
  await bus.commit("power");
}

/** Returns the refusal of a command that names a rule which this session does not have. */
function unknownRule({ kind, rule }: CommandOf<"RevokeRule" | "PromoteRule">): HarnessError {
  return new HarnessError("InvalidCommand", { kind, why: `no rule '${rule}' is active` });
}
