import { SCENARIOS } from "../../src/conformance/scenarios/all.ts";
import { COMMAND_KINDS, EVENT_KINDS, QUERY_KINDS } from "../../src/protocol/kinds.ts";
import { filesUnder, readSource } from "../support/source.ts";
import { connectionFault } from "./broken/faults.ts";
import type { Fault } from "./server.ts";

const NO_CUE = "no cue of the scripted model leads to it";
const NO_SETUP = "needs a set-up that the suite cannot ask a foreign server for";

/** Kinds that no scenario names, each with the reason. An entry goes once a scenario names its kind. */
export const UNNAMED_KINDS: Readonly<Record<string, string>> = {
  CheckpointMade: NO_CUE,
  CustomCommand: `${NO_SETUP}: a plugin`,
  CustomEvent: `${NO_SETUP}: a plugin`,
  DismissExpiring: `${NO_SETUP}: content that is about to expire`,
  HookError: `${NO_SETUP}: a hook that fails`,
  HookTimeout: `${NO_SETUP}: a hook that takes too long`,
  LevelChanged: `${NO_SETUP}: a profile in which more than one level is allowed`,
  MCPServerDown: `${NO_SETUP}: an MCP server`,
  ManageMcp: `${NO_SETUP}: an MCP server`,
  MemoryWritten: NO_CUE,
  ProfileSwitched: `${NO_SETUP}: a second profile`,
  PromoteRule: `${NO_SETUP}: it would write the configuration of the server`,
  RulePromoted: `${NO_SETUP}: it would write the configuration of the server`,
  SkillRegistryChanged: `${NO_SETUP}: a skill that changes`,
  StreamGap: `${NO_SETUP}: content that has expired`,
  SwitchProfile: `${NO_SETUP}: a second profile`,
  TaskChanged: NO_CUE,
  TokenExpiring: `${NO_SETUP}: a token that lives for seconds`,
  ToolCallProgress: NO_CUE,
};

/** Commands and queries that reach an engine. */
export interface ReachedKinds {
  readonly fault: Fault;
  /** Returns the kinds that reached it neither by now, nor are named in a scenario. */
  unnamed(): readonly string[];
}

/** Returns an engine without a fault that notes the kind of each command and query. */
export function reachedKinds(): ReachedKinds {
  const named = new Set<string>(SCENARIOS.flatMap(({ kinds = [] }) => kinds));
  const fault = connectionFault({
    asked: (kind) => void named.add(kind),
    send(command, inner) {
      named.add(command.kind);
      return inner.send(command);
    },
  });
  const sources = filesUnder("src/conformance/scenarios", "**/*.ts").map(readSource).join("\n");
  return {
    fault,
    unnamed: () =>
      [...COMMAND_KINDS, ...QUERY_KINDS, ...EVENT_KINDS].filter(
        (kind) => !named.has(kind) && !sources.includes(`"${kind}"`) && !sources.includes(` ${kind}: (`),
      ),
  };
}
