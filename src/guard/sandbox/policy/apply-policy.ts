import { DeadlineReached } from "../../../base/errors.ts";
import { unreadableText } from "../../../base/files/unreadable.ts";
import type { Sandbox, SandboxPolicy, SandboxState } from "../../../session/guard/sandbox.ts";

type Refused = Extract<SandboxState, { kind: "refused" }>;

const REMEDY = "look at what stands there, and remove it, or the rule or setting that names it";

const ROOT_REMEDY =
  "give yourself and the sandbox access to the workspace again, or start cinch in another folder";

/**
 * Applies the policy of a session. This alone tells "there is no sandbox on this machine" from "the sandbox works
 * here, and this policy cannot be applied": a repository decides about places of the policy, and must not be able to
 * take the sandbox away.
 * @param backend returns a sandbox that knows of no earlier trial.
 */
export async function applyPolicy(
  sandbox: Sandbox,
  backend: () => Sandbox,
  policy: SandboxPolicy,
): Promise<SandboxState> {
  const state = await prepared(sandbox, policy);
  if (state.kind !== "unavailable") return state;
  if (state.forWorkspace === true) return state;
  const none = { ...policy, writable: [], readOnly: [], hidden: [], visible: [] };
  const bare = await prepared(backend(), { ...none, network: { kind: "off" } });
  if (bare.kind === "refused") return bare;
  if (bare.kind === "unavailable") {
    // A command can close the workspace itself to the sandbox, as with `chmod`.
    const elsewhere = { ...none, root: policy.temporary, network: { kind: "off" } } as const;
    const other = await prepared(backend(), elsewhere);
    if (other.kind !== "working") return other.kind === "refused" ? other : state;
    return { kind: "refused", why: whyNot(policy.root, state.why), remedy: ROOT_REMEDY, made: [] };
  }
  const made = new Set<string>();
  const works = async (entries: readonly Entry[]) => {
    const trial = await prepared(backend(), withEntries({ ...none, network: { kind: "off" } }, entries));
    for (const path of trial.kind === "working" ? trial.made : []) made.add(path);
    return trial.kind === "working";
  };
  const place = await entryAtFault(entriesOf(policy), works);
  const what = place === undefined ? "what this session hides and protects" : `${place} covered`;
  return {
    kind: "refused",
    why: whyNot(what, state.why),
    remedy: REMEDY,
    ...(place === undefined ? {} : { place }),
    made: [...made],
  };
}

function whyNot(what: string, why: string): string {
  return `the sandbox works on this machine, but not with ${what}: ${why}`;
}

/** Returns the state for a path of a policy that cannot be resolved; undefined if something else failed. */
export function unreadableRefusal(thrown: unknown): Refused | undefined {
  const why = unreadableText(thrown);
  return why === undefined ? undefined : { kind: "refused", why, remedy: REMEDY, made: [] };
}

/** A trial that did not end in time proves nothing about the machine, which may be busy. */
async function prepared(sandbox: Sandbox, policy: SandboxPolicy): Promise<SandboxState> {
  try {
    return await sandbox.prepare(policy);
  } catch (thrown) {
    if (!(thrown instanceof DeadlineReached)) throw thrown;
    const why = `the trial of the sandbox (${sandbox.name}) did not end in time`;
    return { kind: "refused", why, remedy: "try again when the machine is less busy", made: [] };
  }
}

type Entry =
  | { readonly list: "writable" | "hidden"; readonly place: string }
  | { readonly list: "readOnly"; readonly place: SandboxPolicy["readOnly"][number] };

function entriesOf({ writable, readOnly, hidden }: SandboxPolicy): readonly Entry[] {
  return [
    ...writable.map((place) => ({ list: "writable", place }) as const),
    ...readOnly.map((place) => ({ list: "readOnly", place }) as const),
    ...hidden.map((place) => ({ list: "hidden", place }) as const),
  ];
}

function withEntries(policy: SandboxPolicy, entries: readonly Entry[]): SandboxPolicy {
  const paths = (list: "writable" | "hidden") =>
    entries.flatMap((entry) => (entry.list === list ? [entry.place] : []));
  return {
    ...policy,
    writable: paths("writable"),
    hidden: paths("hidden"),
    readOnly: entries.flatMap((entry) => (entry.list === "readOnly" ? [entry.place] : [])),
  };
}

/** Returns the path of one entry with which alone the sandbox does not work; undefined if it takes several. */
async function entryAtFault(
  entries: readonly Entry[],
  works: (entries: readonly Entry[]) => Promise<boolean>,
): Promise<string | undefined> {
  let suspects = entries;
  while (suspects.length > 0) {
    if (await works(suspects)) return undefined;
    const [first] = suspects;
    if (first !== undefined && suspects.length === 1)
      return first.list === "readOnly" ? first.place.path : first.place;
    const half = suspects.slice(0, Math.ceil(suspects.length / 2));
    suspects = (await works(half)) ? suspects.slice(half.length) : half;
  }
  return undefined;
}
