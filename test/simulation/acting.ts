import type { Engines } from "./engines.ts";
import type { Keeping } from "./keeping.ts";
import type { Stage } from "./stage.ts";
import type { Talking } from "./talking.ts";

/** Actors of a run. */
export interface Actors {
  readonly stage: Stage;
  readonly talking: Talking;
  readonly keeping: Keeping;
  readonly engines: Engines;
}

const ACTIONS = [
  "input",
  "input",
  "input",
  "answer",
  "answer",
  "answer",
  "cancel",
  "withdraw",
  "compact",
  "branch",
  "rewind",
  "sweep",
  "leave",
  "come back",
  "pin",
  "all leave",
  "attach",
  "attach",
  "reopen",
] as const;

/** A person, or whoever starts engines, does something. */
export function act({ stage, talking, keeping, engines }: Actors): void {
  if (stage.engine === undefined) {
    engines.boot();
    return;
  }
  const attached = stage.clients.filter(({ isAttached }) => isAttached);
  if (stage.session === undefined || stage.over || attached.length === 0) {
    const [back] = stage.clients;
    if (stage.session === undefined || back === undefined || stage.chance.happens(0.5)) engines.reopen();
    else talking.comeBack(back, stage.engine, stage.session);
    return;
  }
  const client = stage.chance.of(attached);
  const sessionId = stage.session;
  const what = stage.chance.of(ACTIONS);
  stage.tell(`client: ${what}`);
  switch (what) {
    case "input":
      talking.input(client);
      return;
    case "answer":
      talking.answer();
      return;
    case "cancel":
      talking.send(client, { kind: "CancelTurn", sessionId });
      return;
    case "compact":
      talking.send(client, { kind: "CompactSession", sessionId });
      return;
    case "withdraw":
      talking.withdraw(client);
      return;
    case "leave":
      client.detach();
      return;
    case "come back": {
      const away = stage.clients.find(({ isAttached }) => !isAttached);
      if (away !== undefined) void away.attach(stage.engine, sessionId);
      return;
    }
    case "pin":
      keeping.pin(client, sessionId);
      return;
    case "branch":
      keeping.branch(client, sessionId);
      return;
    case "rewind":
      keeping.rewind(client, sessionId);
      return;
    case "sweep":
      keeping.sweep();
      return;
    case "all leave":
      for (const each of attached) each.detach();
      return;
    case "attach":
      talking.attach(client, sessionId);
      return;
    case "reopen":
      engines.reopen();
      return;
  }
}
