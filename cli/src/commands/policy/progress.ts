import { availableParallelism } from 'node:os';
import { InvalidArgumentError, Option } from 'commander';
import { type Progress } from './crew.js';

const PERCENT = 100;
const MAX_JOBS = 16;
/** Share of the work between two lines of progress. */
const STEP = 0.1;

const isTerminal = (stream: NodeJS.WritableStream): boolean =>
  'isTTY' in stream && stream.isTTY === true;

/** Lines of progress for somebody who waits; none where nobody looks. */
export const progressOn = (stderr: NodeJS.WritableStream): Progress => {
  if (!isTerminal(stderr)) return () => undefined;
  let told = 0;
  return (questions, share) => {
    if (share < told + STEP && share < 1) return;
    told = share;
    const percent = String(Math.round(share * PERCENT)).padStart(3);
    stderr.write(`${percent} %  ${questions.toLocaleString('en-US')} questions\n`);
  };
};

const jobsOf = (text: string): number => {
  const jobs = Number(text);
  if (!Number.isInteger(jobs) || jobs < 1 || jobs > MAX_JOBS)
    throw new InvalidArgumentError(`from 1 to ${String(MAX_JOBS)}`);
  return jobs;
};

export const jobsOption = (): Option =>
  new Option('--jobs <count>', 'threads')
    .argParser(jobsOf)
    .default(Math.min(availableParallelism(), MAX_JOBS));
