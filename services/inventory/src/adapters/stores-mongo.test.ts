import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { SCHEMA_VERSION } from '../domain/schema.js';
import { indexedFieldsOf } from '../ports/record-store.js';
import { ALL_SHAPES } from '../ports/shapes.js';
import { indexesOf } from './indexes-mongo.js';
import { databaseOf } from './stores-mongo.js';

describe('the database in MongoDB', () => {
  it('is written to the majority and read from the primary, whatever the URI says', () => {
    const weak = '?w=1&journal=false&readConcernLevel=local&readPreference=secondary';
    const database = databaseOf(new MongoClient(`mongodb://h/${weak}`), 'x');
    const { writeConcern, readConcern, readPreference } = database.collection('nodes');
    expect(writeConcern).toMatchObject({ w: 'majority', journal: true, wtimeoutMS: 5000 });
    expect(readConcern).toMatchObject({ level: 'majority' });
    expect(readPreference).toMatchObject({ mode: 'primary' });
  });
});

describe('tables, collections and indexes', () => {
  // A changed shape needs indexes that stores of older releases lack: add a migration that makes them
  // (domain/schema.ts, adapters/schema-*.ts), then note its version and the digest here.
  it('are those that the newest migration makes', () => {
    const wanted = ALL_SHAPES.map((shape) => ({
      name: shape.name,
      columns: indexedFieldsOf(shape).toSorted(),
      joint: shape.uniqueTogether,
      indexes: indexesOf(shape)
        .map((index) => JSON.stringify(index))
        .toSorted(),
    }));
    const digest = createHash('sha256').update(JSON.stringify(wanted)).digest('hex').slice(0, 16);
    expect({ version: SCHEMA_VERSION, digest }).toEqual({ version: 4, digest: '2c0268ddf08a184e' });
  });
});
