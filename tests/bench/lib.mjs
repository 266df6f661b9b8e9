import { readFileSync } from 'node:fs';
import { Pool } from 'undici';
import '../support/run-typescript.mjs';

const TICKS_PER_SECOND = 100;

/** CPU seconds that a process has used, with all its threads, as the kernel counts them. */
export function cpuSeconds(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // After the name in parentheses: state is field 3, utime and stime are 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/**
 * Keeps `connections` requests going for `seconds`; throws when an answer is not what `isGood` accepts.
 *
 * @returns requests done, requests per second, and the latencies' median and 99th percentile in milliseconds
 */
export async function load(origin, { request, isGood, seconds = 4, connections = 32 }) {
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const latencies = [];
  const began = performance.now();
  const deadline = began + seconds * 1000;
  const worker = async () => {
    while (performance.now() < deadline) {
      const from = performance.now();
      const { statusCode, body } = await pool.request(request());
      const text = await body.text();
      if (!isGood(statusCode, text))
        throw new Error(`unexpected answer of ${origin}: ${statusCode} ${text.slice(0, 500)}`);
      latencies.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const took = (performance.now() - began) / 1000;
  await pool.close();
  latencies.sort((a, b) => a - b);
  return {
    requests: latencies.length,
    perSecond: latencies.length / took,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
  };
}

/** A quantile of sorted numbers. */
export const quantile = (sorted, q) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))];

/** The median of some numbers. */
export const median = (numbers) =>
  quantile(
    numbers.toSorted((a, b) => a - b),
    0.5,
  );

/** Load with the CPU seconds that `pid` used meanwhile. */
export async function loadWithCpu(pid, origin, options) {
  const before = cpuSeconds(pid);
  const result = await load(origin, options);
  const cpu = cpuSeconds(pid) - before;
  return { ...result, cpu, perCpuSecond: result.requests / cpu };
}

/** Prints rows as an aligned table. */
export function table(head, rows) {
  const all = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column].length)));
  const line = (row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]),
      )
      .join('  ');
  process.stdout.write(
    `${[line(all[0]), widths.map((width) => '-'.repeat(width)).join('  '), ...all.slice(1).map(line)].join('\n')}\n`,
  );
}

/** Prints whether a goal is met; a benchmark never fails for it. */
export function verdict(label, isMet) {
  process.stdout.write(`${label}: goal ${isMet ? 'met' : 'missed'}\n\n`);
}

export const say = (text) => process.stdout.write(`${text}\n`);
export const round = (number, digits = 0) => number.toFixed(digits);
