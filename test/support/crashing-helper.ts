// Preloaded by a first process from source, which makes a mistake at SIGUSR2, with its key in the text. While its
// credential helper runs there, the mistake is the helper's.
process.on("SIGUSR2", () => {
  throw new Error(`a mistake, with ${process.env["OWN_KEY"]}`);
});

export {};
