import { runWithin } from '@tenure/policy/runtime';
import { type TimeLimit } from '../ports/time-limit.js';

/** A time limit by V8's own interrupt. */
export const limitByVm: TimeLimit = runWithin;
