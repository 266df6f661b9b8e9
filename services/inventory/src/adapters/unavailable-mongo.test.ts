import { describe, expect, it } from '@jest/globals';
import { InsufficientStorageError, UnavailableError } from '@tenure/contracts';
import {
  MongoInvalidArgumentError,
  MongoNetworkError,
  MongoServerError,
  MongoWriteConcernError,
} from 'mongodb';
import { translatedMongo } from './unavailable-mongo.js';

const serverError = (code: number): MongoServerError =>
  new MongoServerError({ message: 'what the server said', code });

describe('errors of MongoDB', () => {
  it('are 507 when its disk is full', () => {
    for (const code of [14_031, 12_501])
      expect(translatedMongo(serverError(code))).toBeInstanceOf(InsufficientStorageError);
  });

  it('are 503 with Retry-After when it takes no writes, whatever the driver makes of it', () => {
    for (const code of [20, 91, 189, 10_107, 11_600, 11_602, 13_435])
      expect(translatedMongo(serverError(code))).toMatchObject({
        status: 503,
        message: 'The store takes no writes now; please retry.',
        headers: { 'Retry-After': '1' },
      });
  });

  it('are 503 when nothing answered in time', () => {
    for (const error of [
      Object.assign(new Error('write ECONNRESET'), { code: 'ECONNRESET', syscall: 'write' }),
      new MongoNetworkError('connection 4 to 192.0.2.1:27017 closed'),
      new MongoWriteConcernError({ ok: 1, writeConcernError: { code: 64, errmsg: 'waited' } }),
    ])
      expect(translatedMongo(error)).toMatchObject({
        status: 503,
        message: 'The store did not answer in time.',
      });
  });

  it('are 503 when their code is not listed, and their text goes to the log alone', () => {
    for (const error of [serverError(4242), new MongoInvalidArgumentError('what')]) {
      const translated = translatedMongo(error, 'logged');
      expect(translated).toBeInstanceOf(UnavailableError);
      expect(translated).toMatchObject({
        message: 'The store could not execute the operation.',
        cause: 'logged',
      });
    }
  });

  it('stay as they are when they are of something else', () => {
    const error = new TypeError('a mistake');
    expect(translatedMongo(error)).toBe(error);
  });
});
