// Preloaded by a first process from source: its credential helper crashes right after it has sent its first request. At
// SIGUSR2 the process has another mistake, with its key in the text.
let crashed = false;

function crashing(
  options: ConstructorParameters<typeof Bun.FetchSession>[0],
): Pick<Bun.FetchSession, "fetch"> {
  const session = new Original(options);
  function crashOnce(...request: Parameters<typeof session.fetch>): ReturnType<typeof session.fetch> {
    const answer = session.fetch(...request);
    if (!crashed) {
      crashed = true;
      setTimeout(() => {
        throw new Error("a mistake in the credential helper");
      });
    }
    return answer;
  }
  return { fetch: crashOnce as typeof session.fetch };
}

process.on("SIGUSR2", () => {
  throw new Error(`a later mistake, with ${process.env["OWN_KEY"]}`);
});

const Original = Bun.FetchSession;
Object.defineProperty(Bun, "FetchSession", { value: crashing });

export {};
