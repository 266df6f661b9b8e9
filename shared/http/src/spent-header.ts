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

/** Says in every answer what the request took, up to its headers. For behind whatever waits for the sender. */
export const sayingSpent = (): RequestHandler => {
  const meter = createWorkMeter();
  return (_request, response, next) => {
    const request = meter.began();
    response.once('close', request.ended);
    const writeHead = response.writeHead.bind(response) as (...all: unknown[]) => typeof response;
    response.writeHead = (...all: unknown[]): typeof response => {
      const { elapsedMs, activeMs } = request.spent();
      response.setHeader(SPENT_HEADER, `${elapsedMs.toFixed(1)} ${activeMs.toFixed(1)}`);
      return writeHead(...all);
    };
    next();
  };
};
