import { type Attempt } from '../domain/attempt.js';
import { type Job } from '../ports/provisioning.js';

/** Nothing was sent before, and nothing is recorded. */
export const FIRST_ATTEMPT: Attempt = {
  begunBefore: 0,
  wasSent: false,
  prove: () => Promise.resolve(),
  noteSent: () => Promise.resolve(),
};

/** A job of which nothing is kept: each part is done for the first time, after the proof of the lock. */
export const aJob = (proceed: () => Promise<void> = () => Promise.resolve()): Job => ({
  proceed,
  part: async (_name, act) => {
    await proceed();
    await act(FIRST_ATTEMPT);
  },
  noted: (_name, read) => read(),
});
