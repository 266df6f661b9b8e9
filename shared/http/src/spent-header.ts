import { type ServerResponse } from 'node:http';
import { type RequestHandler } from 'express';
import { createWorkMeter, type Spent } from './work-meter.js';

/** Response header of a service with the time and work of the request: `<elapsed> <active>`, in milliseconds. */
export const SPENT_HEADER = 'x-tenure-spent';

const FORM = /^([0-9]{1,9}(?:\.[0-9]{1,3})?) ([0-9]{1,9}(?:\.[0-9]{1,3})?)$/u;

/** Waiting time and work of a request in another thread of this process, in milliseconds. */
export interface SpentElsewhere {
  /** Waiting time until the thread began. */
  readonly waitedMs: number;
  /** Work of the thread. */
  readonly activeMs: number;
}

const elsewhere = new WeakMap<ServerResponse, SpentElsewhere>();

/** @returns undefined for a value that no service of Tenure sends */
export function spentIn(value: string | string[] | undefined): Spent | undefined {
  const found = typeof value === 'string' ? FORM.exec(value) : null;
  return found === null ? undefined : { elapsedMs: Number(found[1]), activeMs: Number(found[2]) };
}

/** Adds the work of another thread to the response's report, and subtracts the wait for that thread. */
export function addSpent(response: ServerResponse, spent: SpentElsewhere): void {
  elsewhere.set(response, spent);
}

/** Sets the header in every response, for the time up to its headers. Place it behind the handler that reads the body. */
export function sayingSpent(): RequestHandler {
  const meter = createWorkMeter();
  return (_request, response, next) => {
    const request = meter.began();
    response.once('close', request.ended);
    const writeHead = response.writeHead.bind(response) as (...all: unknown[]) => typeof response;
    response.writeHead = (...all: unknown[]): typeof response => {
      const here = request.spent();
      const there = elsewhere.get(response) ?? { waitedMs: 0, activeMs: 0 };
      const elapsedMs = Math.max(0, here.elapsedMs - there.waitedMs);
      const activeMs = here.activeMs + there.activeMs;
      response.setHeader(SPENT_HEADER, `${elapsedMs.toFixed(1)} ${activeMs.toFixed(1)}`);
      return writeHead(...all);
    };
    next();
  };
}
