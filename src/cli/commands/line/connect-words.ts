/** What `--connect` was given with. */
export interface ConnectWords {
  /** `https://HOST:PORT`, `http://127.0.0.1:PORT` or `unix:///PATH`. */
  readonly url: string;
  readonly tokenFile?: string;
  /** A file of certificates that are trusted, as PEM. */
  readonly ca?: string;
}

type Read =
  | { readonly kind: "read"; readonly connect?: ConnectWords }
  | { readonly kind: "problem"; readonly problem: string };

/** Flags that say how an engine of this machine is run. */
const HERE_ONLY = ["no-listen", "record", "raw", "insecure-dev-key"] as const;

/** The values of `--connect` and what goes with it; flags without a value are looked up too. */
export function readConnect(
  text: (name: "connect" | "auth-token-file" | "tls-ca") => string | undefined,
  has: (name: (typeof HERE_ONLY)[number]) => boolean,
): Read {
  const [url, tokenFile, ca] = [text("connect"), text("auth-token-file"), text("tls-ca")];
  if (url === undefined) {
    const alone = tokenFile !== undefined ? "auth-token-file" : ca !== undefined ? "tls-ca" : undefined;
    return alone === undefined ? { kind: "read" } : problem(`--${alone} goes with --connect`);
  }
  const here = HERE_ONLY.find(has);
  if (here !== undefined)
    return problem(`--${here} is for an engine of this machine; leave it out with --connect`);
  return {
    kind: "read",
    connect: {
      url,
      ...(tokenFile === undefined ? {} : { tokenFile }),
      ...(ca === undefined ? {} : { ca }),
    },
  };
}

function problem(text: string): Read {
  return { kind: "problem", problem: text };
}
