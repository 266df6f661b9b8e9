import { setTimeout as pause } from 'node:timers/promises';
import { type PolicyParts } from '../ports/policy-source.js';
import { type ReplicaBoard } from '../ports/replica-board.js';

const LOOK_EVERY_MS = 100;
const LOOKS = 20;

/** Asks the other replicas for the bundle of a revision, and waits two seconds for one of them to put it on the board. */
export const bundleElsewhere =
  (board: Pick<ReplicaBoard, 'getBundle' | 'call'>) =>
  async (revision: string): Promise<PolicyParts | undefined> => {
    try {
      let parts = await board.getBundle(revision);
      if (parts === undefined) await board.call({ want: revision });
      for (let look = 0; parts === undefined && look < LOOKS; look += 1) {
        await pause(LOOK_EVERY_MS);
        parts = await board.getBundle(revision);
      }
      return parts;
    } catch {
      return undefined; // the board is away, which is told elsewhere
    }
  };
