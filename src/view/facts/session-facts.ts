import { printUsd } from "../../base/text/money.ts";
import { count } from "../../base/text/text.ts";
import type { SessionInfo } from "../../protocol/resources.ts";
import { neutraliseLine } from "../terminal/terminal-text.ts";

/** Days before the end of its content from which on a list names them (SES-06). */
export const EXPIRY_SHOWN_DAYS = 7;
const UNTITLED = "(nothing said yet)";

/** Returns the title of a session for people. */
export function sessionTitle({ title }: Pick<SessionInfo, "title">): string {
  return title === "" ? UNTITLED : neutraliseLine(title);
}

/** Returns the states of a session that differ from the usual one, the most urgent first. */
export function sessionStates(info: SessionInfo): readonly string[] {
  const { state, status, pinned, archived, unread = 0, expires_in_days: days } = info;
  return [
    ...(state === "waiting" ? ["waits for an answer"] : state === "running" ? ["running"] : []),
    ...(status === "interrupted" && state !== "running" ? ["broke off in a turn"] : []),
    ...(unread > 0 ? [`${unread} unread`] : []),
    ...(days !== undefined && days <= EXPIRY_SHOWN_DAYS ? [expiryText(days)] : []),
    ...(pinned ? ["pinned"] : []),
    ...(archived === true ? ["archived"] : []),
  ];
}

/** Returns when content of a session expires: "expires in 3 days". */
export function expiryText(days: number): string {
  return days === 0 ? "expires today" : `expires in ${count(days, "day")}`;
}

/** Returns the cost of a session: "$0.0123", "?" if the price of a call is unknown, "" if nothing is known. */
export function sessionCost({ cost_usd: usd }: Pick<SessionInfo, "cost_usd">): string {
  if (usd === undefined) return "";
  return usd === null ? "?" : `$${printUsd(usd)}`;
}
