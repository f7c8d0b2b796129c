import { expect, test } from "bun:test";
import { RESERVED_IDS, Reservation } from "./reservation.ts";

test("[ENG-08 SES-17] a renewal that becomes safe between two turns counts for the turn that follows at once", () => {
  const reservation = new Reservation(0);
  reservation.turnStarted();
  expect(reservation.next(1)).toBe(1 + RESERVED_IDS);
  reservation.written(1);
  reservation.turnEnded();
  reservation.synced(1); // before a batch gave the reservation back
  reservation.turnStarted();
  expect(reservation.next(3)).toBeUndefined(); // the log has it still
  expect(reservation.safe).toBe(1 + RESERVED_IDS);
});

test("[ENG-08 SES-17] a reservation that was given back is not safe, whenever its sync ends", () => {
  const reservation = new Reservation(0);
  reservation.turnStarted();
  reservation.next(1);
  reservation.written(1);
  reservation.turnEnded();
  expect(reservation.next(4)).toBe(4);
  reservation.synced(1);
  expect(reservation.safe).toBe(0);
  reservation.written(2);
  reservation.synced(2);
  expect(reservation.safe).toBe(0);
  expect(reservation.isOwed(4)).toBe(false);
});
