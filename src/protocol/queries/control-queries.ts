import * as z from "zod";
import { HOOK_EVENTS } from "../events/hook-events.ts";
import { SessionIdSchema } from "../ids.ts";
import { defineQuery } from "./query.ts";

const RuleInfo = z.object({
  /** `Tool`, `Tool:glob` or `Tool:=literal`. */
  rule: z.string(),
  /** Effect of the rule. */
  effect: z.enum(["allow", "ask", "deny"]),
  /**
   * Place of the rule. `session`: a person has allowed it in this run. `flag`: the session was opened with it. `user`:
   * config.toml. `promoted`: a person has kept it from a session. `preset`: a file of the program. `project`: the
   * repository, whose rules can only restrict.
   */
  source: z.enum(["session", "flag", "user", "plugin", "promoted", "profile", "preset", "project"]),
  /** The only directory that it holds in, with what is below. */
  directory: z.string().optional(),
  /** True if RevokeRule takes it back. */
  revocable: z.boolean(),
  /** True if PromoteRule can write it to the profile. */
  promotable: z.boolean(),
  /** Time at which it was allowed, for a rule of the session. */
  ts: z.string().optional(),
});

const HookInfo = z.object({
  /** Event that runs it. */
  event: z.enum(HOOK_EVENTS),
  /** Names of tools; `*` stands for any characters. Absent: every tool, or an event that is about none. */
  matcher: z.array(z.string()).optional(),
  /** The command for `/bin/sh`, with secrets redacted. */
  command: z.string(),
  /** File that declares it. */
  source: z.string(),
  /** Seconds after which it is stopped. */
  timeout_s: z.number(),
  /** True for one of the repository, which a person has acknowledged; absent for one of the user's own. */
  acknowledged: z.literal(true).optional(),
});

/** Queries about what a session runs by (CTL-19). */
export const CONTROL_QUERIES = {
  ListRules: defineQuery({
    about:
      "The permission rules that calls of a running session are judged by: those that people allowed in it, then the standing ones. Since protocol 0.3.0.",
    params: z.object({ sessionId: SessionIdSchema }),
    result: z.object({
      /** The rules, in the order in which they are looked up. */
      rules: z.array(RuleInfo),
      /** True if the list was cut. */
      more: z.boolean(),
    }),
    reads: "session",
    rest: { path: "/v1/sessions/{id}/rules" },
    mcp: { uri: "session/{id}/rules", title: "Rules", field: "rules" },
  }),
  ListHooks: defineQuery({
    about:
      "The hooks of a running session, in the order in which they run: those of the user, then those of the repository that a person has acknowledged. Since protocol 0.3.0.",
    params: z.object({ sessionId: SessionIdSchema }),
    result: z.object({
      /** The hooks, in the order in which they run. */
      hooks: z.array(HookInfo),
      /** Files of the repository with hooks that wait for an acknowledgement: none of them runs. */
      waiting: z.array(z.string()),
      /** True if the list was cut. */
      more: z.boolean(),
    }),
    reads: "session",
    rest: { path: "/v1/sessions/{id}/hooks" },
  }),
} as const;
