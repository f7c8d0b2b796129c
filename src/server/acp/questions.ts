import type { PermissionOption, RequestPermissionRequest } from "@agentclientprotocol/sdk";
import type { AskId, CallId, SessionId } from "../../base/ids.ts";
import type { CommandOf } from "../../protocol/commands/commands.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { PayloadOf } from "../../protocol/events/events.ts";
import { askedCall, textContent, verbatim } from "./shown-call.ts";

/** What is put to the person at the editor, and what becomes of what they choose. */
export interface EditorQuestion {
  readonly id: CallId | AskId;
  readonly request: Omit<RequestPermissionRequest, "sessionId">;
  /** The call as a text that another call of the same tool and content has too; undefined where it is about no call. */
  readonly likeness?: string;
  /** The command for an option, or for none that was offered; undefined where the question is left to others. */
  answer(optionId: string | undefined): CommandOf<"AnswerPermission"> | CommandOf<"Answer"> | undefined;
}

/** The option that denies a call now and, as long as the editor has the session open, each one like it. */
export const DENY_ALWAYS = "deny-always";

/** The question that an event asks, where it is one that has a choice. */
export function questionOf(
  event: Envelope,
  session: SessionId,
  workingDir: string,
): EditorQuestion | undefined {
  if (event.kind === "PermissionRequested") return permission(event.payload, session, workingDir);
  return event.kind === "Asked" ? choice(event.payload, session) : undefined;
}

/** The id of the question that an event closes. */
export function closedBy(event: Envelope): CallId | AskId | undefined {
  if (event.kind === "Answered") return event.payload.askId;
  if (event.kind === "PermissionAnswered" || event.kind === "ToolResult") return event.payload.callId;
  return undefined;
}

type Answer = Pick<CommandOf<"AnswerPermission">, "decision" | "scope">;

interface Offer extends Answer {
  readonly hosts?: true;
  readonly option: PermissionOption;
}

/** The answers of PERM-03, and a denial that lasts; what is none of them allows nothing. */
function permission(
  request: PayloadOf<"PermissionRequested">,
  sessionId: SessionId,
  workingDir: string,
): EditorQuestion {
  const offers = offersFor(request);
  const { callId, tool, summary } = request;
  return {
    id: callId,
    likeness: JSON.stringify([tool, summary]),
    request: { toolCall: askedCall(request, workingDir), options: offers.map(({ option }) => option) },
    answer(optionId) {
      const chosen = offers.find(({ option }) => option.optionId === optionId);
      const { decision, scope } = chosen ?? DENIAL;
      const hosts = chosen?.hosts === true ? { hosts: chosen.hosts } : {};
      return { kind: "AnswerPermission", sessionId, callId, decision, scope, ...hosts };
    },
  };
}

const DENIAL = { decision: "deny", scope: "once" } as const;

function offersFor({ tool, rule, onceOnly, hosts }: PayloadOf<"PermissionRequested">): readonly Offer[] {
  const once: Offer = {
    option: { optionId: "allow-once", name: "Allow once", kind: "allow_once" },
    decision: "allow",
    scope: "once",
  };
  const denials: readonly Offer[] = [
    { option: { optionId: "deny", name: "Deny", kind: "reject_once" }, ...DENIAL },
    {
      option: { optionId: DENY_ALWAYS, name: "Deny exactly this for this session", kind: "reject_always" },
      ...DENIAL,
    },
  ];
  if (hosts !== undefined) {
    const name =
      hosts.length === 0
        ? "Allow in the sandbox, and ask for each host that it needs"
        : `Allow in the sandbox, which reaches ${hosts.join(", ")} for this session`;
    const option = { optionId: "allow-hosts", name, kind: "allow_once" } as const;
    const outside = { ...once.option, name: "Allow once, outside of the sandbox" };
    return [
      { ...once, option: outside },
      { option, decision: "allow", scope: "once", hosts: true },
      ...denials,
    ];
  }
  if (onceOnly === true) return [once, ...denials];
  const name = `Allow for this session: ${rule ?? "exactly this"}`;
  const alike: Offer = {
    option: { optionId: "allow-rule", name, kind: "allow_always" },
    decision: "allow",
    scope: "argv_glob",
  };
  const all: Offer = {
    option: {
      optionId: "allow-tool",
      name: `Allow every ${tool} call for this session`,
      kind: "allow_always",
    },
    decision: "allow",
    scope: "tool",
  };
  // Where what begins alike is every call of the tool, it is offered once.
  return rule === tool ? [once, all, ...denials] : [once, alike, all, ...denials];
}

/**
 * A question with choices that is no permission: about a file of the project, a call that a crash left open. One without
 * choices has no form here, and is left to other clients.
 */
function choice(ask: PayloadOf<"Asked">, sessionId: SessionId): EditorQuestion | undefined {
  const { askId, about, text, choices = [], details } = ask;
  if (choices.length === 0) return undefined;
  return {
    id: askId,
    request: {
      toolCall: {
        toolCallId: askId,
        title: details?.["hosts"] === undefined ? TITLES[about] : "Let it reach these hosts?",
        kind: "other",
        status: "pending",
        content: [textContent(verbatim(text))],
      },
      options: choices.map(({ value, label }) => ({
        optionId: value,
        name: label,
        kind: DENIALS.has(value) ? "reject_once" : "allow_once",
      })),
    },
    answer(optionId) {
      const isOffered = choices.some(({ value }) => value === optionId);
      const answer = isOffered ? optionId : choices.find(({ value }) => value === "deny")?.value;
      return answer === undefined ? undefined : { kind: "Answer", sessionId, askId, answer };
    },
  };
}

const DENIALS: ReadonlySet<string> = new Set(["deny", "abort", "failed"]);

const TITLES: Readonly<Record<PayloadOf<"Asked">["about"], string>> = {
  trust: "Use this file of the project?",
  orphan: "What became of this call?",
  plan: "Carry out this plan?",
  elicitation: "A tool asks",
  "token-code": "A program asks for a token",
  "outside-sandbox": "Run it outside the sandbox?",
  rewind: "Set back?",
};
