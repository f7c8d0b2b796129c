import { sizeText } from "../../base/text/size-text.ts";
import { count, plain } from "../../base/text/text.ts";
import type { EngineHealth } from "../../protocol/resources.ts";
import { neutraliseLine } from "../terminal/terminal-text.ts";

const LABEL_COLUMNS = 12;
const NAME_CHARACTERS_MAX = 60;

/** Draws the health of every part of an engine, one per line (CMD-01). */
export function healthText(health: EngineHealth): string {
  const {
    version,
    pid,
    sessions,
    machine_key: machineKey,
    database,
    listening,
    allowed_origins: pages = [],
  } = health;
  const servers = health.mcp_servers.map(({ name, state, tools }) => {
    const has = state === "running" ? ` (${count(tools, "tool")})` : "";
    return `${plain(name, NAME_CHARACTERS_MAX)} ${state}${has}`;
  });
  const { path, bytes } = database;
  const key = machineKey === undefined ? "not used yet" : `from ${machineKey}`;
  const lines = [
    ["engine", `cinch ${version}, process ${pid}, ${count(sessions, "session")}`],
    ["keys", `${helperText(health.key_helper)}; machine key ${key}`],
    ["sessions", bytes === undefined ? `${path} is not there` : `${path}, ${sizeText(bytes)}`],
    ["MCP servers", servers.length === 0 ? "none" : servers.join(", ")],
    [
      "listening",
      listening.length === 0 ? "nowhere: this engine serves its own process" : listening.join(", "),
    ],
    ...(health.notify === undefined ? [] : [["notices", noticesText(health.notify)] as const]),
    ...(pages.length === 0 ? [] : [["pages", pages.join(", ")] as const]),
  ] as const;
  return lines.map(([label, text]) => neutraliseLine(`${label.padEnd(LABEL_COLUMNS)} ${text}`)).join("\n");
}

function noticesText({ state, problem, sent, failed, dropped }: NonNullable<EngineHealth["notify"]>): string {
  const lost = failed + dropped === 0 ? "" : `, ${failed} failed, ${dropped} dropped`;
  return `${state}${problem === undefined ? "" : `: ${problem}`}; ${sent} sent${lost}`;
}

function helperText({ state, failures = 0 }: EngineHealth["key_helper"]): string {
  if (state === "none") return "no helper: there are none, or this process holds them";
  return state === "failed" ? `the helper has failed ${failures} times` : `the helper is ${state}`;
}
