import { randomUUID } from 'node:crypto';
import { describe } from '@jest/globals';
import { openMongoStores } from '../src/adapters/stores-mongo.js';
import { nodeStoreContract } from '../src/testing/node-store-contract.js';
import { otherStoresContract } from '../src/testing/other-stores-contract.js';

const uri = process.env['TENURE_TEST_MONGODB_URI'];
if (uri === undefined)
  throw new Error(
    'TENURE_TEST_MONGODB_URI is not set: these tests need a MongoDB, and are never skipped',
  );

const emptyDatabase = () => openMongoStores(uri, `tenure_${randomUUID().replaceAll('-', '')}`);

describe('nodes in MongoDB', () => {
  nodeStoreContract(emptyDatabase);
});

describe('other records in MongoDB', () => {
  otherStoresContract(emptyDatabase);
});
