// What the first line of `cinch` and an idle session are measured against: a program that shows a prompt and waits.
process.stdin.setRawMode(true);
process.stdin.on("data", (bytes) => process.stdout.write(bytes));
process.stdout.write("> ");
