import { type Job } from '../ports/provisioning.js';

/** A job of which nothing is kept: each part is done for the first time, after the proof of the lock. */
export const aJob = (proceed: () => Promise<void> = () => Promise.resolve()): Job => ({
  proceed,
  part: async (_name, act) => {
    await proceed();
    await act(0);
  },
  noted: (_name, read) => read(),
});
