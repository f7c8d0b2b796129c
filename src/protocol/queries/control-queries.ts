import * as z from "zod";
import { SessionIdSchema } from "../ids.ts";
import { defineQuery } from "./query.ts";

const RuleInfo = z.object({
  /** `Tool`, `Tool:glob` or `Tool:=literal`. */
  rule: z.string(),
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

/** Queries about what a session runs by (CTL-19). */
export const CONTROL_QUERIES = {
  ListRules: defineQuery({
    about:
      "The permission rules that calls of a running session are judged by: those that people allowed in it, then the standing ones. Since protocol 0.3.0.",
    params: z.object({ sessionId: SessionIdSchema }),
    result: z.object({
      rules: z.array(RuleInfo),
      /** True if the list was cut. */
      more: z.boolean(),
    }),
    reads: "session",
    rest: { path: "/v1/sessions/{id}/rules" },
    mcp: { uri: "session/{id}/rules", title: "Rules", field: "rules" },
  }),
} as const;
