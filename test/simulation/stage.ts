import type { LogId, SessionId } from "../../src/base/ids.ts";
import type { Multiplexer } from "../../src/server/hub/multiplexer.ts";
import type { Chance } from "../support/chance.ts";
import type { SimClient } from "./client.ts";
import type { SimDisk } from "./disk.ts";
import type { SimProcess } from "./scheduler.ts";

/** Shared context of the actors in a simulated run. */
export interface Stage {
  readonly chance: Chance;
  readonly disk: SimDisk;
  readonly clients: SimClient[];
  process: SimProcess | undefined;
  engine: Multiplexer | undefined;
  /** The log of the run, once it was made, and its newest run as far as anybody knows. */
  log: LogId | undefined;
  session: SessionId | undefined;
  /** The session was seen to go on no more. */
  over: boolean;
  readonly tell: (line: string) => void;
  readonly violated: (what: string) => void;
}
