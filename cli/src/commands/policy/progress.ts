import { availableParallelism } from 'node:os';
import { InvalidArgumentError, Option } from 'commander';
import { counted } from '../../terminal/counted.js';
import { type Printer } from '../../terminal/printer.js';
import { type Progress } from './worker-threads.js';

const PERCENT = 100;
const MAX_JOBS = 16;
/** Share of the work between two lines of progress. */
const STEP = 0.1;

/** Prints progress on a terminal; prints nothing on other outputs. */
export function progressOn(stderr: Printer): Progress {
  if (!stderr.isTerminal) return () => undefined;
  let reported = 0;
  return (questions, share) => {
    if (share < reported + STEP && share < 1) return;
    reported = share;
    const percent = String(Math.round(share * PERCENT)).padStart(3);
    stderr.line(`${percent} %  ${counted(questions)} questions`);
  };
}

export const jobsOption = (): Option =>
  new Option('--jobs <count>', 'threads')
    .argParser(jobsOf)
    .default(Math.min(availableParallelism(), MAX_JOBS));

function jobsOf(text: string): number {
  const jobs = Number(text);
  if (!Number.isInteger(jobs) || jobs < 1 || jobs > MAX_JOBS)
    throw new InvalidArgumentError(`from 1 to ${String(MAX_JOBS)}`);
  return jobs;
}
