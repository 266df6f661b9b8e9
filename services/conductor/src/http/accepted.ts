import { type Response } from 'express';

/** 202 with an empty body: the request is persisted, and carried out later. */
export function accepted(response: Response, location?: string): void {
  response
    .status(202)
    .set({ 'Content-Length': '0', ...(location !== undefined && { Location: location }) })
    .end();
}
