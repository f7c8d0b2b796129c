import { neutraliseLine } from "../kit/terminal-text.ts";
import type { CommandSurface } from "./surface.ts";

type PermissionsSurface = Pick<CommandSurface, "session" | "rules" | "say" | "send">;

/** Carries out `/permissions`, `/permissions revoke N` and `/permissions promote N`. */
export async function permissions(args: readonly string[], client: PermissionsSurface): Promise<void> {
  if (args[0] === "revoke") return await revoke(Number(args[1]), client);
  if (args[0] === "promote") return await promote(Number(args[1]), client);
  if (client.rules.length === 0) return await client.say("You have allowed nothing for this session.");
  const lines = client.rules.map((rule, at) => `  ${at + 1}  ${neutraliseLine(rule)}`);
  await client.say(
    [
      "Allowed for this session:",
      ...lines,
      "/permissions revoke N takes one back; /permissions promote N writes it into your config.toml.",
    ].join("\n"),
  );
}

async function promote(number: number, client: PermissionsSurface): Promise<void> {
  const rule = client.rules[number - 1];
  if (rule === undefined)
    return await client.say("There is no rule with this number; /permissions lists them.");
  const refused = await client.send({ kind: "PromoteRule", sessionId: client.session, rule });
  if (refused !== undefined) return;
  await client.say(`Allowed from the next start on, in your config.toml: ${neutraliseLine(rule)}`);
}

async function revoke(number: number, client: PermissionsSurface): Promise<void> {
  const rule = client.rules[number - 1];
  if (rule === undefined)
    return await client.say("There is no rule with this number; /permissions lists them.");
  const refused = await client.send({ kind: "RevokeRule", sessionId: client.session, rule });
  if (refused !== undefined) return;
  client.rules = client.rules.filter((held) => held !== rule);
  await client.say(`No longer allowed: ${neutraliseLine(rule)}`);
}
