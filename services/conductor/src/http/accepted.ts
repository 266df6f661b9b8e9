import { type Response } from 'express';

/** 202 with an empty body: what was asked for is written down, and is done later. */
export function accepted(response: Response, location?: string): void {
  response
    .status(202)
    .set({ 'Content-Length': '0', ...(location !== undefined && { Location: location }) })
    .end();
}
