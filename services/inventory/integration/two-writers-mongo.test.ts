import { randomUUID } from 'node:crypto';
import { describe } from '@jest/globals';
import { mongoStores } from '../src/testing/empty-stores.js';
import { twoWritersContract } from '../src/testing/two-writers-contract.js';

const uri = process.env['TENURE_TEST_MONGODB_URI'];
if (uri === undefined) throw new Error('TENURE_TEST_MONGODB_URI is not set');

describe('two writers in MongoDB', () => {
  twoWritersContract(async () => {
    const name = `tenure_${randomUUID().replaceAll('-', '')}`;
    return [await mongoStores(uri, name), await mongoStores(uri, name)];
  });
});
