import { randomUUID } from 'node:crypto';
import { describe } from '@jest/globals';
import { budgetsContract } from '../src/testing/budgets-contract.js';
import { mongoStores } from '../src/testing/empty-stores.js';
import { handoverStoresContract } from '../src/testing/handover-stores-contract.js';
import { leaseStoresContract } from '../src/testing/lease-stores-contract.js';
import { nodePartsContract } from '../src/testing/node-parts-contract.js';
import { nodeStoreContract } from '../src/testing/node-store-contract.js';
import { otherStoresContract } from '../src/testing/other-stores-contract.js';
import { pageContract } from '../src/testing/page-contract.js';
import { replacementContract } from '../src/testing/replacement-contract.js';
import { resourceStoresContract } from '../src/testing/resource-stores-contract.js';
import { serverStoresContract } from '../src/testing/server-stores-contract.js';

const uri = process.env['TENURE_TEST_MONGODB_URI'];
if (uri === undefined)
  throw new Error(
    'TENURE_TEST_MONGODB_URI is not set: these tests need a MongoDB, and are never skipped',
  );

const emptyDatabase = () => mongoStores(uri, `tenure_${randomUUID().replaceAll('-', '')}`);

describe('budgets in MongoDB', () => {
  budgetsContract(emptyDatabase);
});

describe('nodes in MongoDB', () => {
  nodeStoreContract(emptyDatabase);
});

describe('what is kept of nodes in MongoDB', () => {
  nodePartsContract(emptyDatabase);
});

describe('pages in MongoDB', () => {
  pageContract(emptyDatabase);
});

describe('records that are replaced in MongoDB', () => {
  replacementContract(emptyDatabase);
});

describe('other records in MongoDB', () => {
  otherStoresContract(emptyDatabase);
});

describe('what hangs on nodes in MongoDB', () => {
  resourceStoresContract(emptyDatabase);
});

describe('leases in MongoDB', () => {
  leaseStoresContract(emptyDatabase);
});

describe('handovers in MongoDB', () => {
  handoverStoresContract(emptyDatabase);
});

describe('servers in MongoDB', () => {
  serverStoresContract(emptyDatabase);
});
