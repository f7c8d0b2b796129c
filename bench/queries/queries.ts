import type { QueryKind } from "../../src/protocol/kinds.ts";
import { QUERY_KINDS } from "../../src/protocol/kinds.ts";
import { buildRestRequest } from "../../src/protocol/queries/rest-request.ts";
import { PROTOCOL_VERSION } from "../../src/protocol/version.ts";
import type { Row } from "../report.ts";
import { quantile, sampled } from "../statistics.ts";
import type { BenchSetup } from "../subject.ts";
import type { Asked } from "../watching.ts";
import type { BareRead, QueryCase } from "./cases.ts";
import { QUERY_CASES } from "./cases.ts";
import type { StoredPrograms } from "./stored-sessions.ts";
import { indexAll, storedSessions } from "./stored-sessions.ts";

interface Runs {
  readonly warm: number;
  /** New processes in which a query is the first. */
  readonly cold: number;
}

const RUNS: Runs = { warm: 20, cold: 3 };
const RUNS_QUICK: Runs = { warm: 5, cold: 1 };

/** Milliseconds of a query. */
interface Measured {
  readonly warm: readonly number[];
  readonly cold: readonly number[];
  readonly rest?: readonly number[];
}

/**
 * Every query that reads stored data, with many sessions and one long log in the store (CTL-19): in the process of the
 * engine, as the first query of a process and again, and by REST from this one. Beside bun:sqlite alone, which reads
 * the same rows in the clear.
 */
export async function measureQueries(
  place: BenchSetup,
  kinds: readonly QueryKind[] = QUERY_KINDS,
): Promise<readonly Row[]> {
  const programs = await storedSessions(place);
  await indexAll(programs);
  const runs = place.quick ? RUNS_QUICK : RUNS;
  const rows: Row[] = [];
  for (const kind of kinds) {
    const cases = QUERY_CASES[kind];
    if ("reads" in cases) continue;
    for (const each of cases as readonly QueryCase[]) {
      const cinch = await measureEngine(programs, { kind, each, runs });
      const read = each.bare?.(programs.stored);
      rows.push(
        rowOf(`${kind}: ${each.what}`, each.aim, cinch, read && (await measureBare(programs, read, runs))),
      );
    }
  }
  return rows;
}

function rowOf(what: string, aim: number | undefined, cinch: Measured, bare: Measured | undefined): Row {
  return {
    ...{ what, unit: "ms", cinch: sampled(cinch.warm), comparison: "alone" },
    ...(bare === undefined ? {} : { bare: sampled(bare.warm) }),
    ...(aim === undefined ? {} : { aim }),
    further: {
      "× bare": bare === undefined ? undefined : quantile(cinch.warm, 0.5) / quantile(bare.warm, 0.5),
      "95 %": quantile(cinch.warm, 0.95),
      "first of a process": quantile(cinch.cold, 0.5),
      "the same, bare": bare && quantile(bare.cold, 0.5),
      "by REST": cinch.rest && quantile(cinch.rest, 0.5),
    },
  };
}

interface Measurement {
  readonly kind: QueryKind;
  readonly each: QueryCase;
  readonly runs: Runs;
}

async function measureEngine(
  { stored, engine }: StoredPrograms,
  { kind, each, runs }: Measurement,
): Promise<Measured> {
  const cold: number[] = [];
  for (let process = 1; ; process++) {
    using running = engine();
    const address = (await running.said) as RestAddress;
    const session =
      each.runs === true ? await running.ask(JSON.stringify({ resume: stored.newest.logId })) : "";
    const query = { kind, ...each.ask(stored, session as never) };
    cold.push(...(await times(running, { query, runs: 1 })));
    const isLast = process === runs.cold;
    const warm = isLast ? await times(running, { query, runs: runs.warm }) : [];
    const rest = isLast ? await restTimes(address, query, warm.length) : [];
    await running.ask(JSON.stringify({ leave: true }));
    if (isLast) return { cold, warm, rest };
  }
}

async function measureBare({ bare }: StoredPrograms, read: BareRead, runs: Runs): Promise<Measured> {
  const cold: number[] = [];
  for (let process = 1; ; process++) {
    using running = bare();
    await running.said;
    cold.push(...(await times(running, { ...read, runs: 1 })));
    if (process < runs.cold) continue;
    return { cold, warm: await times(running, { ...read, runs: runs.warm }) };
  }
}

async function times(running: Asked, line: object): Promise<readonly number[]> {
  return (await running.ask(JSON.stringify(line))) as readonly number[];
}

interface RestAddress {
  readonly url: string;
  readonly token: string;
}

/** Times requests from this process, until the JSON of the answer is read. */
async function restTimes(
  { url, token }: RestAddress,
  query: { readonly kind: QueryKind },
  runs: number,
): Promise<readonly number[]> {
  const { method, path, body } = buildRestRequest(query);
  const headers = {
    "x-harness-token": token,
    "x-harness-version": PROTOCOL_VERSION,
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
  const ms: number[] = [];
  for (let run = 0; run < runs; run++) {
    const startMs = performance.now();
    const answer = await fetch(`${url}${path}`, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    });
    await answer.json();
    if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}`);
    ms.push(performance.now() - startMs);
  }
  return ms;
}
