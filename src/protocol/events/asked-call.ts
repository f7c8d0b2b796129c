import * as z from "zod";

/**
 * Reason why a call is asked about, and what would end that. Since protocol 0.3.0.
 *
 * `text` is what `cinch permissions explain` says. `cause` is for programs:
 * - `rule`: an ask rule names the call.
 * - `deny-rule`: a deny rule may name it.
 * - `level`: it is above the level.
 * - `no-rule`: nothing allows it.
 * - `grammar`: the command cannot be read for certain before it runs.
 * - `network`: its sandbox lacks the network that it needs.
 * - `setting`: a setting has every such call asked about.
 * - `protected`: it touches a protected place, or may.
 * - `outside-sandbox`: it is to run outside the sandbox.
 * - `tool`: the tool itself takes a person's word only.
 */
export const AskedWhy = z.object({
  /** The cause, for programs. */
  cause: z.enum([
    "rule",
    "deny-rule",
    "level",
    "no-rule",
    "grammar",
    "network",
    "setting",
    "protected",
    "outside-sandbox",
    "tool",
  ]),
  /** The reason in words. */
  text: z.string(),
  /** Absent if nothing ends it: a person answers each such call. */
  ends: z
    .object({
      /** An allow rule of the user under which this call would run unasked. */
      rule: z.string().optional(),
      /** A change of the configuration with that effect, as a phrase for people. */
      setting: z.string().optional(),
    })
    .optional(),
});

/**
 * One part of a compound command, as it would be judged alone: a simple command or a redirection. Since protocol 0.3.0.
 */
export const AskedPart = z.object({
  /** The part as it stands in the line, control characters made visible. */
  text: z.string(),
  /** Verdict on the part alone. */
  verdict: z.enum(["allow", "ask", "deny"]),
  /** Reason of the verdict. */
  why: z.string(),
});
export type AskedPart = z.infer<typeof AskedPart>;
