import { MalformedJws, parseJws, type UnverifiedJws } from '@tenure/jws';
import { unauthorized } from './unauthorized.js';

const MAX_TOKEN_LENGTH = 16_384;

/**
 * Parses a JWT, and refuses one that two libraries might read differently.
 * @throws UnauthorizedError
 */
export function parseJwt(token: string): UnverifiedJws {
  try {
    return parseJws(token, MAX_TOKEN_LENGTH);
  } catch (error) {
    throw error instanceof MalformedJws ? unauthorized(error.message) : error;
  }
}
