/** Waits for the next turn of the event loop: sockets, timers and other work have their turn first. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
