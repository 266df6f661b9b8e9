import { type ServerResponse } from 'node:http';
import { type RequestHandler } from 'express';
import { createWorkMeter, type Spent } from './work-meter.js';

/** What a service says in an answer that the request took of it: `<elapsed> <active>`, in milliseconds. */
export const SPENT_HEADER = 'x-tenure-spent';

const FORM = /^([0-9]{1,9}(?:\.[0-9]{1,3})?) ([0-9]{1,9}(?:\.[0-9]{1,3})?)$/u;

/** @returns undefined for what no service of ours says */
export const spentIn = (value: string | string[] | undefined): Spent | undefined => {
  const found = typeof value === 'string' ? FORM.exec(value) : null;
  return found === null ? undefined : { elapsedMs: Number(found[1]), activeMs: Number(found[2]) };
};

/** What another thread of this process did for a request, in milliseconds. */
export interface SpentElsewhere {
  /** For which the request waited until the thread had time for it. */
  readonly waitedMs: number;
  /** For which the thread worked on it. */
  readonly activeMs: number;
}

const elsewhere = new WeakMap<ServerResponse, SpentElsewhere>();

/** Adds the work of another thread to what the answer will say. Waiting for that thread is no part of what was spent. */
export const addSpent = (response: ServerResponse, spent: SpentElsewhere): void => {
  elsewhere.set(response, spent);
};

/** Says in every answer what the request took, up to its headers. For behind whatever waits for the sender. */
export const sayingSpent = (): RequestHandler => {
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
};
