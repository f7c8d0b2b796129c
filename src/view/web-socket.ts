/** The part of the web's WebSocket that clients of the protocol use. */
export interface WebSocketLike {
  send(data: string | Uint8Array<ArrayBuffer>): void;
  close(code?: number, reason?: string): void;
  addEventListener(kind: "open" | "error", listener: () => void): void;
  addEventListener(kind: "message", listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(
    kind: "close",
    listener: (event: { readonly code: number; readonly reason: string }) => void,
  ): void;
}
