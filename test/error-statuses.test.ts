import { expect, test } from "bun:test";
import type { Reason } from "../src/base/reasons.ts";
import { httpStatusOf } from "../src/server/http/statuses.ts";
import { filesUnder, isTest, readSource } from "./support/source.ts";

/**
 * Reasons that code of an engine raises and that have the status 500: a disk, a key, a program or a store here failed,
 * or no request can be answered with them. A new reason that a request may be refused with needs a status of its own.
 */
const FAILURES: ReadonlySet<string> = new Set<Reason>([
  "AgentInvalid",
  "BashCancelledMidCommand",
  "CheckpointRequired",
  "CheckpointUnwritable",
  "CheckpointsDamaged",
  "ContextFileUnused",
  "CostUncapped",
  "EngineRefused",
  "EngineRunning",
  "ExportInvalid",
  "InternalError",
  "MCPServerSHA256Mismatch",
  "MCPServerUnavailable",
  "McpLoginFailed",
  "McpLoginNeeded",
  "McpProgramMissing",
  "McpRecordUnusable",
  "McpRuleIdle",
  "McpScopeMissing",
  "McpStartFailed",
  "McpToolsChanged",
  "MemoryUnreadable",
  "MemoryUnwritable",
  "NoProgress",
  "NotifyFailed",
  "OwnerRefused",
  "OwnerTokenStale",
  "ParentRefused",
  "ParentsUnusable",
  "PluginCrashed",
  "PluginFailed",
  "PluginOff",
  "RevocationsUnusable",
  "RuntimeUnsupported",
  "SessionsLocked",
  "SkillProblem",
  "StateUnwritable",
  "StoreCorrupt",
  "StoreFailed",
  "StoreInUse",
  "StoreNewer",
  "StoreUnwritable",
  "SubAgentFailed",
  "TokenFileUnsafe",
  "TokenKeyUnusable",
  "TrustLedgerInvalid",
  "TrustLedgerUnwritable",
  "TurnInterrupted",
  "TurnLimitReached",
  "WorktreeFailed",
  "WorktreeStays",
]);

const SERVED = ["session", "server", "engine", "guard", "app", "features"];

test("[CTL-19 CTL-02] a request that a session or an engine refuses is not answered as a failure of the server", () => {
  const raised = SERVED.flatMap((layer) => filesUnder(`src/${layer}`, "**/*.ts"))
    .filter((file) => !isTest(file))
    .flatMap((file) => [...readSource(file).matchAll(/new HarnessError\(\s*"(\w+)"/g)])
    .map(([, reason = ""]) => reason);
  const failing = [...new Set(raised)].filter((reason) => httpStatusOf(reason as Reason) === 500);
  expect(failing.toSorted()).toEqual([...FAILURES].toSorted());
});
