import { HarnessError } from "../../../../base/errors.ts";
import type { SessionId } from "../../../../base/ids.ts";
import type { ResultOf } from "../../../../protocol/queries/queries.ts";
import { refusalText } from "../../../../view/texts/refusal-text.ts";
import type { DrawnRow } from "../../drawing/span.ts";
import { row, span } from "../../drawing/span.ts";
import { wrapSpans } from "../../drawing/wrap-spans.ts";
import type { ActionName, KeyContext } from "../../keys/actions.ts";
import type { TerminalFeature } from "../../layout/feature.ts";
import { inBackground } from "../../layout/in-background.ts";
import type { DrawnPart, Overlay } from "../../layout/part.ts";
import type { Services } from "../../layout/services.ts";
import type { Size } from "../../screen/screen.ts";

type Rule = ResultOf<"ListRules">["rules"][number];

/** The session-policy panel. */
export function policy(services: Services): TerminalFeature {
  return {
    actions: { "policy.open": () => openPolicy(services) },
    panels: { "/permissions": "policy.open" },
  };
}

/** Opens the panel about what the session may do (PERM-07, TUI-04). Says so if no session is open. */
export function openPolicy(services: Services): void {
  const { open } = services.session;
  if (open === undefined) {
    services.say("No session is open yet.");
    return;
  }
  const panel = new PolicyPanel(services, open.session);
  services.open(panel);
  services.redraw();
  inBackground(panel.load(), services);
}

/** Rules that people have allowed in a session, each with a key that takes it back and one that keeps it. */
export class PolicyPanel implements Overlay {
  readonly title = "What this session may do";
  readonly place = "full";
  readonly contexts: readonly KeyContext[] = ["policy", "list", "panel"];
  readonly isOfSession = true;
  readonly #services: Services;
  readonly #session: SessionId;
  #rules: readonly Rule[] | undefined;
  #failure: string | undefined;
  #at = 0;

  constructor(services: Services, session: SessionId) {
    this.#services = services;
    this.#session = session;
  }

  /** Reads the rules again. */
  async load(): Promise<void> {
    const { session } = this.#services;
    const answer = await session.query({ kind: "ListRules", sessionId: this.#session });
    if (answer instanceof HarnessError) this.#failure = refusalText(answer);
    else {
      this.#rules = answer.rules.filter(({ source }) => source === "session" || source === "flag");
      this.#failure = undefined;
    }
    this.#at = Math.max(0, Math.min(this.#at, (this.#rules?.length ?? 0) - 1));
    this.#services.redraw();
  }

  draw({ columns, rows: height }: Size): DrawnPart {
    const listed = (this.#rules ?? []).map((rule, at) => this.#ruleRows(rule, at === this.#at, columns));
    const above = this.#headRows(columns);
    const below = this.#footRows(columns);
    const room = Math.max(1, height - above.length - below.length);
    const before = listed.slice(0, this.#at + 1).flat().length;
    const top = Math.max(0, before - room);
    const rows = [...above, ...listed.flat().slice(top, top + room), ...below];
    return { rows: rows.slice(0, height) };
  }

  act(action: ActionName): boolean {
    switch (action) {
      case "list.up":
        this.#at = Math.max(0, this.#at - 1);
        return true;
      case "list.down":
        this.#at = Math.max(0, Math.min((this.#rules?.length ?? 0) - 1, this.#at + 1));
        return true;
      case "policy.revoke":
        inBackground(this.#revoke(), this.#services);
        return true;
      case "policy.promote":
        inBackground(this.#promote(), this.#services);
        return true;
      case "list.leave":
      case "panel.leave":
      case "turn.cancel":
        this.#services.close(this);
        return true;
      default:
        return false;
    }
  }

  async #revoke(): Promise<void> {
    const { session, say } = this.#services;
    const chosen = this.#rules?.[this.#at];
    if (chosen === undefined) return;
    if (!chosen.revocable) return say(`${chosen.rule} holds until the session ends.`, "warning");
    const { rule } = chosen;
    const answer = await session.send({ kind: "RevokeRule", sessionId: this.#session, rule });
    if (answer instanceof HarnessError) say(refusalText(answer), "failure");
    else say(`No longer allowed: ${rule}`);
    await this.load();
  }

  async #promote(): Promise<void> {
    const { session, say } = this.#services;
    const chosen = this.#rules?.[this.#at];
    if (chosen === undefined) return;
    if (!chosen.promotable) return say(`${chosen.rule} cannot be kept.`, "warning");
    const { rule } = chosen;
    const answer = await session.send({ kind: "PromoteRule", sessionId: this.#session, rule });
    if (answer instanceof HarnessError) return say(refusalText(answer), "failure");
    const { directory } = answer.result ?? {};
    say(`Kept ${directory === undefined ? "in every directory" : `in ${directory} and below`}: ${rule}`);
    await this.load();
  }

  #ruleRows({ rule, source }: Rule, isChosen: boolean, columns: number): readonly DrawnRow[] {
    const mark = span(isChosen ? "> " : "  ", { role: "accent" });
    const by = span(source === "flag" ? " (--allow)" : "", { role: "dim" });
    const text = span(rule, isChosen ? { role: "accent" } : {});
    return wrapSpans([text, by], { columns, first: [mark], rest: [span("  ")] });
  }

  #headRows(columns: number): readonly DrawnRow[] {
    const run = this.#services.session.view.run;
    const lines = [
      ...(run?.level === undefined ? [] : [`level: ${run.level}`]),
      ...(run?.planMode === true ? ["plan mode: nothing is changed"] : []),
      ...(run?.folders ?? []).map((folder) => `folder added: ${folder}`),
    ];
    const state =
      this.#failure ??
      (this.#rules === undefined
        ? "reading the rules …"
        : this.#rules.length === 0
          ? "You have allowed nothing for this session."
          : "Allowed until this session ends:");
    return [...lines, state].flatMap((line) => wrapSpans([span(line)], { columns }));
  }

  #footRows(columns: number): readonly DrawnRow[] {
    const { keys } = this.#services;
    const key = (name: ActionName) => keys.label(name);
    const text = `${key("policy.revoke")} take back   ${key("policy.promote")} keep for later   ${key("list.leave")} close`;
    return [row([]), ...wrapSpans([span(text, { role: "dim" })], { columns })];
  }
}
